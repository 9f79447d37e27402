public import FoundationEssentials
public import ReunionCore

/// A link by which one more device becomes a person's.
///
/// Whoever opens it first has all that the person has. Show it to nobody else.
public struct PairingLink: Hashable, Sendable {
  /// The link, for a QR code: `http://host:port/#pair=SECRET`.
  public let url: String
  /// When it opens nothing any more: ten minutes after it was made.
  public let expires: Date
}

/// What a device has, once it was paired.
public struct Pairing: Hashable, Sendable {
  /// The spaces in which it has a role now, own ones last.
  public let spaces: [SpaceID]
}

/// One of a person's devices.
public struct OwnDevice: Hashable, Sendable {
  /// The number under which it writes.
  public let number: UInt64
  /// What the person calls it; empty if nobody has named it.
  public let name: String
  /// Whether it is a replica, and no browser.
  public let isReplica: Bool
  /// Whether it is the device that asks.
  public let isThisOne: Bool
  /// When it became the person's.
  public let since: Date
}
