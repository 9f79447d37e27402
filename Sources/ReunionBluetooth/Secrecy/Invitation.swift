import ReunionCore

/// A secret that one person hands to another, such as in a QR code, so that their devices know each
/// other at the first meeting without anybody comparing a code.
///
/// ```swift
/// let bluetooth = try Bluetooth(radio: BlueZRadio(), folder: "app-data/bluetooth")
/// let invitation = Invitation()
/// bluetooth.open(invitation)
/// bluetooth.advertise()
/// print("On the other device: \(invitation)")      // 91c9d769-a69daca8-04185e08-eee3c2e5
/// ```
///
/// It works as often as the device that made it wants; close it when everybody is in. Over the air
/// goes only a proof of it, so that whoever listens does not learn it. Whoever sees the code can
/// come in.
public struct Invitation: Hashable, Sendable, CustomStringConvertible {
  private static let secretBytes = 16
  let secret: [UInt8]

  /// Makes an invitation that nobody can guess: 128 random bits.
  public init() {
    var random = SystemRandomNumberGenerator()
    self.init(using: &random)
  }

  /// Makes an invitation from a caller's randomness, for a simulation: from one seed comes the same
  /// one.
  public init(using random: inout some RandomNumberGenerator) {
    secret = (0..<Self.secretBytes).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  /// Reads the text of an invitation: 32 hexadecimal digits, large or small, with dashes and spaces
  /// anywhere. It is nil for any other text.
  public init?(_ text: String) {
    let digits = text.filter { $0 != "-" && $0 != " " }
    guard let bytes = Hexadecimal.bytes(digits.lowercased()), bytes.count == Self.secretBytes else {
      return nil
    }
    secret = bytes
  }

  /// The invitation as a text for a code, in groups of eight hexadecimal digits. It is the secret:
  /// it does not belong in a log.
  public var description: String {
    let digits = Array(Hexadecimal.text(secret))
    return stride(from: 0, to: digits.count, by: 8)
      .map { String(digits[$0..<min($0 + 8, digits.count)]) }.joined(separator: "-")
  }

  /// What says which invitation is meant, without being it.
  var tag: [UInt8] { Array(HMAC.code(of: Array("tag".utf8), key: secret).prefix(8)) }

  /// What is mixed into the handshake.
  var sharedKey: [UInt8] { HMAC.code(of: Array("key".utf8), key: secret) }
}
