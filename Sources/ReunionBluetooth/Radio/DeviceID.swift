/// What a radio of this machine calls a device that it has seen: an object of BlueZ, an identifier
/// of CoreBluetooth.
///
/// It says nothing to other machines, and a device that changes its address may get another one. A
/// handshake says who the device is (`PeerID`).
public struct DeviceID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The radio's own text.
  public let text: String

  /// Takes the radio's own text, such as one that an app has kept of a sighting.
  public init(_ text: String) { self.text = text }

  /// The text.
  public var description: String { text }

  /// The order of the texts.
  public static func < (left: DeviceID, right: DeviceID) -> Bool { left.text < right.text }
}
