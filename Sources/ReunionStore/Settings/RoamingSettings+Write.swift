/// Writes of one setting; several together go by `write(_:)`, which is one commit and one sync.
extension RoamingSettings {
  /// Sets a setting, as `SettingsTransaction.set(_:to:)`.
  ///
  /// ```swift
  /// let settings = try RoamingSettings(store, account: space)
  /// let best = SettingKey("best score", default: 0, merge: .max)
  /// try settings.set(best, to: 70)
  /// try settings.set(best, to: 50)
  /// print(try settings.value(of: best))
  /// ```
  /// - Throws: `wrongType`, `overQuota`, `invalidKey`; else as `Store.write(in:_:)`. It prints 70:
  ///   by the rule `max` a smaller value changes nothing.
  public func set<Value>(_ key: SettingKey<Value>, to value: Value) throws {
    try write { try $0.set(key, to: value) }
  }

  /// Adds to a counter, as `SettingsTransaction.add`.
  public func add(_ amount: Int, to key: SettingKey<Int>) throws {
    try write { try $0.add(amount, to: key) }
  }

  /// Inserts an element into a set, as `SettingsTransaction.insert`.
  public func insert<Element>(_ element: Element, into key: SettingKey<Set<Element>>) throws {
    try write { try $0.insert(element, into: key) }
  }

  /// Removes an element from a set, as `SettingsTransaction.remove`.
  public func remove<Element>(_ element: Element, from key: SettingKey<Set<Element>>) throws {
    try write { try $0.remove(element, from: key) }
  }

  /// Makes a setting its default again, as `SettingsTransaction.remove`.
  public func remove<Value>(_ key: SettingKey<Value>) throws {
    try write { try $0.remove(key) }
  }
}
