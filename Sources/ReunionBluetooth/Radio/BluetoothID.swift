/// The name of a service or a characteristic: 128 bits, as the Bluetooth specification has them.
///
/// ```swift
/// let heartRate = BluetoothID(assigned: 0x180D)
/// print(heartRate)                                // 0000180d-0000-1000-8000-00805f9b34fb
/// print(BluetoothID("180D") == heartRate)         // true
/// ```
public struct BluetoothID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The first eight bytes, as a big-endian number.
  public let high: UInt64
  /// The last eight bytes, as a big-endian number.
  public let low: UInt64

  /// Makes the name of these sixteen bytes.
  public init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Makes the name of a number that the Bluetooth SIG has assigned, such as 0x180D for a heart
  /// rate. An app's own services have 128 random bits instead.
  public init(assigned number: UInt32) {
    self.init(high: UInt64(number) << 32 | 0x1000, low: 0x8000_0080_5F9B_34FB)
  }

  /// Makes the name of a text such as "180D" or "0000180d-0000-1000-8000-00805f9b34fb", in large or
  /// small letters; nil for any other. A text of at most eight digits is an assigned number.
  public init?(_ text: String) {
    if text.utf8.count <= 8, let number = UInt32(text, radix: 16) {
      self.init(assigned: number)
      return
    }
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.map(\.utf8.count) == [8, 4, 4, 4, 12],
      let high = UInt64(parts[0..<3].joined(), radix: 16),
      let low = UInt64(parts[3...].joined(), radix: 16)
    else { return nil }
    self.init(high: high, low: low)
  }

  /// The order of the bytes.
  public static func < (left: BluetoothID, right: BluetoothID) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }

  /// The five groups of hexadecimal digits, in small letters.
  public var description: String {
    func digits(_ value: UInt64, _ count: Int) -> String {
      let text = String(value, radix: 16)
      return String(repeating: "0", count: max(0, count - text.count)) + text
    }
    return [
      digits(high >> 32, 8), digits(high >> 16 & 0xFFFF, 4), digits(high & 0xFFFF, 4),
      digits(low >> 48, 4), digits(low & 0xFFFF_FFFF_FFFF, 12),
    ].joined(separator: "-")
  }
}
