/// Where something that this device wrote is by now, beside on this device.
///
/// ```swift
/// let receipt = try replica.receipt(in: space)
/// try await receipt.reached(.server)
/// print(receipt.reach.value.deviceCount, "more devices have it.")
/// ```
///
/// It counts what is on a disk, photos included. Browsers do not count: they may forget at any time.
public struct Reach: Hashable, Sendable {
  /// Whether the server has it on its disk.
  public var isOnServer: Bool
  /// How many other devices have it on their disks: full copies of whoever may edit.
  public var deviceCount: Int

  /// On this device alone.
  public static let here = Reach(isOnServer: false, deviceCount: 0)

  /// Makes a reach.
  public init(isOnServer: Bool, deviceCount: Int) {
    self.isOnServer = isOnServer
    self.deviceCount = deviceCount
  }

  /// Whether two full copies beside this one have it, the server's or a device's: then one that is lost takes
  /// nothing with it.
  public var isSafe: Bool { deviceCount + (isOnServer ? 1 : 0) >= 2 }

  /// How far something is to come.
  public enum Goal: Hashable, Sendable {
    /// To the disk of the server.
    case server
    /// To the disks of that many other devices.
    case devices(Int)
    /// To two full copies beside this one.
    case safe
  }

  /// Whether it has come that far.
  public func has(reached goal: Goal) -> Bool {
    switch goal {
    case .server: isOnServer
    case .devices(let count): deviceCount >= count
    case .safe: isSafe
    }
  }
}
