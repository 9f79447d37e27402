/// One direction of a session: seals what is said on each stream, in order.
///
/// Each stream counts its own nonces, since pieces of several streams are mixed on the way; the stream
/// is the nonce's first byte, so that none is ever used twice with a key.
struct SessionCipher {
  private let key: [UInt8]
  private var counts = [UInt64](repeating: 0, count: Frame.streamCount)
  private let seededBugs: Set<SeededBug>

  init(key: [UInt8], seededBugs: Set<SeededBug> = []) {
    self.key = key
    self.seededBugs = seededBugs
  }

  /// Seals the next bytes of a stream.
  mutating func seal(_ bytes: [UInt8], stream: Int) throws(SecrecyError) -> [UInt8] {
    try Cipher.seal(bytes, key: key, nonce: nextNonce(stream))
  }

  /// Opens the next bytes of a stream; what was opened once is refused.
  mutating func open(_ sealed: [UInt8], stream: Int) throws(SecrecyError) -> [UInt8] {
    try Cipher.open(sealed, key: key, nonce: nextNonce(stream))
  }

  private mutating func nextNonce(_ stream: Int) -> UInt64 {
    defer { if !seededBugs.contains(.nonceUsedTwice) { counts[stream] += 1 } }
    return UInt64(stream) << 56 | counts[stream]
  }
}
