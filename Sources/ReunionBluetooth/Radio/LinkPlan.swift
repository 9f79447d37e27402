/// What a link is for.
///
/// ```swift
/// let (heartRate, measurement) = (BluetoothID(assigned: 0x180D), BluetoothID(assigned: 0x2A37))
/// let plan = LinkPlan(service: heartRate, subscriptions: [measurement])
/// let bluetooth = try Bluetooth(radio: BlueZRadio(), folder: "app-data/bluetooth")
/// let device = DeviceID("/org/bluez/hci0/dev_D4_3A_2C_11_09_F2")      // of a sighting
/// let strap = bluetooth.keepConnected(device, for: plan)
/// for try await value in strap.values.values() where value.bytes.count > 1 {
///   print("\(value.bytes[1]) beats a minute")
/// }
/// ```
///
/// It says nothing of what may be read or written: that is what the device has.
public struct LinkPlan: Hashable, Sendable {
  /// The service by which the device is found again when the system has forgotten it. A device that
  /// does not advertise it is then not found.
  public var service: BluetoothID
  /// The characteristics of whose new values the program wants to be told. A link whose device
  /// lacks one of them is never `ready`: it begins again and again.
  public var subscriptions: [BluetoothID]

  /// Makes a plan; without subscriptions, for a link that reads and writes only.
  public init(service: BluetoothID, subscriptions: [BluetoothID] = []) {
    self.service = service
    self.subscriptions = subscriptions
  }
}
