/// A service of a device, with its characteristics.
///
/// ```swift
/// let (service, level) = (BluetoothID(assigned: 0x180F), BluetoothID(assigned: 0x2A19))
/// let battery = RadioService(service, [.init(level, [.read, .notify], value: [87])])
/// let radio = BlueZRadio()
/// radio.start { [weak radio] event in
///   if case .state(.on) = event { radio?.serve([battery]) }
/// }
/// ```
public struct RadioService: Hashable, Sendable {
  /// One value of a service, and what may be done with it.
  public struct Characteristic: Hashable, Sendable {
    /// Its name.
    public var id: BluetoothID
    /// What may be done with it.
    public var uses: Uses
    /// What those read who may read it, of a service of this side; to change it, `Radio.serve`
    /// again. A service that was discovered has nothing here: `Radio.read` asks for it.
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
