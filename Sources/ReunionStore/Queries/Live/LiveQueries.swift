import ReunionCore
import ReunionDisk
import ReunionFlow

/// The live queries of a store: a commit is one turn of theirs.
///
/// What commits have touched is brought up to date in one read transaction and published in one
/// turn. A commit is noted before it takes place; whether a snapshot shows it, the arrival number of
/// its space there tells. So nothing that a snapshot shows is overlooked, and nothing is taken for
/// seen that it does not show. One that keeps the number of the commit before is noted when it has
/// taken place, and read in the snapshots that begin after that.
final class LiveQueries: CommitFollower {
  /// A query with the fields that it reads of an entity.
  fileprivate struct Reading {
    let number: UInt64
    let fields: FieldSet
    let query: any LiveQuery
    let filter: RowFilter?
    /// Whether the query reads other entities as well.
    let isOneOfMany: Bool
  }

  /// What was read in one snapshot.
  fileprivate struct Outcome {
    let commits: [Commit]
    let added: Set<UInt64>
    var numbers: [UInt64] = []
    var updates: [@Sendable () -> Void] = []
  }

  /// A query to bring up to date, with what was touched; nil if nobody knows that.
  fileprivate struct Work {
    let number: UInt64
    let query: any LiveQuery
    let filter: RowFilter?
    let touches: Touches?
  }

  fileprivate struct State {
    /// Those that read their space after each commit there.
    var bySpace: [SpaceID: Set<UInt64>] = [:]
    /// What the next round reads.
    var due = Due()
    var lastNumber: UInt64 = 0
    var queries: [UInt64: any LiveQuery] = [:]
    var readings: [EntityInSpace: [Reading]] = [:]
    /// Commits that no refresh has seen yet, in their order.
    var commits: [Commit] = []
    /// Queries that may be older than the others, with the arrival number of their snapshot; nil if
    /// it tells nothing.
    var added: [(number: UInt64, arrival: UInt64?)] = []
    /// Whether any commit kept the arrival number of the one before.
    var hasKeptArrival = false
    /// The queries whose last read failed, and why.
    var failures: [UInt64: StoreError] = [:]
  }

  /// What took place before a round begins, so that its snapshot shows it.
  fileprivate struct Due {
    /// The spaces that queries which read a whole space have not read since a commit there.
    var spaces: Set<SpaceID> = []
    /// Commits that kept the arrival number of the one before.
    var commits: [Commit] = []

    var isEmpty: Bool { spaces.isEmpty && commits.isEmpty }
  }

  fileprivate struct EntityInSpace: Hashable {
    let space: SpaceID
    let entity: UInt32
  }

  /// Queries that a round leaves out one by one; where more fail, all do.
  private static let failuresMax = 8

  private let state = Lock(State())
  private let rounds = Rounds()
  /// The failure of the oldest query that has one.
  let failure = Variable<StoreError?>(nil)

  /// Notes a commit that is about to take place.
  func mark(_ commit: Commit) {
    guard !commit.touches.isEmpty, !commit.keepsArrival else { return }
    state.withLock { state in
      // One of the same number did not take place.
      state.commits.removeAll { $0.space == commit.space && $0.arrival >= commit.arrival }
      state.commits.append(commit)
    }
  }

  /// Brings the queries up to date with commits that have taken place.
  ///
  /// *Cost*: nanoseconds for each query of an entity that they touched, and a fetch for those that
  /// read what they touched, or failed before.
  func follow(_ commits: [Commit], in store: Store) {
    let isRead = state.withLock { state in
      for commit in commits where state.bySpace[commit.space] != nil {
        state.due.spaces.insert(commit.space)
      }
      for commit in commits where !commit.touches.isEmpty {
        let isRead = state.isRead(commit)
        if commit.keepsArrival {
          state.hasKeptArrival = true
          if isRead { state.due.commits.append(commit) }
          continue
        }
        guard !isRead else { continue }
        state.commits.removeAll { $0.space == commit.space && $0.arrival == commit.arrival }
      }
      return !state.commits.isEmpty || !state.due.isEmpty
        || state.failures.keys.contains { state.queries[$0] != nil }
    }
    if isRead { refresh(in: store) }
  }

  /// Has a query kept up to date until the result is released. It shows a snapshot in which its
  /// space had an arrival number.
  func add(_ query: any LiveQuery, shows arrival: UInt64, in store: Store) -> SignalSubscription {
    let number = state.withLock { state in
      state.lastNumber += 1
      state.queries[state.lastNumber] = query
      if query.reads == nil {
        state.bySpace[query.space, default: []].insert(state.lastNumber)
        // What was committed since may not show in the arrival number.
        state.due.spaces.insert(query.space)
      }
      for (entity, fields) in query.reads ?? [:] {
        state.readings[EntityInSpace(space: query.space, entity: entity), default: []]
          .append(
            Reading(
              number: state.lastNumber, fields: fields, query: query, filter: query.filter,
              isOneOfMany: (query.reads?.count ?? 0) > 1))
      }
      state.added.append((state.lastNumber, state.hasKeptArrival ? nil : arrival))
      return state.lastNumber
    }
    refresh(in: store)
    return SignalSubscription { [weak self] in self?.remove(number) }
  }

  private func remove(_ number: UInt64) {
    let removed = state.withLock { state in
      let removed = state.queries.removeValue(forKey: number)
      state.failures[number] = nil
      guard let removed else { return removed }
      if state.bySpace[removed.space]?.remove(number) != nil,
        state.bySpace[removed.space]?.isEmpty == true
      {
        state.bySpace[removed.space] = nil
      }
      for (entity, _) in removed.reads ?? [:] {
        let key = EntityInSpace(space: removed.space, entity: entity)
        state.readings[key]?.removeAll { $0.number == number }
        if state.readings[key]?.isEmpty == true { state.readings[key] = nil }
      }
      return removed
    }
    // Outside of the lock: it may hold what releases another query.
    withExtendedLifetime(removed) {}
    showFailure()
  }

  private func showFailure() {
    guard failure.value?.message != state.withLock({ $0.failure?.message }) else { return }
    // Two threads may come here: what is shown is read when it is shown.
    failure.update { [state] shown in shown = state.withLock { $0.failure } }
  }

  /// Fetches and publishes until nothing is wanted; one thread does it for all, round by round.
  private func refresh(in store: Store) {
    rounds.run {
      let updates = round(in: store)
      guard !updates.isEmpty else { return showFailure() }
      transaction {
        for update in updates { update() }
        showFailure()
      }
    }
  }

  /// Reads what is due in one snapshot, and returns what shows it. A query that cannot be read is left
  /// out of the next try, so that it holds up no other; the next commit tries it again.
  private func round(in store: Store) -> [@Sendable () -> Void] {
    var failed: [UInt64: StoreError] = [:]
    let due = state.withLock { state in
      defer { state.due = Due() }
      return state.due
    }
    while true {
      var current: UInt64?
      do throws(StoreError) {
        let reading = try store.readTransaction { (reader) throws(StoreError) in
          try reader.beginSnapshot()
          return try self.reading(reader, due, except: failed, &current)
        }
        return settle(reading, failed)
      } catch {
        if store.options.seededBugs.liveFailureDropped { return [] }
        guard let number = current, failed.count < Self.failuresMax else {
          return fail(error, due)
        }
        failed[number] = error
      }
    }
  }

  /// Notes what was read, and returns what shows it.
  private func settle(
    _ reading: Outcome, _ failed: [UInt64: StoreError]
  ) -> [@Sendable () -> Void] {
    state.withLock { state in
      state.commits.removeAll(where: reading.commits.contains)
      state.added.removeAll { one in reading.added.contains(one.number) }
      for number in reading.numbers { state.failures[number] = nil }
      return reading.updates + state.fail(failed)
    }
  }

  /// What shows that nothing could be read of what was committed.
  private func fail(_ error: StoreError, _ due: Due) -> [@Sendable () -> Void] {
    state.withLock { state in
      var touched: [SpaceID: Touches] = [:]
      for commit in state.commits + due.commits {
        touched[commit.space, default: Touches()].formUnion(commit.touches)
      }
      let numbers = Set(
        state.queries(reading: touched).map(\.number) + state.added.map(\.number)
          + state.failures.keys + state.numbers(readingAllOf: due.spaces.union(touched.keys)))
      return state.fail(Dictionary(uniqueKeysWithValues: numbers.map { ($0, error) }))
    }
  }

  /// Brings the queries up to date with the reader's snapshot; `current` is the one that is being read.
  private func reading(
    _ reader: RecordReader, _ due: Due, except failed: [UInt64: StoreError],
    _ current: inout UInt64?
  ) throws(StoreError) -> Outcome {
    let (commits, added) = state.withLock { ($0.commits, $0.added) }
    let addedSpaces = state.withLock { state in added.map { state.queries[$0.number]?.space } }
    var arrivals: [SpaceID: UInt64] = [:]
    for space in Set(commits.map(\.space) + addedSpaces.compactMap { $0 }) {
      arrivals[space] = try reader.arrival(of: space)
    }
    let shown = commits.filter { $0.arrival <= arrivals[$0.space] ?? 0 }
    var touched: [SpaceID: Touches] = [:]
    for commit in shown + due.commits {
      touched[commit.space, default: Touches()].formUnion(commit.touches)
    }
    // What failed before is read whole, whatever was touched since.
    var whole = state.withLock { state in
      Set(state.failures.keys).union(state.numbers(readingAllOf: due.spaces.union(touched.keys)))
    }
    for (index, query) in added.enumerated() {
      // A commit came between its snapshot and its registration, perhaps without its knowledge.
      guard let space = addedSpaces[index], arrivals[space] != query.arrival else { continue }
      whole.insert(query.number)
    }
    let rows = LiveRows(reader)
    var outcome = Outcome(commits: shown, added: Set(added.map(\.number)))
    for one in state.withLock({ $0.work(touched, whole) }) where failed[one.number] == nil {
      // Most queries have nothing to do with most records.
      if let filter = one.filter, let touches = one.touches, filter.passesOver(touches, rows) {
        continue
      }
      current = one.number
      if let update = try one.query.refresh(one.touches, rows) { outcome.updates.append(update) }
      outcome.numbers.append(one.number)
    }
    current = nil
    return outcome
  }
}

fileprivate extension LiveQueries.State {
  /// The failure of the oldest query that has one.
  var failure: StoreError? { failures.keys.min().flatMap { failures[$0] } }

  /// Notes why queries could not be read, and returns what shows it.
  mutating func fail(_ failed: [UInt64: StoreError]) -> [@Sendable () -> Void] {
    failed.compactMap { number, error in
      guard let query = queries[number] else { return nil }
      failures[number] = error
      return query.fail(error)
    }
  }

  /// Those that read all of these spaces.
  func numbers(readingAllOf spaces: Set<SpaceID>) -> Set<UInt64> {
    guard !bySpace.isEmpty else { return [] }
    return spaces.reduce(into: []) { $0.formUnion(bySpace[$1] ?? []) }
  }

  /// Whether any query reads what a commit touched.
  func isRead(_ commit: Commit) -> Bool {
    commit.touches.byEntity.contains { entity, touched in
      let key = LiveQueries.EntityInSpace(space: commit.space, entity: entity)
      return readings[key]?.contains { $0.fields.intersects(touched.fields) } ?? false
    }
  }

  /// The queries that read what was touched, with it, and those that are to be read whole.
  func work(_ touched: [SpaceID: Touches], _ whole: Set<UInt64>) -> [LiveQueries.Work] {
    queries(reading: touched).filter { !whole.contains($0.number) }
      + whole.sorted().compactMap { number in
        queries[number].map {
          LiveQueries.Work(number: number, query: $0, filter: nil, touches: nil)
        }
      }
  }

  /// The queries that read what was touched, with it.
  func queries(reading touched: [SpaceID: Touches]) -> [LiveQueries.Work] {
    var found: [LiveQueries.Work] = []
    var seen: Set<UInt64> = []
    for (space, touches) in touched {
      for (entity, fields) in touches.byEntity.mapValues(\.fields) {
        let key = LiveQueries.EntityInSpace(space: space, entity: entity)
        for reading in readings[key] ?? [] where reading.fields.intersects(fields) {
          guard !reading.isOneOfMany || seen.insert(reading.number).inserted else { continue }
          found.append(
            LiveQueries.Work(
              number: reading.number, query: reading.query, filter: reading.filter,
              touches: touches))
        }
      }
    }
    return found
  }
}

extension Store {
  /// Its live queries.
  var liveQueries: LiveQueries {
    guard let live = parts.live as? LiveQueries else {
      preconditionFailure("A store was opened without live queries.")
    }
    return live
  }
}

extension RecordReader {
  /// Fixes what this read transaction sees.
  fileprivate func beginSnapshot() throws(StoreError) {
    _ = try connection.number("SELECT 1 FROM reunion_space LIMIT 1")
  }
}
