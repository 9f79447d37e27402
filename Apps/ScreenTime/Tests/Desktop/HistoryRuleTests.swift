import Foundation
import Reunion
import ReunionServer
import ScreenTimeCore
import Testing

@testable import ScreenTime
@testable import ScreenTimeBook

/// What becomes of what was used: nobody's device takes it back; the family lets it go.
@Suite struct HistoryRuleTests {
  private static let day: Int64 = 86_400_000

  /// A use that a device of the child noted, and a parent sees.
  private static func use(
    _ child: FamilyBook, _ parent: FamilyBook, number: Int = 1,
    at moment: Int64 = Date().milliseconds, _ ending: Use.Ending = .open
  ) async throws -> RecordID {
    let use = Use(
      number: number, program: "game", start: moment, offset: 0, length: 60_000, ending: ending)
    let record = try await child.replica.write(in: child.use) { transaction in
      try transaction.create(UseRecord.self) { $0.take(use, of: RecordID(high: 1, low: 1)) }
    }
    try await until(Query<UseRecord>(in: parent.use), of: parent.replica) { uses in
      uses.contains { $0.id == record.id }
    }
    return record.id
  }

  @Test func `a child's device neither deletes nor rewrites what it noted, and is told`()
    async throws
  {
    let family = try Family()
    let parent = try await family.parent("parent")
    let child = try await family.childsDevice("laptop")
    let told = Told<RefusedChange>()
    let telling = child.replica.refusedChanges.observe(told.append)
    let id = try await Self.use(child, parent)
    // It grows, and is over.
    try await child.replica.write(in: child.use) { transaction in
      try transaction.set(\UseRecord.milliseconds, of: id, to: 90_000)
    }
    try await child.replica.write(in: child.use) { transaction in
      try transaction.set(\UseRecord.milliseconds, of: id, to: 95_000)
      try transaction.set(\UseRecord.ending, of: id, to: "program")
    }
    try await until(Query<UseRecord>(in: parent.use), of: parent.replica) {
      $0.map(\.ending) == ["program"]
    }
    let whole = try await parent.replica.fetch(Query<UseRecord>(in: parent.use))
    let tries: [@Sendable (WriteTransaction) throws -> Void] = [
      { try $0.set(\UseRecord.milliseconds, of: id, to: 0) },
      { try $0.set(\UseRecord.milliseconds, of: id, to: 96_000) },
      { try $0.set(\UseRecord.program, of: id, to: "homework") },
      { try $0.set(\UseRecord.startedAt, of: id, to: Date(milliseconds: 0)) },
      { try $0.set(\UseRecord.ending, of: id, to: "open") },
      { try $0.set(\UseRecord.device, of: id, to: nil) },
      { try $0.delete(UseRecord.self, id) },
    ]
    for forge in tries {
      try await child.replica.write(in: child.use, forge)
      let refused = await told.next()
      #expect(refused?.record == id)
      #expect([UseRule.rewriting, UseRule.deletion].contains(refused?.sentence))
      try await until(Query<UseRecord>(in: child.use), of: child.replica) { $0 == whole }
      #expect(try await parent.replica.fetch(Query<UseRecord>(in: parent.use)) == whole)
    }
    telling.cancel()
  }

  @Test func `a use that goes on cannot shrink`() async throws {
    let family = try Family()
    let parent = try await family.parent("parent")
    let child = try await family.childsDevice("laptop")
    let told = Told<RefusedChange>()
    let telling = child.replica.refusedChanges.observe(told.append)
    let id = try await Self.use(child, parent)
    try await child.replica.write(in: child.use) { transaction in
      try transaction.set(\UseRecord.milliseconds, of: id, to: 1000)
    }
    #expect(await told.next()?.sentence == UseRule.rewriting)
    telling.cancel()
  }

  @Test func `what is older than the family keeps goes everywhere, and what it keeps stays`()
    async throws
  {
    let family = try Family()
    let parent = try await family.parent("parent")
    let child = try await family.childsDevice("laptop")
    let now = Date().milliseconds
    let old = try await Self.use(child, parent, at: now - 8 * Self.day, .idle)
    let kept = try await Self.use(child, parent, number: 2, at: now - 6 * Self.day, .idle)
    // The clock of a machine whose battery is empty.
    let later = try await Self.use(child, parent, number: 3, at: 946_684_800_000, .idle)
    let upkeep = try family.child.upkeep(family.service.family.store)
    #expect(try upkeep.forget(now: now) == 0)
    try await until(Query<Child>(in: parent.limits), of: parent.replica) { $0.count == 1 }
    try await parent.replica.write(in: parent.limits) { transaction in
      try transaction.set(\Child.keptDays, of: Child.id(in: parent.limits), to: 7)
    }
    try await eventually("the server lets something go") { try upkeep.forget(now: now) > 0 }
    for book in [parent, child] {
      try await until(Query<UseRecord>(in: book.use), of: book.replica) {
        Set($0.map(\.id)) == [kept, later]
      }
    }
    #expect(try upkeep.forget(now: now) == 0)
    #expect(old != kept)
  }

  @Test func `a history is deleted for good, and the device goes on`() async throws {
    let family = try Family()
    let parent = try await family.parent("parent")
    let child = try await family.childsDevice("laptop")
    let id = try await Self.use(child, parent)
    try await parent.replica.write(in: parent.limits) { transaction in
      try transaction.create(GrantRecord.self) { ($0.minutes, $0.grantedAt) = (15, Date()) }
    }
    let store = try family.service.family.store
    try await eventually("the server has the grant") {
      try store.count(Query<GrantRecord>(in: parent.limits)) > 0
    }
    try family.eraseHistory()
    for book in [parent, child] {
      try await until(Query<UseRecord>(in: book.use), of: book.replica) { $0.isEmpty }
      try await until(Query<GrantRecord>(in: book.limits), of: book.replica) { $0.isEmpty }
      #expect(try book.replica.store.isErased(UseRecord.self, id, in: book.use))
    }
    _ = try await Self.use(child, parent)
  }

  @Test func `whom the family follows no more is gone, with the devices' way in`() async throws {
    let family = try Family()
    let parent = try await family.parent("parent")
    let child = try await family.childsDevice("laptop")
    _ = try await Self.use(child, parent)
    let person = try family.child
    let accesses = try family.service.family.accesses(to: person)
    try family.service.family.end(person)
    #expect(try family.service.family.everybody().isEmpty)
    #expect(accesses.use.devices().isEmpty && accesses.limits.devices().isEmpty)
    let store = try family.service.family.store
    #expect(try store.fetch(Query<UseRecord>(in: person.use)).isEmpty)
    #expect(try store.fetch(Query<Child>(in: person.limits)).isEmpty)
  }
}
