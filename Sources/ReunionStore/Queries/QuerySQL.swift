import ReunionCore

/// The SQL of a query, and the values for its places from position 2 on; position 1 is the space.
struct QuerySQL<E: Entity> {
  private(set) var values: [Value] = []
  private var conditions = ""
  private var order = ""
  private let table: Table
  private let defaults: E

  init(_ query: Query<E>, table: Table) throws(StoreError) {
    guard !table.isUnknown else {
      throw StoreError(
        .invalidModel, "The store's model has no entity \(E.schema.name): open it with one.")
    }
    self.table = table
    defaults = E(id: RecordID(high: 0, low: 0))
    if let condition = query.condition {
      conditions = " AND " + (try sql(condition.node))
    }
    for each in query.orders {
      let field = try E.schema.field(each.path)
      order += "\(try expression(field))\(each.isDescending ? " DESC" : ""), "
    }
    order = " ORDER BY \(order)id"
    if let limit = query.limit { order += " LIMIT \(limit)" }
  }

  /// The records, each with its id and the columns of the schema's fields.
  var select: String {
    let columns = E.schema.fields.map { ", f\($0.number)" }.joined()
    return "SELECT id\(columns)" + rest + order
  }

  /// The one record whose id stands in position 2.
  var selectOne: String {
    let columns = E.schema.fields.map { ", f\($0.number)" }.joined()
    return "SELECT id\(columns)" + rest + " AND id = ?2"
  }

  /// How many there are, whatever the limit.
  var count: String { "SELECT count(*)" + rest }

  private var rest: String { " FROM \(table.name) WHERE space = ?1 AND alive\(conditions)" }

  private mutating func sql(_ node: Condition<E>.Node) throws(StoreError) -> String {
    switch node {
    case .all(let left, let right): return "(\(try sql(left)) AND \(try sql(right)))"
    case .any(let left, let right): return "(\(try sql(left)) OR \(try sql(right)))"
    case .not(let inner): return "NOT ifnull(\(try sql(inner)), 0)"
    case .contains(let path, let element):
      let field = try E.schema.field(path)
      return """
        EXISTS(SELECT 1 FROM reunion_unknown_cell AS cell WHERE cell.space = ?1 \
        AND cell.entity = \(E.schema.number) AND cell.record = \(table.name).id \
        AND cell.field = \(field.number) AND cell.merge = \(MergeKind.member.rawValue) \
        AND cell.kind = \(element.kind.rawValue) AND cell.value = \(place(.bytes(element.bytes))))
        """
    case .comparison(let path, let comparison, let value):
      let field = try E.schema.field(path)
      let left = try expression(field)
      let sql = "(\(left) \(comparison.rawValue) \(place(value)))"
      // NaN is kept as bytes, which SQL takes for greater than every number.
      guard field.kind == .double, comparison != .equal, comparison != .unequal else { return sql }
      return "(\(sql) AND typeof(\(try expression(field))) = 'real')"
    }
  }

  /// A field's column; where a record has no value of it, the default of the Swift type counts.
  private mutating func expression(_ field: Field<E>) throws(StoreError) -> String {
    let value = field.read(defaults)
    let column = "f\(field.number)"
    return field.isOptional || value.kind == .null ? column : "ifnull(\(column), \(place(value)))"
  }

  private mutating func place(_ value: Value) -> String {
    values.append(value)
    return "?\(values.count + 1)"
  }
}

extension RecordReader {
  /// One living record.
  func fetch<E: Entity>(
    _: E.Type, _ id: RecordID, space: Int64
  ) throws(StoreError) -> E? {
    let sql = try QuerySQL(
      Query<E>(in: SpaceID(high: 0, low: 0)), table: layout.table(E.schema.number))
    let statement = try connection.statement(sql.selectOne)
    defer { statement.reset() }
    try statement.bind(1, space)
    try statement.bind(2, id)
    return try E.schema.rows(statement).first
  }

  /// The living records that a query finds.
  func fetch<E: Entity>(_ query: Query<E>, space: Int64) throws(StoreError) -> [E] {
    let sql = try QuerySQL(query, table: layout.table(E.schema.number))
    let statement = try prepared(sql.select, sql.values, space: space)
    defer { statement.reset() }
    return try E.schema.rows(statement)
  }

  /// How many living records a query finds.
  func count<E: Entity>(_ query: Query<E>, space: Int64) throws(StoreError) -> Int {
    let sql = try QuerySQL(query, table: layout.table(E.schema.number))
    let statement = try prepared(sql.count, sql.values, space: space)
    defer { statement.reset() }
    return try statement.step() ? Int(statement.int(0)) : 0
  }

  private func prepared(
    _ sql: String, _ values: [Value], space: Int64
  ) throws(StoreError) -> Statement {
    let statement = try connection.statement(sql)
    try statement.bind(1, space)
    for (index, value) in values.enumerated() { try statement.bind(Int32(index + 2), value) }
    return statement
  }
}
