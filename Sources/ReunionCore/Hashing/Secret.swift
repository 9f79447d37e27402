#if !hasFeature(Embedded)
  /// Random secrets as text, and the hashes that are stored of them.
  package enum Secret {
    package static let alphabet = Array(
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

    /// A secret of `byteCount` random bytes, in base64url without padding (RFC 4648 §5).
    package static func make(byteCount: Int) -> String {
      var random = SystemRandomNumberGenerator()
      return text((0..<byteCount).map { _ in UInt8.random(in: 0...255, using: &random) })
    }

    /// Bytes as such a text.
    package static func text(_ bytes: [UInt8]) -> String {
      var text: [UInt8] = []
      var bits: UInt32 = 0
      var bitCount = 0
      for byte in bytes {
        bits = bits << 8 | UInt32(byte)
        bitCount += 8
        while bitCount >= 6 {
          bitCount -= 6
          text.append(alphabet[Int(bits >> UInt32(bitCount) & 63)])
        }
      }
      if bitCount > 0 { text.append(alphabet[Int(bits << UInt32(6 - bitCount) & 63)]) }
      return String(decoding: text, as: UTF8.self)
    }

    /// What is stored of a secret.
    package static func hash(_ secret: String) -> [UInt8] { SHA256.hash(Array(secret.utf8)) }

    /// Compares two hashes in a time that does not tell where they differ.
    package static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
      guard left.count == right.count else { return false }
      return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
  }
#endif
