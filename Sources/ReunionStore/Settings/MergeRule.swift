public import FoundationEssentials
import ReunionCore

/// How writes of one setting by several devices come together.
///
/// ```swift
/// let tour = SettingKey("has seen tour", default: false, merge: .or)
/// let installed = SettingKey("installed", default: Date.now, merge: .first)
/// let settings = try RoamingSettings(store, account: space)
/// try settings.set(tour, to: true)
/// print(try settings.value(of: tour), installed.name)
/// ```
/// Every rule is commutative, associative and idempotent, and is carried out by replicas that know
/// nothing of the app: it is made of cells that each replica merges. Two keys of one name and
/// different rules find out about each other: see `SettingKey`.
public struct MergeRule<Value: FieldValue>: Sendable {
  let slot: SettingSlot
  let read: @Sendable (SettingCells) -> SettingCells.Reading<Value>
  /// What makes the setting this value, as far as the rule lets it.
  let write: @Sendable (Value, SettingCells) -> [PendingRecord.Operation]
  /// What makes it as if it had never been set; nil where the rule only grows.
  let clear: (@Sendable (SettingCells) -> [PendingRecord.Operation])?
}

extension MergeRule {
  /// The latest write stands, by the clocks of the devices and what each had seen. A value has at
  /// most 1 MiB.
  public static var latest: MergeRule {
    MergeRule(
      slot: .latest, read: { .init($0.latest) },
      write: { value, cells in cells.setLatest(value.storedValue) },
      clear: { $0.setLatest(.null) })
  }

  /// The first write stands, by the clocks of the devices: a later one changes nothing. A value has
  /// at most 512 KiB. It cannot be removed.
  public static var first: MergeRule {
    MergeRule(
      slot: .first, read: { .init($0.first) },
      write: { value, cells in
        cells.first == nil ? [.insertMember(SettingSlot.first.field, value.storedValue)] : []
      },
      clear: nil)
  }
}

extension MergeRule where Value == Int {
  /// What devices add is added up; setting a value adds the difference to what this device knows.
  /// Wraps at 64 bits. Removing it subtracts what it shows.
  public static var counter: MergeRule {
    MergeRule(
      slot: .counter,
      read: { cells in cells.sum.map { .value(Int($0)) } ?? .none },
      write: { value, cells in [.add(SettingSlot.counter.field, Int64(value) &- (cells.sum ?? 0))]
      },
      clear: { cells in [.add(SettingSlot.counter.field, 0 &- (cells.sum ?? 0))] })
  }

  /// The greatest value ever written stands, and it cannot be removed.
  public static var max: MergeRule { extreme(.maxInt, { Int64($0) }, { Int($0) }) }
  /// The least value ever written stands, and it cannot be removed.
  public static var min: MergeRule { extreme(.minInt, { Int64($0) }, { Int($0) }) }
}

extension MergeRule where Value == Double {
  /// The greatest value ever written stands, in the total order of IEEE 754: −0 before 0, NaN last.
  public static var max: MergeRule { extreme(.maxDouble, order, number) }
  /// The least value ever written stands, in the total order of IEEE 754.
  public static var min: MergeRule { extreme(.minDouble, order, number) }

  /// A number whose order is the total order of doubles; it is its own inverse.
  private static func order(_ value: Double) -> Int64 {
    let bits = Int64(bitPattern: value.bitPattern)
    return bits ^ (bits >> 63 & .max)
  }

  private static func number(_ order: Int64) -> Double {
    Double(bitPattern: UInt64(bitPattern: order ^ (order >> 63 & .max)))
  }
}

extension MergeRule where Value == Date {
  /// The latest date ever written stands, in milliseconds.
  public static var max: MergeRule { extreme(.maxDate, milliseconds, date) }
  /// The earliest date ever written stands, in milliseconds.
  public static var min: MergeRule { extreme(.minDate, milliseconds, date) }

  private static func milliseconds(_ date: Date) -> Int64 { date.storedValue.int ?? 0 }

  private static func date(_ milliseconds: Int64) -> Date {
    Date(timeIntervalSince1970: Double(milliseconds) / 1000)
  }
}

extension MergeRule where Value == Bool {
  /// True once anybody has set it to true.
  public static var or: MergeRule { extreme(.or, { $0 ? 1 : 0 }, { $0 != 0 }) }
  /// False once anybody has set it to false.
  public static var and: MergeRule { extreme(.and, { $0 ? 1 : 0 }, { $0 != 0 }) }
}

extension MergeRule where Value: SetAlgebra & Sequence, Value.Element: FieldValue & Hashable {
  /// A set of what devices have inserted. An element that is inserted on one device while it is
  /// removed on another stays. Setting another set inserts and removes what differs. An element has
  /// at most 512 KiB.
  public static var union: MergeRule {
    MergeRule(
      slot: .union,
      read: { cells in
        guard let elements = cells.elements else { return .none }
        let isOther = elements.contains { $0.kind != Value.Element.valueKind }
        return isOther ? .otherType : .value(Value(elements.compactMap(Value.Element.init)))
      },
      write: { value, cells in
        let (new, old) = (Set(value.map(\.storedValue)), Set(cells.elements ?? []))
        return cells.inserting(new.subtracting(old)) + cells.removing(old.subtracting(new))
      },
      clear: { cells in cells.removing(Set(cells.elements ?? [])) })
  }
}

extension MergeRule {
  private static func extreme(
    _ slot: SettingSlot, _ order: @escaping @Sendable (Value) -> Int64,
    _ value: @escaping @Sendable (Int64) -> Value
  ) -> MergeRule {
    MergeRule(
      slot: slot, read: { cells in cells.extreme(slot).map { .value(value($0)) } ?? .none },
      write: { new, cells in
        let new = order(new)
        let isFarther = cells.extreme(slot).map { slot.isLeast ? new < $0 : new > $0 } ?? true
        return isFarther ? [.tally(slot.field, new)] : []
      },
      clear: nil)
  }
}
