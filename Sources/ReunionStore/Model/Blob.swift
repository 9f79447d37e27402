public import ReunionCore
import ReunionDisk

/// A field of bytes: a few are kept in the record, many in a file.
///
/// ```swift
/// let bytes = [UInt8](repeating: 7, count: 40_000)
/// try store.write(in: space) { try $0.set(\Photo.thumbnail, of: photo.id, to: Blob(bytes)) }
/// let kept = try store.fetch(Photo.self, photo.id, in: space)
/// if case .file(let reference) = kept?.thumbnail { print("A file of", reference.byteCount) }
/// print(try store.read(kept?.thumbnail)?.count ?? 0)
/// ```
/// The field's threshold decides at each write. Bytes in the record arrive with it on other
/// devices; a file follows, and until then reading throws `blobMissing`. In sets and lists blobs
/// are always in the record, up to 512 KiB.
///
/// Two writes merge as those of any value: the later wins, and the other is kept as a conflict.
/// Bytes are never changed: to edit a picture, write another blob. What nothing names any more is
/// collected (`BlobStore.collect`).
///
/// *Cost*: a write that makes a file holds up other writes for some four syncs. Keep large bytes
/// before the write, with `BlobStore.add` or `BlobStore.adopt`, and set `.file` of what that
/// returns.
public enum Blob: FieldValue, Hashable {
  /// Bytes, at hand. A write puts them into a file where the field's threshold is not over them,
  /// and a fetch gives `.file` then.
  case bytes([UInt8])
  /// A file of the blob store, which may not have arrived here yet. A write takes it as it is, and
  /// does not look for the file.
  case file(BlobReference)

  /// From how many bytes on a field's blob is a file, where the schema does not say: 16 KiB.
  public static let inlineBelow = 16 * 1024

  /// Makes a blob of bytes; the write decides where they are kept. Nothing is written yet.
  public init(_ bytes: [UInt8]) { self = .bytes(bytes) }

  /// How many bytes it has. Of a file it is what the record says, whether the file is here or not.
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
  /// Makes a field of a blob that is kept in the record while it has fewer bytes than
  /// `inlineBelow`, at most 512 KiB.
  ///
  /// A small threshold keeps records quick to read and to send; a large one has a preview arrive
  /// with its record. It may change: what is written later goes by it, and what is there stays
  /// where it is.
  public static func field(
    _ number: UInt32, _ name: String, _ path: any WritableKeyPath<E, Blob> & Sendable,
    inlineBelow: Int
  ) -> Field<E> {
    Field(
      number, name, path, place: FieldPlace(path), inlineBelow: min(inlineBelow, Value.bytesMax))
  }

  /// Makes a field of a blob or none, with the same threshold.
  public static func field(
    _ number: UInt32, _ name: String, _ path: any WritableKeyPath<E, Blob?> & Sendable,
    inlineBelow: Int
  ) -> Field<E> {
    Field(
      number, name, path, place: FieldPlace(path), inlineBelow: min(inlineBelow, Value.bytesMax))
  }
}
