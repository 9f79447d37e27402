public import ReunionCore
public import ReunionDisk

extension Store {
  /// One record as of the last commit; nil if no such record is alive: nobody made it, it has not
  /// arrived, or it is deleted.
  ///
  /// ```swift
  /// if let kept = try store.fetch(Photo.self, photo.id, in: space) { print(kept.caption ?? "") }
  /// ```
  /// It is a copy, which no later commit changes. A record of another space is not found. *Thread*:
  /// any; it does not wait for a write under way, and does not see it. *Cost*: one look-up by id.
  /// - Throws: `invalidModel` for an entity that the store's model lacks, `closed`, `damaged`,
  ///   `ioFailed`.
  public func fetch<E: Entity>(_: E.Type, _ id: RecordID, in space: SpaceID) throws
    -> E?
  {
    try read { (reader) throws(StoreError) in
      try reader.layout.require(E.self)
      guard let number = try reader.numbers.existingNumber(of: space) else { return nil }
      return try reader.fetch(E.self, id, space: number)
    }
  }

  /// The device that created a record, even a deleted one; nil if there is none. A record that was
  /// erased for good has none either.
  ///
  /// Compare it with `device(in:)` to see whether it was this one. It is what roles go by: a guest
  /// may change the records that its device created.
  public func creator<E: Entity>(of _: E.Type, _ id: RecordID, in space: SpaceID) throws -> UInt64?
  {
    try record(entity: E.schema.number, id, in: space)?.creation?.dot.site.device
  }

  /// The device that wrote what stands in a field, even of a deleted record; nil if nobody wrote
  /// it. Of a field that a lens made of others it is the device that wrote those.
  ///
  /// It is for fields of one value: counters, sets and lists are of many, and have nil.
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
  /// ```swift
  /// let best = Query<Photo>(in: space).filter(\.stars > 4).sorted(by: \.takenAt).limit(20)
  /// for photo in try store.fetch(best) { print(photo.caption ?? "") }
  /// ```
  /// All of them are read before it returns: limit a query that may find many. Two fetches may be
  /// of two commits; see `snapshot(_:)`.
  ///
  /// *Thread*: any, blocked while it reads; writes go on meanwhile. *Cost*: reads the space's
  /// records of the entity; fewer where an index of the schema has the fields that the conditions
  /// and the order begin with, or where it searches words.
  /// - Parameter query: which records.
  /// - Returns: the records in the query's order; none for a space that the store does not know.
  /// - Throws: `invalidModel` for an entity, a field or a search that the store's model lacks,
  ///   `outOfRange` for over 30,000 values in a condition, `closed`, `damaged`, `ioFailed`.
  public func fetch<E: Entity>(_ query: Query<E>) throws -> [E] {
    try read { (reader) throws(StoreError) in
      try reader.layout.require(E.self)
      guard let number = try reader.numbers.existingNumber(of: query.space) else { return [] }
      return try reader.fetch(query, space: number)
    }
  }

  /// The answer to a query, as of the last commit.
  ///
  /// ```swift
  /// let photos = Query<Photo>(in: space)
  /// print(try store.fetch(photos.count()), try store.fetch(photos.sum(of: \.stars)))
  /// ```
  /// *Cost*: as for the records that it is about, of which none is made.
  /// - Parameter query: what is asked.
  /// - Returns: the answer.
  /// - Throws: as for records; `outOfRange` for a sum beyond 64 bits.
  public func fetch<Value>(_ query: ValueQuery<Value>) throws -> Value {
    try read { (reader) throws(StoreError) in try reader.fetch(query) }
  }

  /// How many records meet a query's conditions; its limit does not count. It is the short form of
  /// `fetch(query.count())`.
  public func count<E: Entity>(_ query: Query<E>) throws -> Int { try fetch(query.count()) }
}

extension WriteTransaction {
  /// One record, with what this transaction has done to it; nil if no such record is alive.
  ///
  /// What was put together so far is written first, so that fetches between writes cost more than
  /// fetches before them.
  /// - Throws: `closed` after the transaction's end, `invalidModel`, and errors of the disk.
  public func fetch<E: Entity>(_: E.Type, _ id: RecordID) throws(StoreError) -> E? {
    try flush()
    return try records.reader.fetch(E.self, id, space: space)
  }

  /// The records that a query finds, with what this transaction has done.
  ///
  /// ```swift
  /// try store.write(in: space) { transaction in
  ///   for photo in try transaction.fetch(Query<Photo>(in: space).filter(\.album == album)) {
  ///     try transaction.update(photo) { $0.isHidden = true }
  ///   }
  /// }
  /// ```
  /// - Throws: `otherSpace` for a query of another space than the transaction's: `Store.fetch`
  ///   reads that one, as of the last commit. Else as `Store.fetch(_:)`.
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
