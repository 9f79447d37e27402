/// The name of a blob: the SHA-256 of its bytes.
///
/// ```swift
/// let hash = BlobHash(of: [UInt8]("hello".utf8))
/// print(hash)                                  // 2cf24dba…, as sha256sum prints it
/// print(try replica.blobs.contains(hash))      // whether these bytes are here
/// ```
///
/// Equal bytes have one name, on every device and in every space; other bytes never have it. So a
/// blob that arrives can be checked by its name alone, and is kept once.
public struct BlobHash: Hashable, Comparable, Sendable {
  /// Thirty-two bytes.
  public let bytes: [UInt8]

  /// Takes exactly thirty-two bytes, otherwise nil. Whether any blob has that name is not asked.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  /// The name of these bytes. Nothing is kept: that is `BlobStore.add`, which gives the name as
  /// well.
  ///
  /// *Cost*: reads all of them; for a large file `BlobStore.adopt(file:)` does it piece by piece.
  public init(of content: [UInt8]) {
    var hash = SHA256()
    hash.update(content)
    bytes = hash.finish()
  }

  /// Whether the left one comes first, byte by byte.
  public static func < (left: BlobHash, right: BlobHash) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}

/// A blob that a field names: its hash, and its size in bytes.
///
/// ```swift
/// let reference = try replica.blobs.add([UInt8](repeating: 7, count: 40_000), in: space)
/// try await replica.write(in: space) {
///   try $0.set(\Photo.thumbnail, of: photo.id, to: .file(reference))
/// }
/// print(reference.hash, reference.byteCount)
/// ```
///
/// It names bytes that may not have arrived yet: the record comes first, its files follow.
public struct BlobReference: Hashable, Sendable {
  /// The SHA-256 of the bytes.
  public let hash: BlobHash
  /// How many bytes it has.
  public let byteCount: UInt64

  /// Makes a reference to bytes whose hash and size are known, for example from another program.
  ///
  /// Nothing is checked here. A device that fetches takes no blob that is longer than its records
  /// say, and none of another hash. So a wrong reference names a blob that never arrives.
  public init(hash: BlobHash, byteCount: UInt64) {
    self.hash = hash
    self.byteCount = byteCount
  }
}

#if !hasFeature(Embedded)
  extension BlobHash: CustomStringConvertible {
    /// Sixty-four hexadecimal digits, as `sha256sum` prints them.
    public var description: String { Hexadecimal.text(bytes) }

    /// Takes exactly sixty-four hexadecimal digits in either case, otherwise nil.
    public init?(_ text: String) {
      guard let bytes = Hexadecimal.bytes(text) else { return nil }
      self.init(bytes: bytes)
    }
  }
#endif
