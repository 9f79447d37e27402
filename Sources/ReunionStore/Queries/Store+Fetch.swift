public import ReunionCore
public import ReunionFlow

extension Store {
  /// One record as of the last commit; nil where there is none alive.
  public func fetch<E: Entity>(_: E.Type, _ id: RecordID, in space: SpaceID) throws
    -> E?
  {
    try read { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return nil }
      return try reader.fetch(E.self, id, space: number)
    }
  }

  /// The records that a query finds, as of the last commit.
  ///
  /// *Cost*: reads the space's records of the entity; no index but that of ids.
  public func fetch<E: Entity>(_ query: Query<E>) throws -> [E] {
    try read { (reader) throws(StoreError) in
      try reader.fetch(query)
    }
  }

  /// How many records meet a query's conditions; its limit does not count.
  public func count<E: Entity>(_ query: Query<E>) throws -> Int {
    try read { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: query.space) else { return 0 }
      return try reader.count(query, space: number)
    }
  }

  /// The records that a query finds, now and after each commit that touches their entity.
  ///
  /// A commit is one turn: combined live queries never show half of it, nor one of them an older
  /// commit than another. (One that was made while another thread commits may be ahead of the others
  /// until that commit's turn.) Commits that follow one another quickly may share a turn.
  /// *Lifetime*: the signal follows the store for as long as it, or an observation of it, lives.
  /// *Errors*: the first fetch's are thrown; where a later one fails, the values stay.
  /// *Thread*: that of the writer. *Cost*: a fetch for each commit that touches the entity.
  public func live<E: Entity>(_ query: Query<E>) throws -> Signal<[E]> {
    let records = Variable(try fetch(query))
    let subscription = liveQueries.add(LiveRecords(query: query, records: records), in: self)
    return records.signal.map { records in
      withExtendedLifetime(subscription) { records }
    }
  }
}
