import Foundation
package import Reunion
import ScreenTimeCore

/// What the server of a family does for one child: it notes when records came whose clocks are
/// ahead, and deletes what is older than the family keeps.
///
/// *Thread*: any.
package struct Upkeep: Sendable {
  private let store: Store
  private let use: SpaceID
  private let limits: SpaceID

  /// The upkeep of two spaces.
  package init(_ store: Store, use: SpaceID, limits: SpaceID) {
    (self.store, self.use, self.limits) = (store, use, limits)
  }

  /// Whether a commit may bring something to note.
  package static func isDue(_ commit: Commit) -> Bool {
    !commit.entities.isDisjoint(with: [
      UseRecord.schema.number, Ask.schema.number, GrantRecord.schema.number,
    ])
  }

  /// Notes which records came with clocks that are ahead, so that everybody places them alike. Two
  /// stores that note the same make one record.
  ///
  /// - Parameter now: milliseconds since 1970.
  /// - Returns: how many were noted now.
  /// - Throws: `StoreError`.
  @discardableResult
  package func noteArrivals(now: Int64) throws -> Int {
    let noted = try store.arrivals(in: limits)
    let limit = Date(milliseconds: now + Placed.ahead)
    var ahead = try store.fetch(Query<UseRecord>(in: use).filter(\.startedAt > limit)).map(\.id)
    ahead += try store.fetch(Query<Ask>(in: use).filter(\.askedAt > limit)).map(\.id)
    ahead += try store.fetch(Query<GrantRecord>(in: limits).filter(\.grantedAt > limit)).map(\.id)
    let new = ahead.filter { noted["\($0)"] == nil }
    guard !new.isEmpty else { return 0 }
    try store.write(in: limits) { transaction in
      for id in new {
        var arrival = Arrival(id: Arrival.id(of: id))
        (arrival.record, arrival.arrivedAt) = ("\(id)", Date(milliseconds: now))
        try transaction.create(arrival)
      }
    }
    return new.count
  }

  /// As `forget(now:)`, by a store's time: a clock that leapt deletes nothing.
  @discardableResult
  package func forget(by time: SettledTime) throws -> Int {
    try forget(now: Int64(clamping: time.earliest))
  }

  /// As `noteArrivals(now:)`, by a store's time: a clock that is behind for a moment must not place in
  /// the past what comes meanwhile.
  @discardableResult
  package func noteArrivals(by time: SettledTime) throws -> Int {
    try noteArrivals(now: Int64(clamping: time.latest))
  }

  /// Deletes uses, requests and grants that are older than the family keeps, by where they are
  /// placed. What a device noted after something that is kept is no older, whatever its clock said.
  ///
  /// - Parameter now: milliseconds since 1970.
  /// - Returns: how many records were deleted.
  /// - Throws: `StoreError`.
  @discardableResult
  package func forget(now: Int64) throws -> Int {
    let days = try store.fetch(Query<Child>(in: limits)).first?.keptDays ?? 90
    let first = now - Int64(min(max(days, 1), 3650)) * 86_400_000
    let arrivals = try store.arrivals(in: limits)
    func isOld(_ id: RecordID, _ moment: Date) -> Bool {
      Placed.place(moment.milliseconds, arrived: arrivals["\(id)"]).moment < first
    }
    var (uses, firstKept): ([UseRecord], [RecordID?: Int]) = ([], [:])
    for record in try store.fetch(Query<UseRecord>(in: use)) {
      if isOld(record.id, record.startedAt) {
        uses.append(record)
      } else {
        firstKept[record.device?.id] = min(record.number, firstKept[record.device?.id] ?? .max)
      }
    }
    uses.removeAll { $0.number > firstKept[$0.device?.id] ?? .max }
    let asks = try store.fetch(Query<Ask>(in: use)).filter { isOld($0.id, $0.askedAt) }
    let grants = try store.fetch(Query<GrantRecord>(in: limits))
      .filter { isOld($0.id, $0.grantedAt) }
    try store.write(in: use) { transaction in
      for record in uses { try transaction.delete(UseRecord.self, record.id) }
      for record in asks { try transaction.delete(Ask.self, record.id) }
    }
    let gone = Set((uses.map(\.id) + asks.map(\.id) + grants.map(\.id)).map { "\($0)" })
    try store.write(in: limits) { transaction in
      for record in grants { try transaction.delete(GrantRecord.self, record.id) }
      for id in arrivals.keys where gone.contains(id) {
        guard let id = RecordID(id) else { continue }
        try transaction.delete(Arrival.self, Arrival.id(of: id))
      }
    }
    return gone.count
  }

  /// Deletes a child's whole history for good: uses, requests, grants, and when they came. No copy
  /// of the family brings any of it back. What was agreed on stays.
  ///
  /// - Returns: how many uses and requests that were.
  /// - Throws: `StoreError`.
  @discardableResult
  package func erase() throws -> Int {
    let uses = try store.fetch(Query<UseRecord>(in: use)).map(\.id)
    let asks = try store.fetch(Query<Ask>(in: use)).map(\.id)
    // In pieces, so that nobody waits for long.
    for ids in uses.pieces { try store.write(in: use) { try $0.erase(UseRecord.self, all: ids) } }
    for ids in asks.pieces { try store.write(in: use) { try $0.erase(Ask.self, all: ids) } }
    let grants = try store.fetch(Query<GrantRecord>(in: limits)).map(\.id)
    let arrivals = try store.fetch(Query<Arrival>(in: limits)).map(\.id)
    try store.write(in: limits) { transaction in
      try transaction.erase(GrantRecord.self, all: grants)
      try transaction.erase(Arrival.self, all: arrivals)
    }
    return uses.count + asks.count
  }

  /// Deletes all that is kept of somebody, what was agreed on too, for good.
  package func eraseAll() throws {
    try erase()
    try eraseEvery(ChildDevice.self, in: use)
    try eraseEvery(ProgramKind.self, in: limits)
    try eraseEvery(Budget.self, in: limits)
    try eraseEvery(Rest.self, in: limits)
    try eraseEvery(Category.self, in: limits)
    try eraseEvery(Child.self, in: limits)
  }

  private func eraseEvery<E: Entity>(_: E.Type, in space: SpaceID) throws {
    let ids = try store.fetch(Query<E>(in: space)).map(\.id)
    try store.write(in: space) { try $0.erase(E.self, all: ids) }
  }
}

extension WriteTransaction {
  fileprivate func erase<E: Entity>(_: E.Type, all ids: some Sequence<RecordID>) throws {
    for id in ids { try erase(E.self, id) }
  }
}

extension [RecordID] {
  fileprivate var pieces: [ArraySlice<RecordID>] {
    stride(from: 0, to: count, by: 500).map { self[$0..<Swift.min($0 + 500, count)] }
  }
}
