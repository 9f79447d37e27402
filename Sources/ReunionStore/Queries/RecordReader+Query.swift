import ReunionCore
import ReunionDisk

extension RecordReader {
  /// One living record.
  func fetch<E: Entity>(
    _: E.Type, _ id: RecordID, space: Int64
  ) throws(StoreError) -> E? {
    let statement = try statement(for: E.self, id, space: space)
    defer { statement.reset() }
    return try E.schema.rows(statement).first
  }

  /// A statement for the row of one living record.
  func statement<E: Entity>(
    for _: E.Type, _ id: RecordID, space: Int64
  ) throws(StoreError) -> Statement {
    var text = QueryText(layout)
    let columns = text.record(E.self, of: "t")
    let from = try text.living(E.self, "t")
    let statement = try connection.statement("SELECT \(columns) FROM \(from) AND t.id = ?2")
    try statement.bind(1, space)
    try statement.bind(2, id)
    return statement
  }

  /// The living records that a query finds.
  func fetch<E: Entity>(_ query: Query<E>, space: Int64) throws(StoreError) -> [E] {
    let statement = try prepared(QueryText.records(query, layout), space: space)
    defer { statement.reset() }
    return try E.schema.rows(statement)
  }

  /// A statement of the text, with its values.
  func prepared(_ text: QueryText, space: Int64?) throws(StoreError) -> Statement {
    let statement = try connection.statement(text.sql)
    // No space has the number −1.
    try statement.bind(1, space ?? -1)
    for (index, value) in text.values.enumerated() {
      try statement.bind(Int32(index + 2), value)
    }
    return statement
  }

  /// The record in a row, of which the columns are those of `QueryText.record` from `first` on, and
  /// its arrival number.
  func record<E: Entity>(
    _ statement: Statement, from first: Int32 = 0
  ) throws(StoreError) -> (record: E, arrival: UInt64) {
    guard let handle = statement.handle else { throw StoreError(.closed, "The store was closed.") }
    var record = E(id: try statement.identifier(first))
    var column = first + 1
    for field in E.schema.fields {
      try field.load(ColumnReader(handle, column), &record)
      column += 1
    }
    return (record, UInt64(bitPattern: statement.int(column)))
  }

  /// The highest arrival number of a space, or 0 if there is none.
  func arrival(of space: SpaceID) throws(StoreError) -> UInt64 {
    try numbers.existingNumber(of: space).map { (number) throws(StoreError) in
      try arrival(space: number)
    } ?? 0
  }
}
