import ReunionCore

/// Twelve bytes by which those who hold a key tell that it is meant, and nobody else tells anything: four of
/// chance, and eight that the key makes of them and of the quarter of an hour.
///
/// Two beacons of one key look to others like two of two keys. Source: HMAC, RFC 2104.
package struct Beacon: Hashable, Sendable {
  package static let byteCount = nonceBytes + codeBytes
  private static let nonceBytes = 4
  private static let codeBytes = 8
  /// How long one lasts, in milliseconds: as long as a private address of the radio.
  package static let epochMilliseconds: UInt64 = 15 * 60 * 1000

  /// What goes over the air.
  package let bytes: [UInt8]

  /// Makes the beacon of a key for a moment of the day, in milliseconds since 1970.
  package init(
    key: [UInt8], at wallMilliseconds: UInt64, using random: inout some RandomNumberGenerator
  ) {
    let nonce = (0..<Self.nonceBytes).map { _ in UInt8.random(in: 0...255, using: &random) }
    bytes = nonce + Self.code(nonce, wallMilliseconds / Self.epochMilliseconds, key)
  }

  /// Takes what came over the air; nil for any other number of bytes.
  package init?(bytes: [UInt8]) {
    guard bytes.count == Self.byteCount else { return nil }
    self.bytes = bytes
  }

  /// Whether a key made it in the present quarter of an hour, or the one before or after: clocks differ.
  package func isOf(_ key: [UInt8], at wallMilliseconds: UInt64) -> Bool {
    let (nonce, code) = (Array(bytes.prefix(Self.nonceBytes)), bytes.dropFirst(Self.nonceBytes))
    let now = wallMilliseconds / Self.epochMilliseconds
    return (max(now, 1) - 1...now + 1).contains { code.elementsEqual(Self.code(nonce, $0, key)) }
  }

  private static func code(_ nonce: [UInt8], _ epoch: UInt64, _ key: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    writer.bytes(nonce)
    writer.integer(epoch)
    return Array(HMAC.code(of: writer.bytes, key: key).prefix(codeBytes))
  }
}
