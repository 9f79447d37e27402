public import ReunionCore
public import ReunionFlow
public import ReunionStore

/// Reading, as of the last commit.
extension Replica {
  /// One record; nil if it does not exist or is deleted.
  public func fetch<Record: Entity>(
    _ type: Record.Type, _ id: RecordID, in space: SpaceID
  ) throws -> Record? {
    try store.fetch(type, id, in: space)
  }

  /// The record that a reference names; nil for no reference, and while the record has not arrived or
  /// is deleted.
  public func fetch<Target: Entity>(
    _ reference: Reference<Target>?, in space: SpaceID
  ) throws -> Target? {
    try store.fetch(reference, in: space)
  }

  /// The records that a query asks for.
  public func fetch<Record: Entity>(_ query: Query<Record>) throws -> [Record] {
    try store.fetch(query)
  }

  /// The answer to a query: pairs of records that belong together, groups, a sum, one field.
  public func fetch<Value>(_ query: ValueQuery<Value>) throws -> Value {
    try store.fetch(query)
  }

  /// How many records meet a query's conditions; its limit does not count.
  public func count<Record: Entity>(_ query: Query<Record>) throws -> Int {
    try store.count(query)
  }

  /// Runs a closure that sees everything as of one commit, whatever others write meanwhile.
  ///
  /// Keep it short: while it runs, the log of writes grows. *Errors*: what the closure throws.
  public func snapshot<Success>(_ body: (Snapshot) throws -> Success) throws -> Success {
    try store.snapshot(body)
  }
}

/// Reading without blocking the caller's thread. A task that is cancelled before its read began gets
/// `CancellationError`; a read that has begun is finished.
extension Replica {
  /// One record; nil if it does not exist or is deleted.
  public func fetch<Record: Entity>(
    _ type: Record.Type, _ id: RecordID, in space: SpaceID
  ) async throws -> Record? {
    try await disk.run { [store] in try store.fetch(type, id, in: space) }
  }

  /// The record that a reference names; nil for no reference, and while the record has not arrived or
  /// is deleted.
  public func fetch<Target: Entity>(
    _ reference: Reference<Target>?, in space: SpaceID
  ) async throws -> Target? {
    try await disk.run { [store] in try store.fetch(reference, in: space) }
  }

  /// The records that a query asks for.
  public func fetch<Record: Entity>(_ query: Query<Record>) async throws -> [Record] {
    try await disk.run { [store] in try store.fetch(query) }
  }

  /// The answer to a query: pairs of records that belong together, groups, a sum, one field.
  public func fetch<Value>(_ query: ValueQuery<Value>) async throws -> Value {
    try await disk.run { [store] in try store.fetch(query) }
  }

  /// How many records meet a query's conditions; its limit does not count.
  public func count<Record: Entity>(_ query: Query<Record>) async throws -> Int {
    try await disk.run { [store] in try store.count(query) }
  }

  /// Runs a closure that sees everything as of one commit, on another thread.
  public func snapshot<Success: Sendable>(
    _ body: @escaping @Sendable (Snapshot) throws -> Success
  ) async throws -> Success {
    try await disk.run { [store] in try store.snapshot(body) }
  }
}

/// Queries that live: what they show follows every commit. Hold the signal or an observation of it;
/// see `Store.live(_:)` for threads and failures.
extension Replica {
  /// The records that a query asks for, now and after every commit that changes them.
  public func live<Record: Entity>(_ query: Query<Record>) throws -> Signal<[Record]> {
    try store.live(query)
  }

  /// The answer to a query, now and after every commit that changes it.
  public func live<Value>(_ query: ValueQuery<Value>) throws -> Signal<Value> {
    try store.live(query)
  }

  /// The records that a query asks for, with what differs from what an observer has seen: for lists
  /// that animate.
  public func liveResult<Record: Entity>(
    of query: Query<Record>
  ) throws -> Signal<QueryResult<Record>> {
    try store.liveResult(of: query)
  }

  /// The answer to a query, and whether it is up to date.
  public func liveResult<Value>(
    of query: ValueQuery<Value>
  ) throws -> Signal<QueryAnswer<Value>> {
    try store.liveResult(of: query)
  }

  /// Why live queries could not be updated; nil while all of them show the last commit.
  public var liveFailure: Signal<StoreError?> { store.liveFailure }
}
