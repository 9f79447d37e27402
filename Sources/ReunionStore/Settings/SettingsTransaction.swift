import ReunionCore
import ReunionDisk

/// Settings that are set together: all of them are, or none is, here and on every other device.
///
/// ```swift
/// let settings = try RoamingSettings(store, account: space)
/// let (volume, isMuted) = (SettingKey("volume", default: 7), SettingKey("muted", default: false))
/// try settings.write { transaction in
///   if try transaction.value(of: volume) == 0 { try transaction.set(isMuted, to: true) }
///   try transaction.remove(volume)
/// }
/// ```
/// *Thread*: that of `RoamingSettings.write(_:)`, and only until its closure returns.
///
/// *Errors*: `invalidKey` for a name without a letter, `overQuota` for a name, a value or a sum
/// that is over its limit, `wrongType` as each call says. The sum is checked when the closure has
/// returned.
public struct SettingsTransaction {
  let transaction: WriteTransaction
  let limits: SettingsLimits
  let names: Names

  /// The names of the settings that were written or read.
  final class Names {
    fileprivate(set) var all: Set<String> = []
  }

  /// What a setting is, with what this transaction has done to it.
  ///
  /// - Throws: `wrongType` where it was written with another type or rule.
  public func value<Value>(of key: SettingKey<Value>) throws -> Value {
    try key.value(in: cells(key.name))
  }

  /// Sets a setting, as far as its rule allows: with `max` a smaller value changes nothing, with
  /// `first` a later one. By `latest`, a value that it has already is not written again.
  ///
  /// - Throws: `wrongType` where it was written with another type or rule; `overQuota` for a value
  ///   over 1 MiB, or what its rule allows; `notEncodable` where `encode(to:)` of its type throws.
  public func set<Value>(_ key: SettingKey<Value>, to value: Value) throws {
    let cells = try cells(key.name)
    try key.check(cells)
    try check(value.storedValue, of: key.name, most: SettingsLimits.valueBytesMax)
    try perform(key.rule.write(value, cells), on: key.name, cells)
  }

  /// Adds to a counter; a negative amount subtracts. Prefer it to setting a sum: what other devices
  /// add meanwhile counts too.
  ///
  /// - Throws: `wrongType`, also where the key's rule is another than `counter`; `overQuota`.
  public func add(_ amount: Int, to key: SettingKey<Int>) throws {
    let cells = try cells(key.name)
    try key.check(cells)
    guard key.rule.slot == .counter else {
      throw StoreError(
        .wrongType, "The setting \"\(key.name)\" is not a counter: set it, or give it that rule.")
    }
    try perform([.add(SettingSlot.counter.field, Int64(amount))], on: key.name, cells)
  }

  /// Inserts an element into a set. By the rule `union` it stays against a removal made meanwhile;
  /// by `latest` the set is written whole.
  ///
  /// - Throws: `wrongType`, `overQuota`.
  public func insert<Element>(_ element: Element, into key: SettingKey<Set<Element>>) throws {
    try set(key, to: try value(of: key).union([element]))
  }

  /// Removes an element from a set; if it is not there, nothing changes.
  ///
  /// - Throws: `wrongType`.
  public func remove<Element>(_ element: Element, from key: SettingKey<Set<Element>>) throws {
    try set(key, to: try value(of: key).subtracting([element]))
  }

  /// Removes a setting, so that it has its default again, here and on every other device. One that
  /// is not set stays so.
  ///
  /// - Throws: `wrongType`, also where the key's rule only grows: `first`, `max`, `min`, `or`,
  ///   `and`.
  public func remove<Value>(_ key: SettingKey<Value>) throws {
    let cells = try cells(key.name)
    try key.check(cells)
    guard let clear = key.rule.clear else {
      throw StoreError(
        .wrongType,
        "The setting \"\(key.name)\" only grows by its rule: it cannot be removed.")
    }
    guard cells.isSet else { return }
    let record = SettingSlot.record(of: key.name)
    for operation in clear(cells) + [.delete] { try transaction.perform(operation, on: record) }
  }

  private func cells(_ name: String) throws -> SettingCells {
    names.all.insert(name)
    let byteCount = name.utf8.count
    guard byteCount > 0 else { throw StoreError(.invalidKey, "A setting needs a name.") }
    guard byteCount <= limits.keyBytesMax else {
      throw StoreError(
        .overQuota,
        "The name of the setting \"\(name.prefix(40))…\" has \(byteCount) bytes, over the limit"
          + " of \(limits.keyBytesMax): shorten it.",
        quota: StoreQuota(used: byteCount, allowed: limits.keyBytesMax))
    }
    return SettingCells(try transaction.staged(SettingSlot.record(of: name)))
  }

  private func check(_ value: Value, of name: String, most: Int) throws {
    let parts = [value] + (value.elements ?? [])
    guard !parts.contains(where: { $0.kind == .notEncodable }) else {
      throw StoreError.notEncodable("the setting \"\(name)\"")
    }
    guard value.bytes.count <= most else {
      throw StoreError(
        .overQuota,
        "The value of the setting \"\(name)\" has \(value.bytes.count) bytes, over the limit of \(most):"
          + " keep it in a record.", quota: StoreQuota(used: value.bytes.count, allowed: most))
    }
  }

  private func perform(
    _ operations: [PendingRecord.Operation], on name: String, _ cells: SettingCells
  ) throws {
    let record = SettingSlot.record(of: name)
    guard !operations.isEmpty else { return }
    if cells.state.cells.isEmpty { try transaction.perform(.create, on: record) }
    if cells.state.register(SettingSlot.nameField) == nil {
      try transaction.perform(.set(SettingSlot.nameField, .text(name)), on: record)
    }
    for operation in operations {
      switch operation {
      case .set(_, let value), .insertMember(_, let value):
        try check(value, of: name, most: Value.bytesMax)
      default: break
      }
      try transaction.perform(operation, on: record)
    }
  }
}

extension SettingKey {
  /// What the key reads from a setting's record.
  func value(in cells: SettingCells) throws(StoreError) -> Value {
    try check(cells)
    switch rule.read(cells) {
    case .value(let value): return value
    case .none, .unreadable: return defaultValue
    case .otherType: throw otherType
    }
  }

  /// Throws where the setting was written with another rule or type.
  func check(_ cells: SettingCells) throws(StoreError) {
    for slot in SettingSlot.allCases where slot != rule.slot && cells.isSet(slot) {
      throw otherType
    }
    if case .otherType = rule.read(cells) { throw otherType }
  }

  private var otherType: StoreError {
    StoreError(
      .wrongType,
      "The setting \"\(name)\" was written with another type or merge rule than its key has: give"
        + " the key a new name.")
  }
}
