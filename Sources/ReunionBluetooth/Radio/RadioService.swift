/// A service of a device, with its characteristics.
public struct RadioService: Hashable, Sendable {
  /// One value of a service, and what may be done with it.
  public struct Characteristic: Hashable, Sendable {
    /// Its name.
    public var id: BluetoothID
    /// What may be done with it.
    public var uses: Uses
    /// What those read who may read it: of a service of this side, and of others nothing.
    public var value: [UInt8]

    /// Makes a characteristic.
    public init(_ id: BluetoothID, _ uses: Uses, value: [UInt8] = []) {
      self.id = id
      self.uses = uses
      self.value = value
    }
  }

  /// What may be done with a characteristic.
  public struct Uses: OptionSet, Hashable, Sendable {
    /// One bit for each use.
    public let rawValue: UInt8
    /// Takes the bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Its value may be read.
    public static let read = Uses(rawValue: 1)
    /// It may be written, and answers.
    public static let write = Uses(rawValue: 2)
    /// It may be written without an answer, which is faster.
    public static let writeWithoutResponse = Uses(rawValue: 4)
    /// It tells those who subscribe of new values.
    public static let notify = Uses(rawValue: 8)
  }

  /// Its name.
  public var id: BluetoothID
  /// Its characteristics.
  public var characteristics: [Characteristic]

  /// Makes a service.
  public init(_ id: BluetoothID, _ characteristics: [Characteristic]) {
    self.id = id
    self.characteristics = characteristics
  }
}
