/// Authentication codes over SHA-256. Source: RFC 2104.
///
/// ```swift
/// func isFromUs(_ message: [UInt8], code: [UInt8], key: [UInt8]) -> Bool {
///   let ours = HMAC.code(of: message, key: key)
///   guard code.count == ours.count else { return false }
///   return zip(code, ours).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0    // looks at every byte
/// }
/// ```
public enum HMAC {
  private static let blockBytes = 64

  /// The thirty-two bytes that only who has the key can make of a message.
  ///
  /// Compare codes as above: `==` on arrays stops at the first byte that differs, and its time
  /// tells a guesser how far they were right. The message itself is not hidden.
  /// - Parameters:
  ///   - message: Any bytes.
  ///   - key: A secret, best of 32 random bytes. One of more than 64 bytes is hashed first, as the
  ///     source says.
  /// - Returns: The code; the first bytes of it alone are a code too, of less strength.
  public static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    var block = key.count > blockBytes ? SHA256.hash(key) : key
    block += [UInt8](repeating: 0, count: blockBytes - block.count)
    var inner = SHA256()
    inner.update(block.map { $0 ^ 0x36 })
    inner.update(message)
    return SHA256.hash(block.map { $0 ^ 0x5c } + inner.finish())
  }
}
