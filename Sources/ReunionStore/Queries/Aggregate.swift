import ReunionCore
import ReunionDisk

/// A type of field that can be added up: numbers, counters, and optionals of them, of which "none"
/// does not count. What whole numbers come to is a whole number, and of doubles a double.
public protocol SummableValue: FieldValue {
  /// The type of the sum.
  associatedtype Sum: FieldValue
}

extension Int: SummableValue {
  /// A whole number.
  public typealias Sum = Int
}
extension Int64: SummableValue {
  /// A whole number.
  public typealias Sum = Int64
}
extension Double: SummableValue {
  /// A floating-point number.
  public typealias Sum = Double
}
extension Counter: SummableValue {
  /// A whole number.
  public typealias Sum = Int
}
extension Optional: SummableValue where Wrapped: SummableValue {
  /// That of what it wraps.
  public typealias Sum = Wrapped.Sum
}

/// What is computed of many rows: some columns of SQL, and the value that they make.
struct Aggregate<E: Entity, Value: Sendable>: Sendable {
  let columns: @Sendable (inout QueryText, String) throws(StoreError) -> String
  /// Reads the columns from a position on.
  let read: @Sendable (Statement, Int32) throws(StoreError) -> Value
  let isSame: @Sendable (Value, Value) -> Bool
}

extension Aggregate where Value: Equatable {
  init(
    columns: @escaping @Sendable (inout QueryText, String) throws(StoreError) -> String,
    read: @escaping @Sendable (Statement, Int32) throws(StoreError) -> Value
  ) { self.init(columns: columns, read: read, isSame: { $0 == $1 }) }
}

extension Aggregate where Value == Int {
  static var count: Aggregate {
    Aggregate { (_, _) throws(StoreError) in
      "count(*)"
    } read: { (statement, first) throws(StoreError) in
      Int(statement.int(first))
    }
  }
}

extension Aggregate {
  static func sum<V: SummableValue>(
    of path: any KeyPath<E, V> & Sendable
  ) -> Aggregate where Value == V.Sum {
    let isDouble = V.valueKind == .double
    return Aggregate { (text, alias) throws(StoreError) in
      isDouble
        ? try Doubles.columns(&text, path, alias) : try WholeNumbers.columns(&text, path, alias)
    } read: { (statement, first) throws(StoreError) in
      let sum: ReunionCore.Value =
        isDouble
        ? .double(Doubles(statement, first).sum)
        : .int(try WholeNumbers(statement, first).sum(of: E.schema.field(path)))
      guard let value = V.Sum(storedValue: sum) else { throw statement.damaged("a sum") }
      return value
    } isSame: {
      $0.storedValue == $1.storedValue
    }
  }
}

extension Aggregate where Value == Double? {
  static func average<V: SummableValue>(
    of path: any KeyPath<E, V> & Sendable
  ) -> Aggregate {
    let isDouble = V.valueKind == .double
    return Aggregate { (text, alias) throws(StoreError) in
      isDouble
        ? try Doubles.columns(&text, path, alias) : "avg(\(try text.column(path, of: alias)))"
    } read: { (statement, first) throws(StoreError) in
      if isDouble { return Doubles(statement, first).average }
      return statement.isNull(first) ? nil : statement.double(first)
    } isSame: {
      $0?.bitPattern == $1?.bitPattern
    }
  }
}

extension Aggregate {
  /// `min` or `max` of a field, as the type `V` reads it.
  static func extreme<V: FieldValue>(
    _ function: String, of path: any PartialKeyPath<E> & Sendable
  ) -> Aggregate where Value == V? {
    Aggregate { (text, alias) throws(StoreError) in
      let column = try text.column(path, of: alias)
      guard V.valueKind == .double else { return "\(function)(\(column))" }
      // NaN is kept as bytes.
      return "\(function)(CASE WHEN typeof(\(column)) = 'real' THEN \(column) END)"
    } read: { (statement, first) throws(StoreError) in
      let value = try statement.value(first, kind: V.valueKind)
      return value.kind == .null ? nil : V(storedValue: value)
    } isSame: {
      $0?.storedValue == $1?.storedValue
    }
  }
}

/// The sum of whole numbers in two halves, since SQLite's own ends with an error beyond 64 bits.
private struct WholeNumbers {
  let high: Int64
  let low: Int64

  static func columns<E: Entity>(
    _ text: inout QueryText, _ path: PartialKeyPath<E>, _ alias: String
  ) throws(StoreError) -> String {
    let column = try text.column(path, of: alias)
    return "sum(\(column) >> 32), sum(\(column) & 4294967295)"
  }

  init(_ statement: Statement, _ first: Int32) {
    high = statement.int(first)
    low = statement.int(first + 1)
  }

  func sum<E: Entity>(of field: Field<E>) throws(StoreError) -> Int64 {
    let (shifted, isTooLarge) = high.multipliedReportingOverflow(by: 1 << 32)
    let (sum, isBeyond) = shifted.addingReportingOverflow(low)
    guard !isTooLarge, !isBeyond else {
      throw StoreError(
        .outOfRange,
        "The sum of \(E.schema.name).\(field.name) is beyond 64 bits: add up fewer records.")
    }
    return sum
  }
}

/// The sum of floating-point numbers, of which NaN is kept as bytes that SQL does not add.
private struct Doubles {
  private let total: Double?
  private let count: Int64
  private let hasNaN: Bool

  static func columns<E: Entity>(
    _ text: inout QueryText, _ path: PartialKeyPath<E>, _ alias: String
  ) throws(StoreError) -> String {
    let column = try text.column(path, of: alias)
    return "sum(CASE WHEN typeof(\(column)) = 'real' THEN \(column) END), count(\(column)), "
      + "sum(typeof(\(column)) = 'blob')"
  }

  init(_ statement: Statement, _ first: Int32) {
    total = statement.isNull(first) ? nil : statement.double(first)
    count = statement.int(first + 1)
    hasNaN = statement.int(first + 2) > 0
  }

  var sum: Double {
    if count == 0 { return 0 }
    // SQL has no NaN and says NULL for it, as for ∞ − ∞.
    return hasNaN ? .nan : total ?? .nan
  }

  var average: Double? { count == 0 ? nil : sum / Double(count) }
}
