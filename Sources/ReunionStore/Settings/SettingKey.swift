/// The name of a setting, its type, what it is while nobody has set it, and how writes of devices
/// that are apart come together.
///
/// ```swift
/// enum Theme: String, FieldValue { case light, dark }
/// let theme = SettingKey("theme", default: Theme.light)
/// let launches = SettingKey("launches", default: 0, merge: .counter)
/// let favourites = SettingKey("favourites", default: Set<String>(), merge: .union)
/// print(theme.name, launches.defaultValue, favourites.name)
/// ```
/// Every app that uses a name must give it the same type and rule: where another one was written,
/// reads and writes throw `wrongType`, and nothing is lost. A default may differ, since it is never
/// written.
public struct SettingKey<Value: FieldValue>: Sendable {
  /// The name, from 1 byte of UTF-8 on and of at most 255, or what `SettingsLimits.keyBytesMax`
  /// says. It is compared byte by byte, and permanent.
  public let name: String
  /// What the setting is while it is not set. It is never written, so that it may be another in the
  /// next version of an app.
  public let defaultValue: Value
  /// How writes come together.
  public let rule: MergeRule<Value>

  /// Makes a key. Nothing is checked or written: a key is a description.
  ///
  /// - Parameters:
  ///   - name: the setting's name, the same in all apps.
  ///   - defaultValue: what it is while nobody has set it.
  ///   - rule: how writes of devices that are apart come together.
  public init(_ name: String, default defaultValue: Value, merge rule: MergeRule<Value>) {
    self.name = name
    self.defaultValue = defaultValue
    self.rule = rule
  }

  /// Makes a key whose latest write wins.
  public init(_ name: String, default defaultValue: Value) {
    self.init(name, default: defaultValue, merge: .latest)
  }
}
