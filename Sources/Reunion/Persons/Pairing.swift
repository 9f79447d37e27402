public import FoundationEssentials
public import ReunionCore

/// A link by which one more device becomes a person's.
///
/// ```swift
/// let link = try await replica.pairingLink(called: "Phone")
/// print("Scan this before \(link.expires):", link.url)
/// ```
///
/// Whoever opens it first has all that the person has. Show it to nobody else. It is a value:
/// nothing ends when it is released, and a newer one makes it worthless.
public struct PairingLink: Hashable, Sendable {
  /// The link, for a QR code: `http://host:port/#pair=SECRET`.
  public let url: String
  /// When it opens nothing any more, by the server's clock: ten minutes after it was made.
  public let expires: Date
}

/// What a device has, once it was paired.
///
/// ```swift
/// let pairing = try await replica.pair(by: "http://192.168.1.20:8080/#pair=SECRET")
/// for space in pairing.spaces { try replica.sync(space) }
/// ```
public struct Pairing: Hashable, Sendable {
  /// The spaces in which it has a role now, own ones last. Nothing of them is here before they are
  /// synced; an own space that no device has opened yet is not among them.
  public let spaces: [SpaceID]
}

/// One of a person's devices, as the server knows it.
///
/// ```swift
/// for device in try await replica.ownDevices() where !device.isThisOne {
///   print(device.name.isEmpty ? "A device" : device.name, "since", device.since)
/// }
/// ```
public struct OwnDevice: Hashable, Sendable {
  /// The number under which it writes.
  public let number: UInt64
  /// What the person calls it, one line of at most 64 bytes; empty if nobody has named it.
  public let name: String
  /// Whether it is a replica, and no browser.
  public let isReplica: Bool
  /// Whether it is the device that asks.
  public let isThisOne: Bool
  /// When it became the person's, by the server's clock.
  public let since: Date
}
