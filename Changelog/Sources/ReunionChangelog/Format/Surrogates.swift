/// JSON writes letters beyond the first 65,536 as two halves, which YAML knows not.
enum Surrogates {
  /// The bytes with each `\uD83D\uDE00` as the letter that it is.
  static func joined(_ bytes: [UInt8]) -> [UInt8] {
    guard bytes.contains(0x5c) else { return bytes }
    var joined: [UInt8] = []
    joined.reserveCapacity(bytes.count)
    var at = 0
    while at < bytes.count {
      guard bytes[at] == 0x5c, at + 1 < bytes.count else {
        joined.append(bytes[at])
        at += 1
        continue
      }
      if let high = unit(bytes, at), (0xd800...0xdbff).contains(high),
        let low = unit(bytes, at + 6),
        (0xdc00...0xdfff).contains(low),
        let letter = UnicodeScalar(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))
      {
        joined += Array(String(Character(letter)).utf8)
        at += 12
      } else {
        joined += bytes[at...at + 1]
        at += 2
      }
    }
    return joined
  }

  /// The number of a `\u1234` at an index.
  private static func unit(_ bytes: [UInt8], _ at: Int) -> UInt32? {
    guard at + 6 <= bytes.count, bytes[at] == 0x5c, bytes[at + 1] == 0x75 else { return nil }
    let digits = bytes[(at + 2)..<(at + 6)]
    guard digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }) else { return nil }
    return UInt32(digits.text, radix: 16)
  }
}
