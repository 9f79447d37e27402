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
