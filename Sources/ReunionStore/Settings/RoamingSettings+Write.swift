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
  /// It prints 70: by the rule `max` a smaller value changes nothing.
  /// - Throws: `wrongType`, `overQuota`, `invalidKey`; else as `Store.write(in:_:)`.
  public func set<Value>(_ key: SettingKey<Value>, to value: Value) throws {
    try write { try $0.set(key, to: value) }
  }

  /// Adds to a counter, as `SettingsTransaction.add(_:to:)`.
  ///
  /// - Throws: `wrongType` for a key of another rule than `counter`, `overQuota`, `invalidKey`;
  ///   else as `Store.write(in:_:)`.
  public func add(_ amount: Int, to key: SettingKey<Int>) throws {
    try write { try $0.add(amount, to: key) }
  }

  /// Inserts an element into a set, as `SettingsTransaction.insert(_:into:)`.
  ///
  /// - Throws: as `set(_:to:)`.
  public func insert<Element>(_ element: Element, into key: SettingKey<Set<Element>>) throws {
    try write { try $0.insert(element, into: key) }
  }

  /// Removes an element from a set, as `SettingsTransaction.remove(_:from:)`.
  ///
  /// - Throws: as `set(_:to:)`.
  public func remove<Element>(_ element: Element, from key: SettingKey<Set<Element>>) throws {
    try write { try $0.remove(element, from: key) }
  }

  /// Makes a setting its default again, as `SettingsTransaction.remove(_:)`.
  ///
  /// - Throws: `wrongType` also for a rule that only grows; else as `set(_:to:)`.
  public func remove<Value>(_ key: SettingKey<Value>) throws {
    try write { try $0.remove(key) }
  }
}
