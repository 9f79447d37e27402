public import ReunionDisk
public import ReunionFlow

/// Live queries: values that follow the store.
///
/// A commit is one turn: combined live queries never show half of it, nor one of them an older
/// commit than another. (One that was made while another thread commits may be ahead of the others
/// until that commit's turn.) Commits that follow one another quickly may share a turn. A commit
/// that leaves the result as it is tells nobody, whoever made it: this device or another.
///
/// *Lifetime*: the signal follows the store for as long as it, or an observation of it, lives. Hold
/// one of them: a subscription that nobody holds ends at once.
///
/// *Errors*: the first fetch's are thrown. Where a later one fails, the values stay until a commit
/// after which they can be read; meanwhile the result or answer has a `failure`, and so has
/// `Store.liveFailure`. A query that fails holds up no other.
///
/// *Thread*: that of the writer, which waits for each observer. `observe(on: .shared)` moves a
/// closure to the main thread, and `values()` to a task. *Cost*: nanoseconds for a commit that
/// touches no field that the query reads. For records of one entity it is a look at each record
/// that changed, up to 256, and a new fetch beyond. What goes over other records or searches texts
/// runs again, and so does every `ValueQuery`.
extension Store {
  /// The records that a query finds, now and after each commit that changes them.
  ///
  /// ```swift
  /// let photos = try store.live(Query<Photo>(in: space).filter(\.album == album))
  /// let watching = photos.observe { print("Photos:", $0.count) }
  /// try store.write(in: space) { try $0.update(photo) { $0.album = Reference(album) } }
  /// watching.cancel()
  /// ```
  /// An observer gets whole results: the present one at once, and then each that differs. For a
  /// list that animates what changed, see `liveResult(of:)`. A failure alone is no news here;
  /// `liveFailure` tells it.
  ///
  /// - Parameter query: which records.
  /// - Returns: the signal, with the records as of a commit in its `value`.
  /// - Throws: as `fetch(_:)`, for the first answer alone.
  public func live<E: Entity>(_ query: Query<E>) throws -> Signal<[E]> {
    // A failure alone is no news of the records.
    try liveResult(of: query).distinct { $0.revision == $1.revision }.map(\.elements)
  }

  /// The records that a query finds, now and after each commit that changes them, with what differs
  /// from what an observer has seen:
  ///
  /// ```swift
  /// let photos = try store.liveResult(of: Query<Photo>(in: space).sorted(by: \.takenAt))
  /// let watching = photos.observeChanges { update in
  ///   print("out", update.changes.removals, "in", update.changes.insertions)
  ///   if let failure = update.result.failure { print(failure.message) }
  /// }
  /// watching.cancel()
  /// ```
  /// Each observer has its own differences, from what it last saw. Records are the same if their
  /// ids are; one is updated if any field reads otherwise.
  ///
  /// - Parameter query: which records.
  /// - Returns: the signal of the results.
  /// - Throws: as `fetch(_:)`, for the first answer alone.
  public func liveResult<E: Entity>(of query: Query<E>) throws -> Signal<QueryResult<E>> {
    let reads = try QueryText.records(query, layout).reads
    guard let plan = try QueryPlan(query, bugs: options.seededBugs) else {
      return try liveResult(of: query.result).map { answer in
        var result = answer.value
        (result.failure, result.revision) = (answer.failure, answer.revision)
        return result
      }
    }
    let (window, arrival) = try readTransaction { (reader) throws(StoreError) in
      (try reader.window(query, plan), try reader.arrival(of: query.space))
    }
    let variable = Variable(window.result)
    let live = LiveRecords(
      query: query, reads: reads, window: Lock(window),
      filter: RowFilter(plan, query, showing: window.result), variable: variable)
    return follow(live, shows: arrival, variable)
  }

  /// The answer to a query, now and after each commit that changes it.
  ///
  /// ```swift
  /// let count = try store.live(Query<Photo>(in: space).count())
  /// let watching = count.observe { print("Photos:", $0) }
  /// watching.cancel()
  /// ```
  /// The query runs again after each commit that touches a field that it reads, and tells only
  /// where the answer is another.
  public func live<Value>(_ query: ValueQuery<Value>) throws -> Signal<Value> {
    try liveResult(of: query).distinct { $0.revision == $1.revision }.map(\.value)
  }

  /// The answer to a query, now and after each commit that changes it, and whether it is up to
  /// date:
  ///
  /// ```swift
  /// let total = try store.liveResult(of: Query<Photo>(in: space).sum(of: \.stars))
  /// let watching = total.observe { answer in
  ///   print(answer.failure?.message ?? "\(answer.value)")
  /// }
  /// watching.cancel()
  /// ```
  public func liveResult<Value>(
    of query: ValueQuery<Value>
  ) throws -> Signal<QueryAnswer<Value>> {
    let reads = try query.text(layout).reads
    let (value, arrival) = try readTransaction { (reader) throws(StoreError) in
      (try reader.fetch(query), try reader.arrival(of: query.space))
    }
    let variable = Variable(QueryAnswer(value))
    let live = LiveValue(query: query, reads: reads, variable: variable)
    return follow(live, shows: arrival, variable)
  }

  /// Why a live query, of conflicts and of what can be undone too, could not be brought up to date;
  /// nil while all show the last commit. What an app shows once for all of its lists.
  ///
  /// ```swift
  /// let watching = store.liveFailure.observe { failure in
  ///   if let failure { print("What you see may be old:", failure.message) }
  /// }
  /// watching.cancel()
  /// ```
  /// It is that of the oldest query that has one, and goes when all could be read again.
  public var liveFailure: Signal<StoreError?> { liveQueries.failure.signal }

  /// The signal of a query's variable, which holds the query.
  func follow<Value>(
    _ query: any LiveQuery, shows arrival: UInt64, _ variable: Variable<Value>
  ) -> Signal<Value> {
    let subscription = liveQueries.add(query, shows: arrival, in: self)
    return variable.signal.map { value in withExtendedLifetime(subscription) { value } }
  }
}
