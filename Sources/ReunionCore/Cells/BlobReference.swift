/// The name of a blob: the SHA-256 of its bytes.
public struct BlobHash: Hashable, Comparable, Sendable {
  /// Thirty-two bytes.
  public let bytes: [UInt8]

  /// Takes exactly thirty-two bytes, otherwise nil.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  /// The name of these bytes.
  public init(of content: [UInt8]) {
    var hash = SHA256()
    hash.update(content)
    bytes = hash.finish()
  }

  /// Whether the left one comes first.
  public static func < (left: BlobHash, right: BlobHash) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}

/// A blob that a field names: its hash, and its size in bytes.
public struct BlobReference: Hashable, Sendable {
  /// The SHA-256 of the bytes.
  public let hash: BlobHash
  /// How many bytes it has.
  public let byteCount: UInt64

  /// Makes a reference.
  public init(hash: BlobHash, byteCount: UInt64) {
    self.hash = hash
    self.byteCount = byteCount
  }
}

#if !hasFeature(Embedded)
  extension BlobHash: CustomStringConvertible {
    /// Sixty-four hexadecimal digits, as `sha256sum` prints them.
    public var description: String { Hexadecimal.text(bytes) }

    /// Takes exactly sixty-four hexadecimal digits, otherwise nil.
    public init?(_ text: String) {
      guard let bytes = Hexadecimal.bytes(text) else { return nil }
      self.init(bytes: bytes)
    }
  }
#endif
