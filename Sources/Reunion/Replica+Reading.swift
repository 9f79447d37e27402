public import ReunionCore
public import ReunionFlow
public import ReunionStore

/// Reading, as of the last commit.
///
/// ```swift
/// let inAlbum = Query<Photo>(in: space).filter(\.album == album).sorted(by: \.caption)
/// let photos = try await replica.fetch(inAlbum)
/// let total = try await replica.fetch(inAlbum.count())
/// ```
///
/// Reads wait for no write. What is read are values: they stay as they are, whatever is written
/// later. A space of which nothing is here yet reads as empty.
///
/// *Thread*: the caller's, which waits for the disk. *Errors*: a `StoreError`. `invalidModel` where
/// the model has no such entity or the schema no such field: every call meets it. `damaged`,
/// `ioFailed` and `diskFull` as the disk answers; `closed` after `close()`.
extension Replica {
  /// One record; nil if it does not exist or is deleted.
  ///
  /// Inside a write, `transaction.fetch` sees what that write has done: this one does not.
  /// *Cost*: one look-up by the id.
  public func fetch<Record: Entity>(
    _ type: Record.Type, _ id: RecordID, in space: SpaceID
  ) throws -> Record? {
    try store.fetch(type, id, in: space)
  }

  /// The record that a reference names; nil for no reference, and while the record has not arrived
  /// or is deleted.
  ///
  /// ```swift
  /// func title(of photo: Photo) throws -> String {
  ///   try replica.fetch(photo.album, in: space)?.name ?? "No album"
  /// }
  /// ```
  ///
  /// It looks in that space alone: a reference does not say in which one its record is.
  public func fetch<Target: Entity>(
    _ reference: Reference<Target>?, in space: SpaceID
  ) throws -> Target? {
    try store.fetch(reference, in: space)
  }

  /// The records that a query asks for, in its order.
  ///
  /// *Cost*: reads the space's records of that entity. It reads fewer where an index of the schema
  /// has the fields that the conditions and the order begin with.
  public func fetch<Record: Entity>(_ query: Query<Record>) throws -> [Record] {
    try store.fetch(query)
  }

  /// The answer to a query: pairs of records that belong together, groups, a sum, one field.
  ///
  /// *Errors*: also `outOfRange` where a sum is beyond what its type holds.
  public func fetch<Value>(_ query: ValueQuery<Value>) throws -> Value {
    try store.fetch(query)
  }

  /// How many records meet a query's conditions; its limit does not count.
  ///
  /// No record is made for it: it costs less than to fetch them and count.
  public func count<Record: Entity>(_ query: Query<Record>) throws -> Int {
    try store.count(query)
  }

  /// Runs a closure that sees everything as of one commit, whatever others write meanwhile.
  ///
  /// The commit is the last one when it first fetches. Keep it short: while it runs, the log of
  /// writes grows. *Errors*: what the closure throws.
  public func snapshot<Success>(_ body: (Snapshot) throws -> Success) throws -> Success {
    try store.snapshot(body)
  }
}

/// Reading without blocking the caller's thread. A task that is cancelled before its read began
/// gets `CancellationError`; a read that has begun is finished.
///
/// At most four run at a time, the others wait in their order: as many as a disk serves at once.
/// *Errors*: as of the forms that block.
extension Replica {
  /// One record; nil if it does not exist or is deleted.
  public func fetch<Record: Entity>(
    _ type: Record.Type, _ id: RecordID, in space: SpaceID
  ) async throws -> Record? {
    try await disk.run { [store] in try store.fetch(type, id, in: space) }
  }

  /// The record that a reference names; nil for no reference, and while the record has not arrived
  /// or is deleted.
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
  ///
  /// ```swift
  /// let (albums, photos) = try await replica.snapshot { snapshot in
  ///   (try snapshot.fetch(Query<Album>(in: space)), try snapshot.fetch(Query<Photo>(in: space)))
  /// }
  /// ```
  ///
  /// What it returns crosses threads, and so must be `Sendable`; the snapshot itself may not leave
  /// it.
  public func snapshot<Success: Sendable>(
    _ body: @escaping @Sendable (Snapshot) throws -> Success
  ) async throws -> Success {
    try await disk.run { [store] in try store.snapshot(body) }
  }
}

/// Queries that live: what they show follows every commit, whoever made it. Hold the signal or an
/// observation of it.
///
/// ```swift
/// let photos = try replica.live(Query<Photo>(in: space).sorted(by: \.caption))
/// let showing = photos.observe { print("\($0.count) photos") }
/// ```
///
/// A commit is one turn: two of them combined never show half of it. *Thread*: that of the writer;
/// `observe(on:)` takes it to another, such as the main actor's. *Errors*: the first fetch's are
/// thrown, as `fetch` throws them. Where a later one fails, the value stays until it can be read
/// again, and `liveFailure` says why. *Lifetime*: it follows for as long as the signal or an
/// observation lives.
extension Replica {
  /// The records that a query asks for, now and after every commit that changes them.
  ///
  /// *Cost*: nanoseconds for a commit that touches no field that the query reads. Otherwise it
  /// looks at each record that changed, or runs again where it searches words or other records.
  public func live<Record: Entity>(_ query: Query<Record>) throws -> Signal<[Record]> {
    try store.live(query)
  }

  /// The answer to a query, now and after every commit that changes it.
  ///
  /// *Cost*: after a commit that touches a field that the query reads, it runs again.
  public func live<Value>(_ query: ValueQuery<Value>) throws -> Signal<Value> {
    try store.live(query)
  }

  /// The records that a query asks for, with what differs from what an observer has seen: for lists
  /// that animate.
  ///
  /// ```swift
  /// let result = try replica.liveResult(of: Query<Photo>(in: space).sorted(by: \.caption))
  /// let showing = result.observeChanges { update in
  ///   for index in update.changes.insertions { print("New:", update.result[index].caption) }
  /// }
  /// ```
  ///
  /// A result also says whether it is up to date: its `failure` is why the last commit is not in
  /// it.
  public func liveResult<Record: Entity>(
    of query: Query<Record>
  ) throws -> Signal<QueryResult<Record>> {
    try store.liveResult(of: query)
  }

  /// The answer to a query, and whether it is up to date: while `failure` is there, the value is an
  /// earlier one.
  public func liveResult<Value>(
    of query: ValueQuery<Value>
  ) throws -> Signal<QueryAnswer<Value>> {
    try store.liveResult(of: query)
  }

  /// Why live queries could not be updated; nil while all of them show the last commit.
  ///
  /// Show it once for all lists of the app. It clears itself: after the next commit they are read
  /// again.
  public var liveFailure: Signal<StoreError?> { store.liveFailure }
}
