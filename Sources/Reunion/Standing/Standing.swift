public import Foundation

/// What of a space is still to go to the server, and who else has it.
public struct Standing: Hashable, Sendable {
  /// A device that keeps a full copy and may edit.
  public struct Device: Hashable, Sendable, Identifiable {
    /// Its number in the space, as `Conflict.device` names it.
    public let id: UInt64
    let heardSeconds: UInt64?
    /// Whether it has all that is on the server, photos included.
    public let hasAll: Bool

    /// When the server heard of it last; nil where this device's role does not tell it that.
    public var lastHeard: Date? {
      heardSeconds.map { Date(timeIntervalSince1970: Double($0)) }
    }
  }

  /// Whether the server says just now what it has.
  public internal(set) var isServerThere = false
  /// How many records this device wrote that are still to go; at most `recordsMax` are counted.
  public internal(set) var recordCount = 0
  /// How many blobs that they name are still to go, as far as the server has said that it lacks them.
  public internal(set) var blobCount = 0
  /// The bytes of both.
  public internal(set) var byteCount: UInt64 = 0
  /// The other devices, the one that was heard last first; at most 64.
  public internal(set) var devices: [Device] = []

  /// The most records that are counted.
  public static let recordsMax = 10_000
}
