/// Authentication codes over SHA-256. Source: RFC 2104.
public enum HMAC {
  private static let blockBytes = 64

  /// The thirty-two bytes that only who has the key can make of a message.
  public static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    var block = key.count > blockBytes ? SHA256.hash(key) : key
    block += [UInt8](repeating: 0, count: blockBytes - block.count)
    var inner = SHA256()
    inner.update(block.map { $0 ^ 0x36 })
    inner.update(message)
    return SHA256.hash(block.map { $0 ^ 0x5c } + inner.finish())
  }
}
