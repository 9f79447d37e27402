import ReunionCore

extension RecordReader {
  /// One living record.
  func fetch<E: Entity>(
    _: E.Type, _ id: RecordID, space: Int64
  ) throws(StoreError) -> E? {
    try one(E.self, id, space: space) { (statement) throws(StoreError) in
      try entity(statement)
    }
  }

  /// What a closure makes of one living record's row.
  func one<E: Entity, Success>(
    _: E.Type, _ id: RecordID, space: Int64,
    _ body: (Statement) throws(StoreError) -> Success
  ) throws(StoreError) -> Success? {
    var text = QueryText(layout)
    let columns = text.record(E.self, of: "t")
    let from = try text.living(E.self, "t")
    let statement = try connection.statement("SELECT \(columns) FROM \(from) AND t.id = ?2")
    defer { statement.reset() }
    try statement.bind(1, space)
    try statement.bind(2, id)
    return try statement.step() ? try body(statement) : nil
  }

  /// The living records that a query finds.
  func fetch<E: Entity>(_ query: Query<E>, space: Int64) throws(StoreError) -> [E] {
    let statement = try prepared(QueryText.records(query, layout), space: space)
    defer { statement.reset() }
    var entities: [E] = []
    while try statement.step() { entities.append(try entity(statement)) }
    return entities
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

  /// The record in a row, of which the columns are those of `QueryText.record` from `first` on.
  func entity<E: Entity>(
    _ statement: Statement, from first: Int32 = 0
  ) throws(StoreError) -> E {
    var entity = E(id: try statement.identifier(first))
    for (index, field) in E.schema.fields.enumerated() {
      let column = first + 2 + Int32(index)
      if statement.isNull(column), !field.isOptional { continue }
      field.write(try statement.value(column, kind: field.kind), &entity)
    }
    return entity
  }

  /// The highest arrival number of a space, 0 where there is none.
  func arrival(of space: SpaceID) throws(StoreError) -> UInt64 {
    try numbers.existingNumber(of: space).map { (number) throws(StoreError) in
      try arrival(space: number)
    } ?? 0
  }
}
