/// The numbers of a limit that was met, in what it counts: bytes or keys.
///
/// ```swift
/// let settings = try replica.settings(of: space)
/// do {
///   try settings.set(SettingKey("notes", default: ""), to: String(repeating: "a", count: 2 << 20))
/// } catch let error as StoreError {
///   if let quota = error.quota { print("\(quota.used) of \(quota.allowed)") }
/// }
/// ```
public struct StoreQuota: Hashable, Sendable {
  /// How many there would be: nothing was written, so that there are fewer.
  public let used: Int
  /// How many there may be.
  public let allowed: Int

  /// Makes the numbers of a limit.
  public init(used: Int, allowed: Int) {
    self.used = used
    self.allowed = allowed
  }
}
