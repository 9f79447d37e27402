public import ReunionCore
public import ReunionDisk

extension Store {
  /// One record as of the last commit; nil if no such record is alive.
  public func fetch<E: Entity>(_: E.Type, _ id: RecordID, in space: SpaceID) throws
    -> E?
  {
    try read { (reader) throws(StoreError) in
      try reader.layout.require(E.self)
      guard let number = try reader.numbers.existingNumber(of: space) else { return nil }
      return try reader.fetch(E.self, id, space: number)
    }
  }

  /// The device that created a record, even a deleted one; nil if there is none.
  public func creator<E: Entity>(of _: E.Type, _ id: RecordID, in space: SpaceID) throws -> UInt64?
  {
    try record(entity: E.schema.number, id, in: space)?.creation?.dot.site.device
  }

  /// The device that wrote what stands in a field, even of a deleted record; nil if nobody wrote
  /// it. Of a field that a lens made of others it is the device that wrote those.
  public func writer<E: Entity, V: FieldValue>(
    of path: KeyPath<E, V>, _ id: RecordID, in space: SpaceID
  ) throws -> UInt64? {
    let field = try E.schema.field(path).number
    let table = layout.table(E.schema.number)
    guard let state = try record(entity: E.schema.number, id, in: space),
      let shown = table.shown(field, state), shown.stamp != .none
    else { return nil }
    return shown.site.device
  }

  /// The records that a query finds, as of the last commit.
  ///
  /// *Cost*: reads the space's records of the entity; fewer where an index of the schema has the fields
  /// that the conditions and the order begin with, or where it searches words.
  public func fetch<E: Entity>(_ query: Query<E>) throws -> [E] {
    try read { (reader) throws(StoreError) in
      try reader.layout.require(E.self)
      guard let number = try reader.numbers.existingNumber(of: query.space) else { return [] }
      return try reader.fetch(query, space: number)
    }
  }

  /// The answer to a query, as of the last commit.
  ///
  /// *Cost*: as for the records that it is about.
  public func fetch<Value>(_ query: ValueQuery<Value>) throws -> Value {
    try read { (reader) throws(StoreError) in try reader.fetch(query) }
  }

  /// How many records meet a query's conditions; its limit does not count.
  public func count<E: Entity>(_ query: Query<E>) throws -> Int { try fetch(query.count()) }
}

extension WriteTransaction {
  /// One record, with what this transaction has done to it; nil if no such record is alive.
  public func fetch<E: Entity>(_: E.Type, _ id: RecordID) throws(StoreError) -> E? {
    try flush()
    return try records.reader.fetch(E.self, id, space: space)
  }

  /// The records that a query finds, with what this transaction has done.
  ///
  /// - Throws: `otherSpace` for a query of another space than the transaction's: `Store.fetch` reads
  ///   that one, as of the last commit.
  public func fetch<E: Entity>(_ query: Query<E>) throws(StoreError) -> [E] {
    try requireOwn(query.space)
    try flush()
    return try records.reader.fetch(query, space: space)
  }

  /// The answer to a query, with what this transaction has done.
  ///
  /// - Throws: `otherSpace` for a query of another space than the transaction's.
  public func fetch<Value>(_ query: ValueQuery<Value>) throws(StoreError) -> Value {
    try requireOwn(query.space)
    try flush()
    return try records.reader.fetch(query, space: space)
  }
}
