package import ReunionCore

/// A setting of whatever type stands there, for tools and façades that have no key for it.
package struct AnySetting: FieldValue {
  package let storedValue: Value

  package init(storedValue: Value) { self.storedValue = storedValue }

  package static var valueKind: ValueKind { .null }
  package static var isOptional: Bool { true }

  /// The key of a name, by the rule `latest`.
  package static func key(_ name: String) -> SettingKey<AnySetting> {
    SettingKey(name, default: AnySetting(storedValue: .null))
  }
}
