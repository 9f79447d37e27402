public import ReunionFlow

/// What an observer of a live query is told: the present result, and what differs from the last one
/// that this observer was told of.
///
/// ```swift
/// let photos = try store.liveResult(of: Query<Photo>(in: space))
/// let watching = photos.observeChanges { update in
///   print(update.result.count, "photos, new at", update.changes.insertions)
/// }
/// watching.cancel()
/// ```
public struct QueryUpdate<Element: Sendable>: Sendable {
  /// The present result; its `failure` tells where it could not be brought up to date.
  public let result: QueryResult<Element>
  /// What differs; in the first update all is inserted.
  public let changes: QueryChanges
}

extension Signal {
  /// Calls a closure with the present result, and then with each one that differs and how, until
  /// the result of this call is released.
  ///
  /// Each observer has its own differences: from what it last saw to now. An update without changes
  /// tells of a failure, or that one is over.
  /// *Thread*: as for `observe`: that of the writer, which waits. The first call is over when this
  /// returns.
  public func observeChanges<Element>(
    file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @Sendable (QueryUpdate<Element>) -> Void
  ) -> SignalSubscription where Value == QueryResult<Element> {
    let seen = LastSeen<Element>()
    return observe(file: file, line: line) { result in
      if let update = seen.update(to: result) { body(update) }
    }
  }

  /// As `observeChanges`, on the main thread: where it is slow, several commits become one update.
  ///
  /// ```swift
  /// let photos = try store.liveResult(of: Query<Photo>(in: space))
  /// let watching = photos.observeChanges(on: .shared) { update in
  ///   for index in update.changes.insertions { print("row", index) }
  /// }
  /// watching.cancel()
  /// ```
  /// After `cancel()` has returned on the main thread no more calls come.
  public func observeChanges<Element>(
    on actor: MainActor, file: StaticString = #fileID, line: UInt = #line,
    _ body: @escaping @MainActor (QueryUpdate<Element>) -> Void
  ) -> SignalSubscription where Value == QueryResult<Element> {
    let seen = LastSeen<Element>()
    return observe(on: actor, file: file, line: line) { result in
      if let update = seen.update(to: result) { body(update) }
    }
  }

  /// The present result and each one that differs, for `for await`; a slow reader gets one update
  /// from what it last saw to now.
  ///
  /// ```swift
  /// let photos = try store.liveResult(of: Query<Photo>(in: space))
  /// for await update in photos.changes() {
  ///   print(update.result.count)
  ///   if update.result.count > 100 { break }
  /// }
  /// ```
  /// The sequence never ends by itself: leave the loop, or cancel its task.
  public func changes<Element>() -> QueryUpdates<Element> where Value == QueryResult<Element> {
    QueryUpdates(results: values())
  }
}

/// The updates of a live query, for `for await`. It is for one reader: a second loop over it shares
/// the values with the first. *Lifetime*: it follows for as long as it is held.
public struct QueryUpdates<Element: Sendable>: AsyncSequence, Sendable {
  let results: AsyncStream<QueryResult<Element>>

  /// Reads the updates.
  public struct AsyncIterator: AsyncIteratorProtocol {
    var results: AsyncStream<QueryResult<Element>>.Iterator
    let seen = LastSeen<Element>()

    /// The next update, when there is one; nil after the task was cancelled. Results that came
    /// while nobody asked are one update.
    public mutating func next() async -> QueryUpdate<Element>? {
      while let result = await results.next() {
        if let update = seen.update(to: result) { return update }
      }
      return nil
    }
  }

  /// Begins to read.
  public func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(results: results.makeAsyncIterator())
  }
}

/// What one observer has seen last.
final class LastSeen<Element: Sendable>: Sendable {
  private struct State {
    var result: QueryResult<Element>?
  }

  private let state = Lock(State())

  /// The update to a result; nil where it shows the same.
  func update(to result: QueryResult<Element>) -> QueryUpdate<Element>? {
    let earlier = state.withLock { state in
      defer { state.result = result }
      return state.result
    }
    let changes = result.changes(since: earlier)
    let isNews = !changes.isEmpty || earlier?.failure?.message != result.failure?.message
    guard earlier == nil || isNews else { return nil }
    return QueryUpdate(result: result, changes: changes)
  }
}
