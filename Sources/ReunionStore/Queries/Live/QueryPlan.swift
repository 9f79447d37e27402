import ReunionCore
import ReunionDisk

/// A query over one entity's own fields, ready to be asked of one row at a time.
///
/// No type of records is in it, so that a thousand of them are quick. It says the same of a row as the SQL of `QueryText` does: a test compares them over random
/// queries.
struct QueryPlan: Sendable {
  indirect enum Test: Sendable {
    case comparison(Int, Comparison, ColumnValue)
    /// As a comparison, true for numbers alone: NaN is kept as bytes.
    case numbers(Int, Comparison, ColumnValue)
    case contains(Int, Value)
    case text(Int, TextComparison, [UInt8])
    case isOneOf(Int, Set<ColumnValue>)
    case all(Test, Test)
    case any(Test, Test)
    case not(Test)
    case never
  }

  let test: Test?
  /// The positions of fields in the schema.
  let orders: [(field: Int, isDescending: Bool)]
  let limit: Int?
  /// Whether what is short of records is filled anew; only a seeded bug has it otherwise.
  let isRefilled: Bool
  /// The defaults of fields, where they count in place of nothing.
  private let defaults: [ColumnValue?]

  /// The plan of a query; nil where it needs more than the row: other records, or an index of words.
  init?<E: Entity>(_ query: Query<E>, bugs: SeededBugs = SeededBugs()) throws(StoreError) {
    guard query.searches.isEmpty else { return nil }
    var orders: [(field: Int, isDescending: Bool)] = []
    for order in query.orders {
      guard case .field(let path, let isDescending) = order else { return nil }
      orders.append((try Self.position(path), isDescending))
    }
    if let node = query.condition?.node {
      guard let test = try Self.test(node) else { return nil }
      self.test = test
    } else {
      test = nil
    }
    self.orders = orders
    limit = query.limit
    isRefilled = !bugs.liveWindowStaysShort
    let record = E.withDefaults
    defaults = E.schema.fields.map { field in
      field.isOptional ? nil : ColumnValue(field.read(record))
    }
  }

  private static func position<E: Entity>(_ path: PartialKeyPath<E>) throws(StoreError) -> Int {
    let number = try E.schema.field(path).number
    return E.schema.fields.firstIndex { $0.number == number } ?? 0
  }

  private static func test<E: Entity>(
    _ node: Condition<E>.Node
  ) throws(StoreError) -> Test? {
    switch node {
    case .related: return nil
    case .contains(let path, let element): return .contains(try position(path), element)
    case .text(let path, let comparison, let bytes):
      return .text(try position(path), comparison, bytes)
    case .isOneOf(let path, let values):
      return .isOneOf(try position(path), Set(values.map { ColumnValue($0) }))
    case .not(let inner): return try test(inner).map { .not($0) }
    case .all(let left, let right):
      guard let left = try test(left), let right = try test(right) else { return nil }
      return .all(left, right)
    case .any(let left, let right):
      guard let left = try test(left), let right = try test(right) else { return nil }
      return .any(left, right)
    case .comparison(let path, let comparison, let value):
      let index = try position(path)
      let isOrder = comparison != .equal && comparison != .unequal
      guard isOrder, E.schema.fields[index].kind == .double else {
        return .comparison(index, comparison, ColumnValue(value))
      }
      if value.double?.isNaN == true { return .never }
      return .numbers(index, comparison, ColumnValue(value))
    }
  }

  /// The value that counts of a column.
  func value(of field: Int, _ column: ColumnValue) -> ColumnValue {
    guard column.isNull, let value = defaults[field] else { return column }
    return value
  }

  /// Whether a row meets the condition; `values` are those of the schema's fields, in its order.
  func includes(_ values: [ColumnValue]) -> Bool { test.map { holds($0, values) } ?? true }

  private func holds(_ test: Test, _ values: [ColumnValue]) -> Bool {
    switch test {
    case .never: return false
    case .all(let left, let right): return holds(left, values) && holds(right, values)
    case .any(let left, let right): return holds(left, values) || holds(right, values)
    case .not(let inner): return !holds(inner, values)
    case .contains(let field, let element):
      guard case .blob(let bytes) = values[field] else { return false }
      return Value(kind: .set, bytes: bytes).elements?.contains(element) ?? false
    case .text(let field, let comparison, let bytes):
      guard case .text(let text) = value(of: field, values[field]) else { return false }
      return comparison.holds(text, bytes)
    case .isOneOf(let field, let wanted):
      return wanted.contains(value(of: field, values[field]))
    case .comparison(let field, let comparison, let value):
      return Self.holds(self.value(of: field, values[field]), comparison, value)
    case .numbers(let field, let comparison, let value):
      let column = self.value(of: field, values[field])
      guard case .real = column else { return false }
      return Self.holds(column, comparison, value)
    }
  }

  private static func holds(
    _ left: ColumnValue, _ comparison: Comparison, _ right: ColumnValue
  ) -> Bool {
    switch comparison {
    case .equal: return ColumnValue.isEqual(left, right)
    case .unequal: return !ColumnValue.isEqual(left, right)
    default: break
    }
    guard !left.isNull, !right.isNull else { return false }
    let order = ColumnValue.compare(left, right)
    return switch comparison {
    case .less: order < 0
    case .lessOrEqual: order <= 0
    case .greater: order > 0
    default: order >= 0
    }
  }

  /// What a row is sorted by.
  func key(_ values: [ColumnValue]) -> [ColumnValue] {
    orders.map { value(of: $0.field, values[$0.field]) }
  }

  /// Whether a record of a key stands before another.
  func isOrdered(
    _ left: (key: [ColumnValue], id: RecordID), before right: (key: [ColumnValue], id: RecordID)
  ) -> Bool {
    for (index, order) in orders.enumerated() {
      let comparison = ColumnValue.compare(left.key[index], right.key[index])
      if comparison != 0 { return (comparison < 0) != order.isDescending }
    }
    return left.id < right.id
  }
}
