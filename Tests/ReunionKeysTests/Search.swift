import Foundation

/// Looks for keys in a program as bots do: in plain text, hex, base64, and under a one-byte XOR.
///
/// Windows of eight bytes are indexed by what they share in a guise: the bytes themselves, and the
/// XOR of each with the one before it, which no one-byte XOR changes.
struct Search {
  private let bytes: [UInt8]
  private let plain: Set<UInt64>
  private let steps: Set<UInt64>

  init(_ data: Data) {
    bytes = Array(data)
    plain = Self.windows(bytes)
    steps = Self.windows(Self.steps(bytes), length: 7)
  }

  /// In what guise the key is in the program, or nil.
  func guise(of key: [UInt8]) -> String? {
    if holds(key) { return "plain text" }
    for digits in ["0123456789abcdef", "0123456789ABCDEF"] {
      let digits = Array(digits.utf8)
      if holds(key.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }) { return "hex" }
    }
    // Base64 of a key differs by where in a group of three it begins; its ends depend on what is
    // beside it, and are left out.
    for shift in 0..<3 {
      let text = Array((Data(repeating: 0, count: shift) + Data(key)).base64EncodedString().utf8)
      let inner = Array(text.dropFirst(shift == 0 ? 0 : 4).dropLast(4))
      if inner.count >= 8, holds(inner) { return "base64" }
      let forURL = inner.map { $0 == 43 ? 45 : $0 == 47 ? 95 : $0 }
      if inner.count >= 8, holds(forURL) { return "base64" }
    }
    guard let window = Self.windows(Self.steps(Array(key.prefix(8))), length: 7).first,
      steps.contains(window)
    else { return nil }
    return "one-byte XOR"
  }

  private func holds(_ needle: [UInt8]) -> Bool {
    guard let window = Self.windows(Array(needle.prefix(8))).first, plain.contains(window) else {
      return false
    }
    // Eight digits of a pad are those of some key by chance, once in ten builds: sixteen are not.
    return Data(bytes).range(of: Data(needle.prefix(16))) != nil
  }

  private static func steps(_ bytes: [UInt8]) -> [UInt8] {
    zip(bytes, bytes.dropFirst()).map { $0 ^ $1 }
  }

  private static func windows(_ bytes: [UInt8], length: Int = 8) -> Set<UInt64> {
    guard bytes.count >= length else { return [] }
    let mask: UInt64 = length == 8 ? .max : (1 << UInt64(8 * length)) - 1
    var (windows, window) = (Set<UInt64>(), UInt64(0))
    windows.reserveCapacity(bytes.count)
    for (at, byte) in bytes.enumerated() {
      window = (window << 8 | UInt64(byte)) & mask
      if at >= length - 1 { windows.insert(window) }
    }
    return windows
  }
}
