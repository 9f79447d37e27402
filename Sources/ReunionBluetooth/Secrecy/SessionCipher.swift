import ReunionCore

/// One direction of a session: seals what is said on each stream, in order.
///
/// Each stream counts its own nonces, since pieces of several streams are mixed on the way; the stream
/// is the nonce's first byte, so that none is ever used twice with a key. After 65,536 pieces a stream goes
/// on under the next key, from which nobody can find the one before. Source of that: Noise §11.3.
struct SessionCipher {
  /// The key of a stream changes after this many of its pieces.
  static let piecesPerKey: UInt64 = 1 << 16
  private let piecesPerKey: UInt64
  private var keys: [[UInt8]]
  private var counts = [UInt64](repeating: 0, count: Frame.streamCount)
  private let seededBugs: SeededBugs

  init(
    key: [UInt8], piecesPerKey: UInt64 = Self.piecesPerKey, seededBugs: SeededBugs = SeededBugs()
  ) {
    keys = Array(repeating: key, count: Frame.streamCount)
    self.piecesPerKey = piecesPerKey
    self.seededBugs = seededBugs
  }

  /// Seals the next bytes of a stream.
  mutating func seal(_ bytes: [UInt8], stream: Int) throws(SecrecyError) -> [UInt8] {
    let nonce = try nextNonce(stream)
    return try Cipher.seal(bytes, key: keys[stream], nonce: nonce)
  }

  /// Opens the next bytes of a stream; what was opened once is refused.
  mutating func open(_ sealed: [UInt8], stream: Int) throws(SecrecyError) -> [UInt8] {
    let nonce = try nextNonce(stream)
    return try Cipher.open(sealed, key: keys[stream], nonce: nonce)
  }

  private mutating func nextNonce(_ stream: Int) throws(SecrecyError) -> UInt64 {
    let count = counts[stream]
    if count > 0, count % piecesPerKey == 0, !seededBugs.keyNeverChanged {
      let zeros = [UInt8](repeating: 0, count: Cipher.keyBytes)
      let next = try Cipher.seal(zeros, key: keys[stream], nonce: .max)
      keys[stream] = Array(next.prefix(Cipher.keyBytes))
    }
    defer { if !seededBugs.nonceUsedTwice { counts[stream] += 1 } }
    return UInt64(stream) << 56 | counts[stream]
  }
}
