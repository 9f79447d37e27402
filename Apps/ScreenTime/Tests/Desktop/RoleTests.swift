import Foundation
import Reunion
@testable import ReunionFlow
import ReunionServer
import ScreenTimeCore
import Testing

@testable import ScreenTimeBook

/// What parents and a child's device may write, over real replicas and a real server.
@Suite struct RoleTests {
  @Test func `a limit or a grant that a child's device forges is refused, told and taken back`()
    async throws
  {
    let family = try Family()
    let parent = try await family.parent("parent")
    let child = try await family.childsDevice("laptop")
    let told = Told<RefusedChange>()
    let telling = child.replica.refusedChanges.observe(told.append)
    // What a parent decides arrives: the same writes as the forger's.
    let budget = Budget(id: Budget.id(of: nil))
    try await parent.replica.write(in: parent.limits) { transaction in
      var budget = budget
      (budget.ofEverything, budget.saturday) = (true, 60)
      try transaction.create(budget)
      try transaction.create(GrantRecord.self) { $0.minutes = 15 }
    }
    try await until(Query<Budget>(in: child.limits), of: child.replica) {
      $0.map(\.saturday) == [60]
    }
    // A budget of ten hours, a category without one, a gift, and the end of all limits.
    try await child.replica.write(in: child.limits) { transaction in
      try transaction.set(\Budget.saturday, of: budget.id, to: 600)
    }
    let forged = try await child.replica.write(in: child.limits) { transaction in
      try transaction.create(GrantRecord.self) { $0.minutes = 600 }
    }
    try await child.replica.write(in: child.limits) { try $0.delete(Budget.self, budget.id) }
    await told.reach { Set($0.map(\.record)).isSuperset(of: [budget.id, forged.id]) }
    try await until(Query<Budget>(in: child.limits), of: child.replica) {
      $0.map(\.saturday) == [60]
    }
    try await until(Query<GrantRecord>(in: child.limits), of: child.replica) {
      $0.map(\.minutes) == [15]
    }
    // What comes after it at the parent shows that nothing came before.
    try await child.replica.write(in: child.use) { try $0.create(Ask.self) { $0.minutes = 15 } }
    try await until(Query<Ask>(in: parent.use), of: parent.replica) { $0.count == 1 }
    #expect(
      try await parent.replica.fetch(Query<Budget>(in: parent.limits)).map(\.saturday) == [60])
    #expect(try await parent.replica.count(Query<GrantRecord>(in: parent.limits)) == 1)
    #expect(try child.agreed().budgets.map { $0.minutes[5] } == [60])
    telling.cancel()
  }

  @Test func `with the role to edit the same forger would get through (negative control)`()
    async throws
  {
    let family = try Family()
    let parent = try await family.parent("parent")
    let forger = try await family.device("laptop", use: .add, limits: .edit)
    try await forger.replica.write(in: forger.limits) { transaction in
      try transaction.create(GrantRecord.self) { $0.minutes = 600 }
    }
    try await until(Query<GrantRecord>(in: parent.limits), of: parent.replica) {
      $0.map(\.minutes) == [600]
    }
  }

  @Test func `a grant that is put among the requests counts nowhere`() async throws {
    let family = try Family()
    let parent = try await family.parent("parent")
    let child = try await family.childsDevice("laptop")
    try await child.replica.write(in: child.use) { transaction in
      try transaction.create(GrantRecord.self) { $0.grantedAt = Date() }
      try transaction.create(Arrival.self) { $0.record = "x" }
      var budget = Budget(id: Budget.id(of: nil))
      budget.ofEverything = true
      try transaction.create(budget)
    }
    try await until(Query<GrantRecord>(in: parent.use), of: parent.replica) { $0.count == 1 }
    for book in [parent, child] {
      #expect(try book.agreed() == Limits())
      #expect(try book.arrivals().isEmpty)
      #expect(
        Verdict(
          for: "game", wall: Date().milliseconds, offset: 0,
          limits: Limits(budgets: [.init(minutes: Array(repeating: 0, count: 7))]),
          ledger: Ledger(), grants: try book.grants()
        ).left == 0)
    }
  }

  @Test func `a child's device changes nothing that another device used or asked`() async throws {
    let family = try Family()
    let laptop = try await family.childsDevice("laptop")
    let lap = try await family.childsDevice("lap")
    let told = Told<RefusedChange>()
    let telling = lap.replica.refusedChanges.observe(told.append)
    let use = try await laptop.replica.write(in: laptop.use) { transaction in
      try transaction.create(UseRecord.self) { ($0.program, $0.milliseconds) = ("game", 60_000) }
    }
    try await until(Query<UseRecord>(in: lap.use), of: lap.replica) { $0.count == 1 }
    try await lap.replica.write(in: lap.use) { transaction in
      try transaction.set(\UseRecord.milliseconds, of: use.id, to: 90_000)
    }
    await told.reach { $0.map(\.record) == [use.id] }
    try await until(Query<UseRecord>(in: lap.use), of: lap.replica) {
      $0.map(\.milliseconds) == [60_000]
    }
    // Its own it may go on with.
    try await laptop.replica.write(in: laptop.use) { transaction in
      try transaction.set(\UseRecord.milliseconds, of: use.id, to: 75_000)
    }
    try await until(Query<UseRecord>(in: lap.use), of: lap.replica) {
      $0.map(\.milliseconds) == [75_000]
    }
    telling.cancel()
  }

  @Test func `a use of a clock years ahead is kept, marked, and placed alike by all`() async throws
  {
    let family = try Family()
    let (ada, bo) = (try await family.parent("ada"), try await family.parent("bo"))
    let now = Date().milliseconds
    let years: Int64 = 5 * 365 * 86_400_000
    let child = try await family.childsDevice("laptop") { UInt64(now + years) }
    var use = Use(number: 1, program: "game", start: now + years, offset: 0, length: 60_000)
    use = use.closedAfterCrash()
    let record = try await child.replica.write(in: child.use) { [use] transaction in
      try transaction.create(UseRecord.self) { $0.take(use, of: RecordID(high: 1, low: 1)) }
    }
    for parent in [ada, bo] {
      try await until(Query<UseRecord>(in: parent.use), of: parent.replica) {
        $0.map(\.milliseconds) == [60_000]
      }
    }
    // The server notes when it came.
    let today = Day(wall: now, offset: 0)
    for book in [ada, bo, child] {
      try await until(Query<Arrival>(in: book.limits), of: book.replica) { $0.count == 1 }
      let placed = try #require(
        try await book.replica.fetch(UseRecord.self, record.id, in: book.use)
      ).placed(arrived: try book.arrivals()["\(record.id)"])
      #expect(placed.isMarked && placed.day == today)
      #expect(try book.ledger(since: now).time(on: today) == 60_000)
    }
    // A parent's clock is none the worse for it.
    let kept = try await ada.replica.fetch(Query<UseRecord>(in: ada.use))
    #expect(kept.map(\.startedAt.milliseconds) == [now + years])
  }
}
