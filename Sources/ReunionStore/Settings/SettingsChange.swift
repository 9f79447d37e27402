/// Why settings changed: what an app may want to treat apart, such as telling a person of what
/// another device did.
public enum SettingsReason: Hashable, Sendable {
  /// This device wrote.
  case localWrite
  /// Another device wrote.
  case otherDevice
  /// The first exchange with another replica of the account is over; what it brought is here.
  case firstSync
  /// Another account's settings are shown.
  case accountChange
  /// A write was refused because there is no room, and nothing of it was kept; or, where no keys
  /// are named, what devices wrote apart takes more room than there is: all of it is kept, and
  /// nothing more may be added. Removing is always possible.
  case overQuota
}

/// A change of settings: which, and why. Read the values themselves from the settings.
public struct SettingsChange: Hashable, Sendable {
  /// The names of the keys whose values are others now; for `overQuota` those whose write was
  /// refused.
  public let keys: Set<String>
  /// Why.
  public let reason: SettingsReason
}

/// A setting's value, and why it became that: what `RoamingSettings.live(_:)` shows.
public struct SettingReading<Value: Sendable>: Sendable {
  /// The value.
  public let value: Value
  /// Why it changed last; nil while it has not since somebody looks.
  public let reason: SettingsReason?
}

extension SettingReading: Equatable where Value: Equatable {}
