/// The name of a setting, its type, what it is while nobody has set it, and how writes of devices that
/// are apart come together.
///
/// ```swift
/// let theme = SettingKey("theme", default: Theme.light)
/// let launches = SettingKey("launches", default: 0, merge: .counter)
/// let favourites = SettingKey("favourites", default: Set<String>(), merge: .union)
/// ```
/// Every app that uses a name must give it the same type and rule: where another one was written, reads
/// and writes throw `wrongType`, and nothing is lost.
public struct SettingKey<Value: FieldValue>: Sendable {
  /// The name, at most 255 bytes of UTF-8.
  public let name: String
  /// What the setting is while it is not set. It is never written.
  public let defaultValue: Value
  /// How writes come together.
  public let rule: MergeRule<Value>

  /// Makes a key.
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
