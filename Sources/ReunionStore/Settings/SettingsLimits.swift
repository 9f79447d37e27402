/// What the settings of an account may take up.
///
/// ```swift
/// let small = SettingsLimits(bytesMax: 1 << 20, keysMax: 100, keyBytesMax: 64)
/// let settings = try RoamingSettings(store, account: space, limits: small)
/// print(settings.usage.bytes, "of", settings.limits.bytesMax)
/// ```
/// A write that goes over one throws `overQuota` with the numbers, and changes nothing. Devices
/// that write while they are apart may exceed them together.
public struct SettingsLimits: Hashable, Sendable {
  /// The most bytes of all values together, as they are stored; names do not count.
  public var bytesMax: Int
  /// The most keys.
  public var keysMax: Int
  /// The most bytes of UTF-8 of a key's name.
  public var keyBytesMax: Int

  /// Makes limits of an app's own, as one has that mirrors into another store.
  public init(bytesMax: Int, keysMax: Int, keyBytesMax: Int) {
    self.bytesMax = bytesMax
    self.keysMax = keysMax
    self.keyBytesMax = keyBytesMax
  }

  /// 64 MiB, 65,536 keys, 255 bytes a key.
  public static let standard = SettingsLimits(
    bytesMax: 64 << 20, keysMax: 65_536, keyBytesMax: 255)

  /// What iCloud's key-value store documents, for apps that mirror into it: 1 MiB, 1,024 keys, 64
  /// bytes a key. Source: Apple, NSUbiquitousKeyValueStore.
  public static let iCloud = SettingsLimits(bytesMax: 1 << 20, keysMax: 1024, keyBytesMax: 64)

  /// The most bytes of one value, whatever the limits: 1 MiB. Elements of sets, and values by the
  /// rule `first`, have at most 512 KiB.
  public static let valueBytesMax = 1 << 20
}

/// What the settings of an account take up, of all apps and devices together:
/// `RoamingSettings.usage`.
public struct SettingsUsage: Hashable, Sendable {
  /// The keys that are set.
  public internal(set) var keys = 0
  /// The bytes of their values.
  public internal(set) var bytes = 0
}
