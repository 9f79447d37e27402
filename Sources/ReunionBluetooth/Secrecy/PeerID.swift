import ReunionCore

/// The identity of a peer: the public key that its handshake proves (X25519, RFC 7748).
///
/// It is no secret, and no name: an app keeps a name for it. It stays the same as long as the
/// peer's program keeps its folder, whatever address its radio has.
public struct PeerID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The 32 bytes of the key.
  public let bytes: [UInt8]

  /// Takes the 32 bytes of a key; nil for any other number of bytes.
  public init?(bytes: [UInt8]) {
    guard bytes.count == 32 else { return nil }
    self.bytes = bytes
  }

  /// The identity of the holder of a pair of keys.
  init(of pair: KeyPair) { bytes = pair.publicKey }

  /// The key as 64 hexadecimal digits.
  public var description: String { Hexadecimal.text(bytes) }

  /// The order of the bytes.
  public static func < (left: PeerID, right: PeerID) -> Bool {
    left.bytes.lexicographicallyPrecedes(right.bytes)
  }
}
