/// Why a connection ended, or was never made, in the classes that lead to different answers.
public enum DisconnectReason: Hashable, Sendable, CaseIterable {
  /// This side asked for it.
  case asked
  /// The other side hung up on purpose, or switched itself off.
  case leftOnPurpose
  /// The other side is not heard any more.
  case outOfRange
  /// The connection failed while it was being made; trying again at once helps.
  case notEstablished
  /// The other side has lost the key that it knew this device by.
  case keyLost
  /// The other side does not want this device.
  case refused
  /// The radio has forgotten the device, and must see it again first.
  case unknownDevice
  /// No reason was given.
  case unknown

  /// The class of an error code of the controller (Bluetooth Core 5.4, volume 1, part F). It is
  /// `unknown` for a code that leads to no answer of its own.
  public init(controllerCode: UInt8) {
    switch controllerCode {
    case 0x08, 0x22: self = .outOfRange
    case 0x13, 0x14, 0x15: self = .leftOnPurpose
    case 0x16: self = .asked
    case 0x05, 0x06: self = .keyLost
    case 0x0D, 0x0E, 0x0F: self = .refused
    case 0x3E: self = .notEstablished
    case 0x02: self = .unknownDevice
    default: self = .unknown
    }
  }
}
