public import Foundation
import ReunionCore
import ReunionStore

/// Reading and writing by type. A number reads as any number or truth value, as with Apple's; what
/// is of another type reads as nil, 0 or false.
///
/// ```swift
/// let store = try replica.settings(of: replica.ownSpace()).keyValueStore()
/// store.set(["north", "south"], forKey: "walks")
/// store.set(Int64(7), forKey: "level")
/// print(store.array(forKey: "walks")?.count ?? 0, store.bool(forKey: "level"))
/// ```
///
/// Nothing here throws. A key without a name, a value that is too large and a full disk are told by
/// `errors`, and the old value stays.
extension KeyValueStore {
  /// The value of a key: `Bool`, `Int64`, `Double`, `String`, `Data`, `Date`, an array or a
  /// dictionary.
  ///
  /// It has the type with which it was written, on whichever device: a whole number that was set as
  /// a `Double` is a `Double`. Dates are exact to a millisecond.
  public func object(forKey key: String) -> Any? { stored(key).flatMap(Self.object) }

  /// The text of a key.
  public func string(forKey key: String) -> String? { stored(key)?.text }

  /// The bytes of a key.
  public func data(forKey key: String) -> Data? {
    stored(key).flatMap { $0.kind == .bytes ? Data($0.bytes) : nil }
  }

  /// The array of a key.
  public func array(forKey key: String) -> [Any]? { object(forKey: key) as? [Any] }

  /// The dictionary of a key.
  public func dictionary(forKey key: String) -> [String: Any]? {
    object(forKey: key) as? [String: Any]
  }

  /// The whole number of a key, 0 if there is none. A `Double` loses its fraction, and beyond 64
  /// bits it is the greatest or least number; NaN is 0, and true is 1.
  public func longLong(forKey key: String) -> Int64 {
    guard let value = stored(key) else { return 0 }
    if let double = value.double {
      if double.isNaN { return 0 }
      return Int64(exactly: double.rounded(.towardZero)) ?? (double < 0 ? .min : .max)
    }
    return value.kind == .int ? value.int ?? 0 : value.bool == true ? 1 : 0
  }

  /// The number of a key, 0 if there is none. A whole number over 2⁵³ is rounded.
  public func double(forKey key: String) -> Double {
    stored(key)?.double ?? Double(longLong(forKey: key))
  }

  /// The truth value of a key: whether its number is not 0. The text "true" is no number, and
  /// false.
  public func bool(forKey key: String) -> Bool { double(forKey: key) != 0 }

  /// Sets a text; nil removes the key.
  public func set(_ value: String?, forKey key: String) { store(value.map(Value.text), key) }

  /// Sets bytes; nil removes the key.
  public func set(_ value: Data?, forKey key: String) {
    store(value.map { .bytes([UInt8]($0)) }, key)
  }

  /// Sets an array of property list types; nil removes the key.
  ///
  /// It is one value, kept as a binary property list: of two devices that change it apart, one wins
  /// whole. Other elements are refused, and `errors` says `wrongType`.
  public func set(_ value: [Any]?, forKey key: String) { setList(value, key) }

  /// Sets a dictionary of property list types; nil removes the key. As of an array, one device's
  /// wins whole: give each entry a key of its own where devices write apart.
  public func set(_ value: [String: Any]?, forKey key: String) { setList(value, key) }

  /// Sets a whole number.
  public func set(_ value: Int64, forKey key: String) { store(.int(value), key) }

  /// Sets a number.
  public func set(_ value: Double, forKey key: String) { store(.double(value), key) }

  /// Sets a truth value.
  public func set(_ value: Bool, forKey key: String) { store(.bool(value), key) }

  /// Sets a value of a property list type; nil removes the key. Any other value is refused, and
  /// `errors` says so: `wrongType`. Archive such a value to `Data` first.
  ///
  /// A whole number that does not fit into 64 bits counts as such another value.
  public func set(_ object: Any?, forKey key: String) {
    switch object {
    case nil: store(nil, key)
    case let text as String: set(text, forKey: key)
    case let data as Data: set(data, forKey: key)
    case let date as Date: store(date.storedValue, key)
    case let list as [Any]: set(list, forKey: key)
    case let list as [String: Any]: set(list, forKey: key)
    case let object?:
      if let number = Self.number(object) {
        store(number, key)
      } else {
        refuse(Self.foreign(key))
      }
    }
  }

  /// Removes a key, here and on the other devices of the space. One that is not set stays so, and
  /// nothing is written.
  public func removeObject(forKey key: String) { store(nil, key) }

  // Property lists

  /// A property list in Apple's binary form.
  private static let propertyList = ValueKind(rawValue: 13)

  private func setList(_ list: Any?, _ key: String) {
    guard let list else { return store(nil, key) }
    do {
      guard PropertyListSerialization.propertyList(list, isValidFor: .binary) else {
        throw Self.foreign(key)
      }
      let data = try PropertyListSerialization.data(
        fromPropertyList: list, format: .binary, options: 0)
      store(Value(kind: Self.propertyList, bytes: [UInt8](data)), key)
    } catch {
      refuse(error)
    }
  }

  private static func object(_ value: Value) -> Any? {
    switch value.kind {
    case .bool: value.bool
    case .int: value.int
    case .double: value.double
    case .text: value.text
    case .bytes: Data(value.bytes)
    case .date: Date(storedValue: value)
    case propertyList:
      try? PropertyListSerialization.propertyList(from: Data(value.bytes), format: nil)
    default: nil
    }
  }

  private static func number(_ object: Any) -> Value? {
    if type(of: object) == Bool.self, let bool = object as? Bool { return .bool(bool) }
    if let int = object as? any BinaryInteger { return Int64(exactly: int).map(Value.int) }
    if let double = object as? any BinaryFloatingPoint { return .double(Double(double)) }
    guard let number = object as? NSNumber else { return nil }
    return switch String(cString: number.objCType) {
    case "c", "B": .bool(number.boolValue)
    case "d", "f": .double(number.doubleValue)
    default: .int(number.int64Value)
    }
  }

  private static func foreign(_ key: String) -> StoreError {
    StoreError(
      .wrongType, "The value for \"\(key)\" is not a property list: archive it to Data first.")
  }
}
