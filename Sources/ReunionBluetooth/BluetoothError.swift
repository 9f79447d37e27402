/// Why something with Bluetooth could not be done.
///
/// ```swift
/// func battery(of link: KeptLink) async throws -> UInt8? {
///   do {
///     return try await link.read(BluetoothID(assigned: 0x2A19)).first
///   } catch let error as BluetoothError {
///     if error.code == .notConnected { return nil }   // it comes back by itself
///     throw error
///   }
/// }
/// ```
///
/// That a device is out of range, or the radio off, is no error but a state: of a `KeptLink`, of a
/// `Bluetooth`.
public struct BluetoothError: Error, Sendable, Equatable, CustomStringConvertible {
  /// What kind of error it is; new kinds may be added.
  public struct Code: Hashable, Sendable, RawRepresentable {
    /// The name of the code.
    public let rawValue: String
    /// Takes a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The device is not connected, or was lost before it answered: wait until the link is `ready`,
    /// and ask again.
    public static let notConnected = Code(rawValue: "notConnected")
    /// The device refused what was asked of it, or has no such characteristic: to ask again does
    /// not help.
    public static let refused = Code(rawValue: "refused")
    /// Something is longer than may be: a message over 64 KiB, or an advertisement. Nothing of it
    /// was sent.
    public static let tooLarge = Code(rawValue: "tooLarge")
    /// Nobody was found within the limit of `Bluetooth.meet(by:limit:)`.
    public static let notFound = Code(rawValue: "notFound")
    /// The peer was unpaired, here: meet it again first.
    public static let unpaired = Code(rawValue: "unpaired")
    /// Another program uses the folder, or another `Bluetooth` of this one.
    public static let inUse = Code(rawValue: "inUse")
    /// The `Bluetooth` that was asked was released. A message that it had kept goes on with the
    /// next one.
    public static let closed = Code(rawValue: "closed")
    /// The disk could not be read or written, or a file is damaged.
    public static let disk = Code(rawValue: "disk")
  }

  /// The kind of error.
  public let code: Code
  /// One sentence that names the remedy, for a person; `localizedDescription` is the same.
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
