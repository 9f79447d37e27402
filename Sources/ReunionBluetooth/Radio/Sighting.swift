/// One advertisement of a device that a scan has heard.
public struct Sighting: Hashable, Sendable {
  /// The device.
  public var device: DeviceID
  /// The name that it gives itself; anybody can give themselves any name.
  public var name: String?
  /// The strength of the signal in dBm: about -30 beside it, -100 at the edge of its range.
  public var signalStrength: Int
  /// The services that it advertises.
  public var services: [BluetoothID]
  /// The manufacturer's data, with the two bytes of the company first.
  public var manufacturerData: [UInt8]
  /// The data of services, such as a beacon.
  public var serviceData: [BluetoothID: [UInt8]]

  /// Makes a sighting.
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

/// What a device tells everybody around, about once a second.
public struct Advertisement: Hashable, Sendable {
  /// Its services.
  public var services: [BluetoothID]
  /// Its name, if it gives one.
  public var name: String?
  /// The manufacturer's data, with the two bytes of the company first.
  public var manufacturerData: [UInt8]
  /// The data of services. A radio tells it to those that ask (in the scan response), where there is room
  /// for 13 bytes of one service.
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
