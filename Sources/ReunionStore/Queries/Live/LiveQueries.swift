import ReunionCore
import ReunionFlow

/// The live queries of a store: a commit is one turn of theirs.
///
/// What commits have touched is brought up to date in one read transaction and published in one
/// turn. A commit is noted before it takes place; whether a snapshot shows it, the arrival number of
/// its space there tells. So nothing that a snapshot shows is overlooked, and nothing is taken for
/// seen that it does not show.
final class LiveQueries: Sendable {
  /// Who reads what of an entity.
  fileprivate struct Reading {
    let number: UInt64
    let fields: FieldSet
    let query: any LiveQuery
    let filter: RowFilter?
    /// Whether the query reads other entities as well.
    let isOneOfMany: Bool
  }

  fileprivate struct State {
    var lastNumber: UInt64 = 0
    var queries: [UInt64: any LiveQuery] = [:]
    var readings: [EntityInSpace: [Reading]] = [:]
    /// Commits that no refresh has seen yet, in their order.
    var commits: [Commit] = []
    /// Queries that may be older than the others, with the arrival number of their snapshot.
    var added: [(number: UInt64, arrival: UInt64)] = []
    var isRefreshing = false
    var isWanted = false
  }

  fileprivate struct EntityInSpace: Hashable {
    let space: SpaceID
    let entity: UInt32
  }

  private let state = Lock(State())

  /// Notes a commit that is about to take place.
  func mark(_ commit: Commit) {
    guard !commit.touches.isEmpty else { return }
    state.withLock { state in
      // One of the same number did not take place.
      state.commits.removeAll { $0.space == commit.space && $0.arrival >= commit.arrival }
      state.commits.append(commit)
    }
  }

  /// Brings the queries up to date with commits that have taken place.
  ///
  /// *Cost*: nanoseconds for each query of an entity that they touched, and a fetch for those that
  /// read what they touched.
  func follow(_ commits: [Commit], in store: Store) {
    let isRead = state.withLock { state in
      for commit in commits where !commit.touches.isEmpty && !state.isRead(commit) {
        state.commits.removeAll { $0.space == commit.space && $0.arrival == commit.arrival }
      }
      return !state.commits.isEmpty
    }
    if isRead { refresh(in: store) }
  }

  /// Has a query kept up to date until the result is released. It shows a snapshot in which its
  /// space had an arrival number.
  func add(_ query: any LiveQuery, shows arrival: UInt64, in store: Store) -> Subscription {
    let number = state.withLock { state in
      state.lastNumber += 1
      state.queries[state.lastNumber] = query
      for (entity, fields) in query.reads {
        state.readings[EntityInSpace(space: query.space, entity: entity), default: []]
          .append(
            Reading(
              number: state.lastNumber, fields: fields, query: query, filter: query.filter,
              isOneOfMany: query.reads.count > 1))
      }
      state.added.append((state.lastNumber, arrival))
      return state.lastNumber
    }
    refresh(in: store)
    return Subscription { [weak self] in self?.remove(number) }
  }

  private func remove(_ number: UInt64) {
    let removed = state.withLock { state in
      let removed = state.queries.removeValue(forKey: number)
      for (entity, _) in removed?.reads ?? [:] {
        let key = EntityInSpace(space: removed?.space ?? SpaceID(high: 0, low: 0), entity: entity)
        state.readings[key]?.removeAll { $0.number == number }
        if state.readings[key]?.isEmpty == true { state.readings[key] = nil }
      }
      return removed
    }
    // Outside of the lock: it may hold what releases another query.
    withExtendedLifetime(removed) {}
  }

  /// Fetches and publishes until nothing is wanted; one thread does it for all, round by round.
  private func refresh(in store: Store) {
    let isMine = state.withLock { state in
      state.isWanted = true
      guard !state.isRefreshing else { return false }
      state.isRefreshing = true
      return true
    }
    guard isMine else { return }
    while isWanted() {
      // Where it cannot be read, the values stay, and the next commit tries again.
      let updates = try? store.readTransaction { (reader) throws(StoreError) in
        try reader.beginSnapshot()
        return try self.updates(reader)
      }
      guard let updates, !updates.isEmpty else { continue }
      transaction {
        for update in updates { update() }
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

  /// What brings the queries up to date with the reader's snapshot.
  private func updates(_ reader: RecordReader) throws(StoreError) -> [@Sendable () -> Void] {
    let (commits, added) = state.withLock { ($0.commits, $0.added) }
    let addedSpaces = state.withLock { state in added.map { state.queries[$0.number]?.space } }
    var arrivals: [SpaceID: UInt64] = [:]
    for space in Set(commits.map(\.space) + addedSpaces.compactMap { $0 }) {
      arrivals[space] = try reader.arrival(of: space)
    }
    let shown = commits.filter { $0.arrival <= arrivals[$0.space] ?? 0 }
    var touched: [SpaceID: Touches] = [:]
    for commit in shown { touched[commit.space, default: Touches()].formUnion(commit.touches) }
    var work: [(query: any LiveQuery, filter: RowFilter?, touches: Touches?)] = state.withLock {
      $0.queries(reading: touched)
    }
    for (index, query) in added.enumerated() {
      // A commit came between its snapshot and its registration, perhaps without its knowledge.
      guard let space = addedSpaces[index], arrivals[space] != query.arrival else { continue }
      if let query = state.withLock({ $0.queries[query.number] }) { work.append((query, nil, nil)) }
    }
    let rows = LiveRows(reader)
    var updates: [@Sendable () -> Void] = []
    for (query, filter, touches) in work {
      // Most queries have nothing to do with most records.
      if let filter, let touches, filter.passesOver(touches, rows) { continue }
      if let update = try query.refresh(touches, rows) { updates.append(update) }
    }
    state.withLock { state in
      state.commits.removeAll(where: shown.contains)
      state.added.removeAll { one in added.contains { $0.number == one.number } }
    }
    return updates
  }
}

fileprivate extension LiveQueries.State {
  /// Whether any query reads what a commit touched.
  func isRead(_ commit: Commit) -> Bool {
    commit.touches.byEntity.contains { entity, touched in
      let key = LiveQueries.EntityInSpace(space: commit.space, entity: entity)
      return readings[key]?.contains { $0.fields.intersects(touched.fields) } ?? false
    }
  }

  /// The queries that read what was touched, with it.
  func queries(
    reading touched: [SpaceID: Touches]
  ) -> [(query: any LiveQuery, filter: RowFilter?, touches: Touches?)] {
    var found: [(query: any LiveQuery, filter: RowFilter?, touches: Touches?)] = []
    var seen: Set<UInt64> = []
    for (space, touches) in touched {
      for (entity, fields) in touches.byEntity.mapValues(\.fields) {
        let key = LiveQueries.EntityInSpace(space: space, entity: entity)
        for reading in readings[key] ?? [] where reading.fields.intersects(fields) {
          guard !reading.isOneOfMany || seen.insert(reading.number).inserted else { continue }
          found.append((reading.query, reading.filter, touches))
        }
      }
    }
    return found
  }
}

extension RecordReader {
  /// Fixes what this read transaction sees.
  fileprivate func beginSnapshot() throws(StoreError) {
    _ = try connection.number("SELECT 1 FROM reunion_space LIMIT 1")
  }
}
