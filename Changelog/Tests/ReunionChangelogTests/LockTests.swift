import Foundation
import Testing

@testable import ReunionChangelog

/// A clock that only sleeping moves.
final class TestClock: @unchecked Sendable {
  private let lock = NSLock()
  private var time: Int64 = 1_700_000_000_000
  private var turns: [Int64: () -> Void] = [:]
  var elapsed: Int64 { lock.withLock { time - 1_700_000_000_000 } }

  /// Does something once a run has slept for that many milliseconds.
  func after(_ milliseconds: Int64, _ turn: @escaping () -> Void) {
    lock.withLock { turns[1_700_000_000_000 + milliseconds] = turn }
  }

  var clock: RunClock {
    RunClock(
      now: { self.lock.withLock { self.time } },
      sleep: { duration in
        let due = self.lock.withLock {
          self.time += duration
          let due = self.turns.filter { $0.key <= self.time }
          for key in due.keys { self.turns[key] = nil }
          return due
        }
        for turn in due.sorted(by: { $0.key < $1.key }) { turn.value() }
      })
  }
}

@Suite struct LockTests {
  private static func bench() throws -> Workbench {
    try Workbench([
      "c.sql": Workbench.formatted(
        "--changeset a:1\ncreate table a (id int);\n--changeset a:2\nselect 1;")
    ])
  }

  /// As Liquibase's or ours would write it.
  private static func lock(_ bench: Workbench, _ name: String, at date: String) throws {
    try bench.update("c.sql", .count(1))
    try bench.execute(
      "UPDATE DATABASECHANGELOGLOCK SET LOCKED = 1, LOCKEDBY = '\(name)', LOCKGRANTED = \(date)")
  }

  private static let liquibase = "build-7 (10.0.0.7)"

  @Test func `a Liquibase's lock is waited for, and then the run goes on`() throws {
    let bench = try Self.bench()
    try Self.lock(bench, Self.liquibase, at: "datetime('now', '-1 day')")
    let clock = TestClock()
    clock.after(25_000) {
      try? bench.execute("UPDATE DATABASECHANGELOGLOCK SET LOCKED = 0, LOCKEDBY = NULL")
    }
    #expect(try bench.run(clock: clock.clock) { try $0.update().ran.map(\.id) } == ["2"])
    #expect((25_000...26_000).contains(clock.elapsed))
    let holders = bench.events.compactMap { event -> String? in
      if case .waiting(let holder, _) = event { holder } else { nil }
    }
    #expect(holders == [Self.liquibase, Self.liquibase, Self.liquibase])
    #expect(!bench.events.contains { if case .tookOver = $0 { true } else { false } })
  }

  @Test func `a run that finds nothing to do clears the lock of a dead one, and no other`() throws {
    let bench = try Self.bench()
    try bench.update()
    func hold(_ name: String) throws {
      try bench.execute(
        "UPDATE DATABASECHANGELOGLOCK SET LOCKED = 1, LOCKEDBY = '\(name)', LOCKGRANTED = '2026-11-25'"
      )
    }
    try hold("build-7 reunion pid=1 at=5")
    #expect(try bench.update().isEmpty)
    #expect(bench.events.contains { if case .tookOver = $0 { true } else { false } })
    #expect(try bench.query("SELECT LOCKED FROM DATABASECHANGELOGLOCK") == ["0"])
    try hold("build-7 reunion pid=1 at=5")
    #expect(try bench.run { try $0.rollBack(.date("2100-01-01 00:00:00")) }.isEmpty)
    #expect(try bench.query("SELECT LOCKED FROM DATABASECHANGELOGLOCK") == ["0"])
    try hold(Self.liquibase)
    #expect(try bench.update().isEmpty)
    #expect(try bench.query("SELECT LOCKED FROM DATABASECHANGELOGLOCK") == ["1"])
    // While one of ours lives, the row is that one's.
    try hold("build-7 reunion pid=1 at=5")
    let living = try bench.open()
    defer { living.close() }
    #expect(try living.takeLock())
    #expect(try bench.update().isEmpty)
    #expect(try bench.query("SELECT LOCKED FROM DATABASECHANGELOGLOCK") == ["1"])
  }

  @Test func `whoever waits never asks to write while a Liquibase is writing`() throws {
    let bench = try Self.bench()
    try Self.lock(bench, Self.liquibase, at: "datetime('now')")
    // It is in the middle of a changeset. Ours would be told that somebody writes if it wanted to.
    let other = try bench.open()
    defer { other.close() }
    try other.begin()
    let clock = TestClock()
    let error = try #require(
      try refusal { _ = try bench.run(clock: clock.clock) { try $0.update() } })
    #expect(error.kind == .locked && error.sentence.hasPrefix(Self.liquibase))
    try other.execute("CREATE TABLE more (id int)")
    try other.commit()
  }

  @Test func `it is never taken without the wish, however old it is`() throws {
    let bench = try Self.bench()
    try Self.lock(bench, Self.liquibase, at: "'2001-01-01 00:00:00.123'")
    let clock = TestClock()
    let error = try #require(
      try refusal { _ = try bench.run(clock: clock.clock) { try $0.update() } })
    #expect(error.kind == .locked && error.kind.exitCode == 6)
    #expect(error.sentence.contains(Self.liquibase) && error.sentence.contains("2001-01-01"))
    #expect(error.remedy?.contains("release-locks") == true)
    #expect((300_000...301_000).contains(clock.elapsed))
    #expect(
      try bench.query("SELECT LOCKED, LOCKEDBY FROM DATABASECHANGELOGLOCK")
        == ["1|\(Self.liquibase)"])
    #expect(try bench.query("SELECT count(*) FROM DATABASECHANGELOG") == ["1"])
  }

  @Test func `with the wish it is taken once it is so old, and told`() throws {
    let bench = try Self.bench()
    try Self.lock(bench, Self.liquibase, at: "datetime('now', '-2 minutes')")
    bench.options.stealAfterMilliseconds = 600_000
    bench.options.lockWaitMilliseconds = 1000
    #expect(try refusal { _ = try bench.run(clock: TestClock().clock) { try $0.update() } } != nil)
    bench.options.stealAfterMilliseconds = 100_000
    #expect(try bench.run(clock: TestClock().clock) { try $0.update().ran.map(\.id) } == ["2"])
    #expect(bench.events.contains { if case .tookOver = $0 { true } else { false } })
  }

  @Test func `ours that a dead process left is taken over at once, and told`() throws {
    let bench = try Self.bench()
    try Self.lock(bench, "host reunion pid=1 at=1", at: "datetime('now')")
    let clock = TestClock()
    #expect(try bench.run(clock: clock.clock) { try $0.update().ran.map(\.id) } == ["2"])
    #expect(clock.elapsed == 0)
    let taken = bench.events.compactMap { event -> String? in
      if case .tookOver(let holder, _) = event { holder } else { nil }
    }
    #expect(taken == ["host reunion pid=1 at=1"])
    #expect(try bench.query("SELECT LOCKED FROM DATABASECHANGELOGLOCK") == ["0"])
  }

  @Test func `one of ours that lives is waited for, and named`() throws {
    let bench = try Self.bench()
    let other = try bench.open()
    #expect(try other.takeLock())
    let clock = TestClock()
    clock.after(2_000) { other.close() }
    #expect(try bench.run(clock: clock.clock) { try $0.update().ran.count } == 2)
    #expect((2_000...3_000).contains(clock.elapsed))
    let holders = bench.events.compactMap { event -> String? in
      if case .waiting(let holder, _) = event { holder } else { nil }
    }
    #expect(holders.first == "pid=\(ProcessInfo.processInfo.processIdentifier)")
  }

  @Test func `a run whose lock somebody released stops before it changes anything more`() throws {
    let bench = try Self.bench()
    let changelog = try bench.read()
    let database = try bench.open()
    defer { database.close() }
    var released = false
    let run = try ChangelogRun(
      changelog, on: database, Selection(dialect: .sqlite),
      report: { event in
        guard case .ran = event, !released else { return }
        released = true
        try? bench.execute("UPDATE DATABASECHANGELOGLOCK SET LOCKED = 0, LOCKEDBY = NULL")
      })
    let error = try #require(try refusal { _ = try run.update() })
    #expect(error.kind == .locked)
    #expect(try bench.query("SELECT ID FROM DATABASECHANGELOG") == ["1"])
  }

  @Test func `where nothing is to do, no lock is asked for`() throws {
    let bench = try Self.bench()
    try bench.update()
    try bench.execute("UPDATE DATABASECHANGELOGLOCK SET LOCKED = 1, LOCKEDBY = 'x'")
    let clock = TestClock()
    #expect(try bench.run(clock: clock.clock) { try $0.update().doneCount } == 2)
    #expect(clock.elapsed == 0)
  }

  @Test func `locks are listed and released, but not from under a run`() throws {
    let bench = try Self.bench()
    #expect(try bench.run { try $0.locks() }.holder == nil)
    #expect(try bench.run { try $0.releaseLocks() } == nil)
    try Self.lock(bench, Self.liquibase, at: "datetime('now')")
    #expect(try bench.run { try $0.locks() }.holder?.name == Self.liquibase)
    let other = try bench.open()
    #expect(try other.takeLock())
    #expect(try bench.run { try $0.locks() }.owner?.hasPrefix("pid=") == true)
    #expect(try refusal { _ = try bench.run { try $0.releaseLocks() } }?.kind == .locked)
    other.close()
    #expect(try bench.run { try $0.releaseLocks() }?.name == Self.liquibase)
    #expect(try bench.query("SELECT LOCKED, LOCKEDBY FROM DATABASECHANGELOGLOCK") == ["0|NULL"])
  }

  @Test func `all names of a file lead to the same lock`() throws {
    let bench = try Self.bench()
    try bench.update()
    let link = bench.folder.appending(path: "link.db").path
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: bench.databasePath)
    let one = try bench.open()
    let other = try SQLiteDatabase(link, mayCreate: false)
    #expect(try one.takeLock())
    #expect(try other.takeLock() == false)
    one.close()
    #expect(try other.takeLock())
    other.close()
  }
}
