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
      guard let number = try reader.numbers.existingNumber(of: query.space) else { return [] }
      return try reader.fetch(query, space: number)
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
  /// *Lifetime*: the signal follows the store for as long as it, or an observation of it, lives.
  /// *Errors*: the first fetch's are thrown; where a later one fails, the value stays.
  /// *Thread*: that of the writer. *Cost*: a fetch for each commit that touches the entity.
  public func live<E: Entity>(_ query: Query<E>) throws -> Signal<[E]> {
    let variable = Variable(try fetch(query))
    let refresh = Refresh()
    let subscription = observeCommits { [weak self] commit in
      guard commit.space == query.space, commit.entities.contains(E.schema.number) else { return }
      refresh.run {
        if let self, let records = try? self.fetch(query) { variable.value = records }
      }
    }
    // A commit may have come between the first fetch and the observation.
    refresh.run { if let records = try? fetch(query) { variable.value = records } }
    return variable.signal.map { records in
      withExtendedLifetime(subscription) { records }
    }
  }
}

/// Runs work one after the other; what is asked for meanwhile is run once more at the end.
private final class Refresh: Sendable {
  private struct State {
    var isRunning = false
    var isWanted = false
  }

  private let state = Lock(State())

  func run(_ body: () -> Void) {
    let isMine = state.withLock { state in
      state.isWanted = true
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard isMine else { return }
    while next() { body() }
  }

  private func next() -> Bool {
    state.withLock { state in
      defer { state.isWanted = false }
      if !state.isWanted { state.isRunning = false }
      return state.isWanted
    }
  }
}
