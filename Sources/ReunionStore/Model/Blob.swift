public import ReunionCore
import ReunionDisk

/// A field of bytes: a few are kept in the record, many in a file.
///
/// ```swift
/// struct Photo: Entity {
///   var thumbnail: Blob?
///   …
///   .field(4, "thumbnail", \.thumbnail, inlineBelow: 32 * 1024)
/// }
/// try store.write(in: space) { try $0.set(\Photo.thumbnail, of: id, to: Blob(bytes)) }
/// let bytes = try store.read(photo.thumbnail)
/// ```
/// The field's threshold decides at each write. Bytes in the record arrive with it on other devices; a
/// file follows. In sets and lists blobs are always in the record, up to 512 KiB.
public enum Blob: FieldValue, Hashable {
  /// Bytes, at hand. A write puts them into a file where the field's threshold is not over them.
  case bytes([UInt8])
  /// A file of the blob store, which may not have arrived here yet.
  case file(BlobReference)

  /// From how many bytes on a field's blob is a file, where the schema does not say: 16 KiB.
  public static let inlineBelow = 16 * 1024

  /// Makes a blob of bytes; the write decides where they are kept.
  public init(_ bytes: [UInt8]) { self = .bytes(bytes) }

  /// How many bytes it has.
  public var byteCount: UInt64 {
    switch self {
    case .bytes(let bytes): UInt64(bytes.count)
    case .file(let reference): reference.byteCount
    }
  }

  /// Blobs are stored as references are, or as their bytes with a mark.
  public static var valueKind: ValueKind { .blob }
  /// The reference, or the bytes.
  public var storedValue: Value {
    switch self {
    case .bytes(let bytes): .inlineBlob(bytes)
    case .file(let reference): .blob(reference)
    }
  }
  /// Reads either.
  public init?(storedValue: Value) {
    if let bytes = storedValue.inlineBlob {
      self = .bytes(bytes)
    } else if let reference = storedValue.blob {
      self = .file(reference)
    } else {
      return nil
    }
  }
}

extension Field {
  /// Makes a field of a blob that is kept in the record while it has fewer bytes than `inlineBelow`,
  /// at most 512 KiB. The threshold may change: what is written later goes by it.
  public static func field(
    _ number: UInt32, _ name: String, _ path: any WritableKeyPath<E, Blob> & Sendable,
    inlineBelow: Int
  ) -> Field<E> {
    Field(
      number, name, path, place: FieldPlace(path), inlineBelow: min(inlineBelow, Value.bytesMax))
  }

  /// Makes a field of a blob or none, as above.
  public static func field(
    _ number: UInt32, _ name: String, _ path: any WritableKeyPath<E, Blob?> & Sendable,
    inlineBelow: Int
  ) -> Field<E> {
    Field(
      number, name, path, place: FieldPlace(path), inlineBelow: min(inlineBelow, Value.bytesMax))
  }
}
