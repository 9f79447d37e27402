import ReunionCore
import ReunionDisk
import ReunionFlow

/// The live queries of a store: a commit is one turn of theirs.
///
/// What commits have touched is brought up to date in one read transaction and published in one
/// turn. A commit is noted before it takes place; whether a snapshot shows it, the arrival number of
/// its space there tells. So nothing that a snapshot shows is overlooked, and nothing is taken for
/// seen that it does not show.
final class LiveQueries: CommitFollower {
  /// Who reads what of an entity.
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

  /// A query that is to be brought up to date, and what was touched; nil where nobody knows.
  fileprivate struct Work {
    let number: UInt64
    let query: any LiveQuery
    let filter: RowFilter?
    let touches: Touches?
  }

  fileprivate struct State {
    var lastNumber: UInt64 = 0
    var queries: [UInt64: any LiveQuery] = [:]
    var readings: [EntityInSpace: [Reading]] = [:]
    /// Commits that no refresh has seen yet, in their order.
    var commits: [Commit] = []
    /// Queries that may be older than the others, with the arrival number of their snapshot.
    var added: [(number: UInt64, arrival: UInt64)] = []
    /// The queries whose last read failed, and why.
    var failures: [UInt64: StoreError] = [:]
    var isRefreshing = false
    var isWanted = false
  }

  fileprivate struct EntityInSpace: Hashable {
    let space: SpaceID
    let entity: UInt32
  }

  /// Queries that a round leaves out one by one; where more fail, all do.
  private static let failuresMax = 8

  private let state = Lock(State())
  /// The failure of the oldest query that has one.
  let failure = Variable<StoreError?>(nil)

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
  /// read what they touched, or failed before.
  func follow(_ commits: [Commit], in store: Store) {
    let isRead = state.withLock { state in
      for commit in commits where !commit.touches.isEmpty && !state.isRead(commit) {
        state.commits.removeAll { $0.space == commit.space && $0.arrival == commit.arrival }
      }
      return !state.commits.isEmpty || state.failures.keys.contains { state.queries[$0] != nil }
    }
    if isRead { refresh(in: store) }
  }

  /// Has a query kept up to date until the result is released. It shows a snapshot in which its
  /// space had an arrival number.
  func add(_ query: any LiveQuery, shows arrival: UInt64, in store: Store) -> SignalSubscription {
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
    return SignalSubscription { [weak self] in self?.remove(number) }
  }

  private func remove(_ number: UInt64) {
    let removed = state.withLock { state in
      let removed = state.queries.removeValue(forKey: number)
      state.failures[number] = nil
      for (entity, _) in removed?.reads ?? [:] {
        let key = EntityInSpace(space: removed?.space ?? SpaceID(high: 0, low: 0), entity: entity)
        state.readings[key]?.removeAll { $0.number == number }
        if state.readings[key]?.isEmpty == true { state.readings[key] = nil }
      }
      return removed
    }
    // Outside of the lock: it may hold what releases another query.
    withExtendedLifetime(removed) {}
    showFailure()
  }

  /// A number for somebody else who reads after commits, to say by what became of it.
  func reserveNumber() -> UInt64 {
    state.withLock { state in
      state.lastNumber += 1
      return state.lastNumber
    }
  }

  /// Notes what became of a reader's last read.
  func note(_ failure: StoreError?, of number: UInt64) {
    state.withLock { $0.failures[number] = failure }
    showFailure()
  }

  private func showFailure() {
    guard failure.value?.message != state.withLock({ $0.failure?.message }) else { return }
    // Two threads may come here: what is shown is read when it is shown.
    failure.update { [state] shown in shown = state.withLock { $0.failure } }
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
      let updates = round(in: store)
      guard !updates.isEmpty else { continue }
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
    while true {
      var current: UInt64?
      do throws(StoreError) {
        let reading = try store.readTransaction { (reader) throws(StoreError) in
          try reader.beginSnapshot()
          return try self.reading(reader, except: failed, &current)
        }
        return settle(reading, failed)
      } catch {
        if store.options.seededBugs.contains(.liveFailureDropped) { return [] }
        guard let number = current, failed.count < Self.failuresMax else { return fail(error) }
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
  private func fail(_ error: StoreError) -> [@Sendable () -> Void] {
    state.withLock { state in
      var touched: [SpaceID: Touches] = [:]
      for commit in state.commits {
        touched[commit.space, default: Touches()].formUnion(commit.touches)
      }
      let numbers = Set(
        state.queries(reading: touched).map(\.number) + state.added.map(\.number)
          + state.failures.keys)
      return state.fail(Dictionary(uniqueKeysWithValues: numbers.map { ($0, error) }))
    }
  }

  private func isWanted() -> Bool {
    state.withLock { state in
      defer { state.isWanted = false }
      if !state.isWanted { state.isRefreshing = false }
      return state.isWanted
    }
  }

  /// Brings the queries up to date with the reader's snapshot; `current` is the one that is being read.
  private func reading(
    _ reader: RecordReader, except failed: [UInt64: StoreError], _ current: inout UInt64?
  ) throws(StoreError) -> Outcome {
    let (commits, added) = state.withLock { ($0.commits, $0.added) }
    let addedSpaces = state.withLock { state in added.map { state.queries[$0.number]?.space } }
    var arrivals: [SpaceID: UInt64] = [:]
    for space in Set(commits.map(\.space) + addedSpaces.compactMap { $0 }) {
      arrivals[space] = try reader.arrival(of: space)
    }
    let shown = commits.filter { $0.arrival <= arrivals[$0.space] ?? 0 }
    var touched: [SpaceID: Touches] = [:]
    for commit in shown { touched[commit.space, default: Touches()].formUnion(commit.touches) }
    // What failed before is read whole, whatever was touched since.
    var whole = state.withLock { Set($0.failures.keys) }
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
