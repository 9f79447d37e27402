/// The numbers of a limit that was met, in what it counts: bytes or keys.
public struct StoreQuota: Hashable, Sendable {
  /// How many there would be.
  public let used: Int
  /// How many there may be.
  public let allowed: Int

  /// Makes the numbers of a limit.
  public init(used: Int, allowed: Int) {
    self.used = used
    self.allowed = allowed
  }
}
