/// Why something with Bluetooth could not be done.
public struct BluetoothError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What kind of error it is; new kinds may be added.
  public struct Code: Hashable, Sendable, RawRepresentable {
    /// The name of the code.
    public let rawValue: String
    /// Takes a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The device is not connected.
    public static let notConnected = Code(rawValue: "notConnected")
    /// The device refused what was asked of it.
    public static let refused = Code(rawValue: "refused")
    /// Something is longer than may be.
    public static let tooLarge = Code(rawValue: "tooLarge")
    /// Nobody was found.
    public static let notFound = Code(rawValue: "notFound")
    /// The peer was unpaired.
    public static let unpaired = Code(rawValue: "unpaired")
    /// Another program uses the folder.
    public static let inUse = Code(rawValue: "inUse")
    /// The `Bluetooth` that was asked was released.
    public static let closed = Code(rawValue: "closed")
    /// The disk could not be read or written.
    public static let disk = Code(rawValue: "disk")
  }

  /// The kind of error.
  public let code: Code
  /// One sentence that names the remedy.
  public let description: String

  /// Makes an error.
  public init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}

extension BluetoothError {
  /// What they hear who wait for a device when its connection ends.
  static let outOfReach = BluetoothError(
    .notConnected, "The device is out of reach. Wait until it is back.")
  /// What they hear who wait when all of it is released.
  static let released = BluetoothError(
    .closed, "Bluetooth is not used any more. Keep its object, and ask again.")
}
