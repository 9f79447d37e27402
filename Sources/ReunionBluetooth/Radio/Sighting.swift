/// One advertisement of a device that a scan has heard.
///
/// ```swift
/// let apple: [UInt8] = [0x4C, 0x00]                  // companies are little-endian
/// func isNearBeacon(_ sighting: Sighting) -> Bool {
///   sighting.manufacturerData.starts(with: apple) && sighting.signalStrength > -55
/// }
/// ```
///
/// All of it is what the device says, or somebody who takes its place: nothing here proves who it
/// is.
public struct Sighting: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The name that it gives itself; anybody can give themselves any name.
  public var name: String?
  /// The strength of the signal in dBm: about -30 beside it, -100 at the edge of its range.
  public var signalStrength: Int
  /// The services that it advertises. Of a device that BlueZ knows, they may be all that it has.
  public var services: [BluetoothID]
  /// The manufacturer's data, with the two bytes of the company first; empty without any. Of a
  /// device that tells those of several companies, the data of the company with the lowest number.
  public var manufacturerData: [UInt8]
  /// The data of services, such as a beacon.
  public var serviceData: [BluetoothID: [UInt8]]

  /// Makes a sighting, as a radio does, or a test.
  public init(
    device: DeviceID, name: String? = nil, signalStrength: Int = -60, services: [BluetoothID] = [],
    manufacturerData: [UInt8] = [], serviceData: [BluetoothID: [UInt8]] = [:]
  ) {
    self.device = device
    self.name = name
    self.signalStrength = signalStrength
    self.services = services
    self.manufacturerData = manufacturerData
    self.serviceData = serviceData
  }
}

/// What a device tells everybody around, about once a second. Whoever listens can read it.
///
/// ```swift
/// let weather = BluetoothID(assigned: 0x181A)
/// let bluetooth = try Bluetooth(radio: BlueZRadio(), folder: "app-data/bluetooth")
/// try bluetooth.advertise(Advertisement(services: [weather], name: "Summit station"))
/// ```
///
/// Services and the manufacturer's data have 28 bytes in all. An assigned service takes 2 of them,
/// and one of the app's own 16. Each of these two kinds takes 2 more, and so does the
/// manufacturer's data.
public struct Advertisement: Hashable, Sendable {
  /// Its services.
  public var services: [BluetoothID]
  /// Its name, if it gives one. A device of a person should give none: it tells where they are.
  public var name: String?
  /// The manufacturer's data, with the two bytes of the company first. BlueZ takes none of fewer
  /// than two.
  public var manufacturerData: [UInt8]
  /// The data of services. A radio tells it to those that ask (in the scan response), where there
  /// is room for 13 bytes of one service.
  public var serviceData: [BluetoothID: [UInt8]]

  /// Makes an advertisement.
  public init(
    services: [BluetoothID], name: String? = nil, manufacturerData: [UInt8] = [],
    serviceData: [BluetoothID: [UInt8]] = [:]
  ) {
    self.services = services
    self.name = name
    self.manufacturerData = manufacturerData
    self.serviceData = serviceData
  }
}

extension Advertisement {
  /// The bytes that a radio tells everybody: Bluetooth 5.4, Vol 6, Part B, 2.3.1.
  static let firstPartBytesMax = 31
  /// Of them, those that say that a device can be found.
  static let flagByteCount = 3

  /// What must be told to everybody: flags, services, and the manufacturer's data.
  var firstPartByteCount: Int {
    // Services whose names have one width come together, after two bytes of their length and kind.
    let widths = Set(services.map(\.advertisedByteCount))
    let names = services.map(\.advertisedByteCount).reduce(2 * widths.count, +)
    let maker = manufacturerData.isEmpty ? 0 : 2 + manufacturerData.count
    return Self.flagByteCount + names + maker
  }
}

extension BluetoothID {
  /// The bytes of a name in an advertisement: assigned ones are short.
  var advertisedByteCount: Int {
    guard self == BluetoothID(assigned: UInt32(high >> 32)) else { return 16 }
    return high >> 32 <= 0xFFFF ? 2 : 4
  }
}
