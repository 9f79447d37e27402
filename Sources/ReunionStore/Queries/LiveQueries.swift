import ReunionCore
import ReunionFlow

/// The live queries of a store: a commit is one turn of theirs.
///
/// All that commits have touched is fetched in one read transaction and published in one turn. What
/// a commit touches is marked before it takes place, so that whoever reads after it finds the marks
/// of all that it reads; and again afterwards, so that nothing is missed that was fetched between.
final class LiveQueries: Sendable {
  private struct State {
    var lastNumber: UInt64 = 0
    var queries: [(number: UInt64, query: any LiveQuery)] = []
    var touched: Set<TouchedEntity> = []
    var isRefreshing = false
    var isWanted = false
  }

  private let state = Lock(State())

  /// Notes what a commit touches that is about to take place.
  func mark(_ commit: Commit) {
    state.withLock { state in
      for entity in commit.entities {
        state.touched.insert(TouchedEntity(space: commit.space, entity: entity))
      }
    }
  }

  /// Brings the queries up to date with commits that have taken place.
  func follow(_ commits: [Commit], in store: Store) {
    for commit in commits { mark(commit) }
    refresh(in: store)
  }

  /// Has a query kept up to date until the result is released, beginning now.
  func add(_ query: any LiveQuery, in store: Store) -> Subscription {
    let number = state.withLock { state in
      state.lastNumber += 1
      state.queries.append((state.lastNumber, query))
      state.touched.insert(query.entity)
      return state.lastNumber
    }
    refresh(in: store)
    return Subscription { [weak self] in
      let removed = self?.state.withLock { state in
        state.queries.firstIndex { $0.number == number }.map { state.queries.remove(at: $0) }
      }
      _ = removed
    }
  }

  /// Fetches and publishes until nothing is wanted; one thread does it for all, round by round.
  private func refresh(in store: Store) {
    let isMine = state.withLock { state in
      state.isWanted = !state.queries.isEmpty
      guard state.isWanted, !state.isRefreshing else { return false }
      state.isRefreshing = true
      return true
    }
    guard isMine else { return }
    while isWanted() {
      // Where it cannot be read, the values stay, and the next commit tries again.
      let updates = try? store.readTransaction { (reader) throws(StoreError) in
        try reader.beginSnapshot()
        return try fetch(reader)
      }
      transaction {
        for update in updates ?? [] { update() }
      }
    }
  }

  private func isWanted() -> Bool {
    state.withLock { state in
      defer { state.isWanted = false }
      if !state.isWanted { state.isRefreshing = false }
      return state.isWanted
    }
  }

  /// What brings the touched queries up to date with the reader's snapshot.
  private func fetch(_ reader: RecordReader) throws(StoreError) -> [@Sendable () -> Void] {
    let (touched, queries) = state.withLock { state in
      defer { state.touched = [] }
      return (state.touched, state.queries.filter { state.touched.contains($0.query.entity) })
    }
    do throws(StoreError) {
      var updates: [@Sendable () -> Void] = []
      for (_, query) in queries { updates.append(try query.fetch(reader)) }
      return updates
    } catch {
      state.withLock { $0.touched.formUnion(touched) }
      throw error
    }
  }
}

/// The records of one entity in one space.
struct TouchedEntity: Hashable, Sendable {
  let space: SpaceID
  let entity: UInt32
}

/// A query with the variable that shows what it finds.
protocol LiveQuery: Sendable {
  var entity: TouchedEntity { get }

  /// Fetches, and returns what shows it.
  func fetch(_ reader: RecordReader) throws(StoreError) -> @Sendable () -> Void
}

/// A live query for records.
struct LiveRecords<E: Entity>: LiveQuery {
  let query: Query<E>
  let records: Variable<[E]>

  var entity: TouchedEntity { TouchedEntity(space: query.space, entity: E.schema.number) }

  func fetch(_ reader: RecordReader) throws(StoreError) -> @Sendable () -> Void {
    let found = try reader.fetch(query)
    return { records.value = found }
  }
}

extension RecordReader {
  /// The records that a query finds; none in a space that there is not.
  func fetch<E: Entity>(_ query: Query<E>) throws(StoreError) -> [E] {
    guard let number = try numbers.existingNumber(of: query.space) else { return [] }
    return try fetch(query, space: number)
  }

  /// Fixes what this read transaction sees.
  fileprivate func beginSnapshot() throws(StoreError) {
    _ = try connection.number("SELECT 1 FROM reunion_space LIMIT 1")
  }
}
