import CSQLite
import ReunionCore
import ReunionFlow
import ReunionTesting
import TestThreads
import Testing

@testable import ReunionStore

/// A program that is killed at any moment, while the system goes on: what it gave to the disk stays,
/// what it had in memory goes. Nothing that was reported may be lost by that, not even where writes
/// are not synced (guarantee 5).
///
/// Some transactions are larger than what the writer keeps in memory, so that frames are in the log
/// before their commit, some of them twice; some meet an error of the disk, after which the store
/// goes on by a new connection. What a kill leaves is written to, and killed again.
@Suite(.onOwnThread) struct KillTests {
  struct Outcome {
    var kills = 0
    /// Pages that went to the log before the commit of their transaction.
    var spills = 0
    var errors = 0
  }

  /// One run of a program, and the number that each record was last written with.
  private struct Life {
    let disk: SimulatedDisk
    let store: Store
    var numbers: [RecordID: Int]

    init(
      _ disk: SimulatedDisk, seed: UInt64, bugs: SeededBugs, numbers: [RecordID: Int] = [:]
    ) throws {
      self.disk = disk
      self.numbers = numbers
      var options = Story.options(disk, seed: seed, bugs: bugs)
      options.durability = .normal
      options.writerCacheKibibytes = 64
      store = try Store.open(folder: Story.folder, model: model, options: options)
    }

    /// Writes the new records. If there are no new ones, writes every record twice.
    func write(_ number: Int, _ new: [RecordID]) throws {
      let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 700)
      try store.write(in: space) { transaction in
        for id in new {
          var doc = Doc(id: id)
          doc.number = number
          doc.bytes = bytes
          try transaction.create(doc)
        }
        guard new.isEmpty else { return }
        for half in [350, 700] {
          for id in numbers.keys.sorted() {
            try transaction.set(\Doc.bytes, of: id, to: Array(bytes.prefix(half)))
            try transaction.set(\Doc.number, of: id, to: number)
          }
        }
      }
    }

    /// What is held after such a write.
    func numbers(after number: Int, _ new: [RecordID]) -> [RecordID: Int] {
      new.isEmpty
        ? numbers.mapValues { _ in number } : numbers.merging(new.map { ($0, number) }) { $1 }
    }

    /// What is held, which is one of some states, whole.
    func check(_ states: [[RecordID: Int]], _ what: String) throws -> [RecordID: Int] {
      let held = try store.fetch(Query<Doc>(in: space))
      let numbers = Dictionary(held.map { ($0.id, $0.number) }) { $1 }
      guard states.contains(numbers) else {
        throw Loss("\(what): \(held.count) records of \(states.map(\.count)), or others")
      }
      for doc in held where doc.bytes.count == 700 {
        guard Set(doc.bytes) == [UInt8(truncatingIfNeeded: doc.number)] else {
          throw Loss("\(what): a record is half another")
        }
      }
      guard held.allSatisfy({ $0.bytes.count == 700 }) else {
        throw Loss("\(what): half a transaction shows")
      }
      return numbers
    }

    func spills() throws -> Int {
      try store.gate.pass { (writer) throws(StoreError) -> Int in
        var (now, most): (Int32, Int32) = (0, 0)
        guard let handle = writer.records?.reader.connection.handle,
          sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_SPILL, &now, &most, 0) == SQLITE_OK
        else { return 0 }
        return Int(now)
      }
    }
  }

  /// Writes, and looks at what a kill leaves after each write, and at some calls of the disk.
  ///
  /// - Returns: what there was; throws the first broken promise.
  static func run(seed: UInt64, writes: Int, bugs: SeededBugs = []) throws -> Outcome {
    let disk = SimulatedDisk(seed: seed)
    var life = try Life(disk, seed: seed, bugs: bugs)
    var random = SeededRandom(seed: seed)
    var outcome = Outcome()
    let left = Lock<[SimulatedDisk]>([])
    for number in 1...writes {
      let what = "seed \(seed), write \(number)"
      let kind = Int.random(in: 0..<10, using: &random)
      let count = kind == 0 ? 150 : kind == 1 && !life.numbers.isEmpty ? 0 : 1
      let new = (0..<count).map { _ in life.store.newID() }
      let states = [life.numbers, life.numbers(after: number, new)]
      let luck = SharedRandom(seed: seed &* 7 &+ UInt64(number))
      disk.observeChanges { [disk] _ in
        guard luck.draw({ $0.happens(count == 1 ? 0.1 : 0.01) }) else { return }
        let copy = disk.copy()
        left.withLock { if $0.count < 2 { $0.append(copy) } }
      }
      if random.happens(0.15) {
        let call = disk.callCount + Int.random(in: 1...(count == 1 ? 12 : 100), using: &random)
        disk.faults.failingCalls = call..<call + 1
      }
      do {
        try life.write(number, new)
        life.numbers = states[1]
      } catch let error as StoreError where [.ioFailed, .notWritable].contains(error.code) {
        // The second where it was the call that opens a file anew.
        disk.faults = DiskFaults()
        // All of it or nothing, and so for ever.
        life.numbers = try life.check(states, what + ", after an error")
        outcome.errors += 1
      }
      disk.faults = DiskFaults()
      disk.observeChanges(nil)
      let copies = left.withLock { copies in
        defer { copies = [] }
        return copies
      }
      for copy in copies { try revive(copy, seed, bugs, states, number, what + ", in it") }
      try revive(disk.copy(), seed, bugs, [life.numbers], number, what)
      outcome.kills += copies.count + 1
    }
    outcome.spills = try life.spills()
    return outcome
  }

  /// Opens what a kill left, looks, writes, kills again and looks again.
  private static func revive(
    _ disk: SimulatedDisk, _ seed: UInt64, _ bugs: SeededBugs, _ states: [[RecordID: Int]],
    _ number: Int, _ what: String
  ) throws {
    var life = try Life(disk, seed: seed &+ 1, bugs: bugs)
    life.numbers = try life.check(states, what)
    // The first write comes after what the log already holds.
    for new in [[life.store.newID()], []] {
      try life.write(number &+ 1000, new)
      life.numbers = life.numbers(after: number &+ 1000, new)
      let next = try Life(disk.copy(), seed: seed &+ 2, bugs: bugs)
      _ = try next.check([life.numbers], what + ", and written after that")
    }
  }

  @Test func `a kill at any moment loses nothing that was reported, synced or not`() {
    var (kills, spills, errors) = (0, 0, 0)
    for seed in UInt64(1)...(Extent.isFull ? 40 : 3) {
      do {
        let outcome = try Self.run(seed: seed, writes: 30)
        kills += outcome.kills
        spills += outcome.spills
        errors += outcome.errors
      } catch {
        Issue.record("\(error)")
      }
    }
    #expect(spills > 0 && errors > 0)
    print(
      "faults: \(kills) kills of stores that do not sync each write, \(spills) pages in the log before"
        + " their commit, \(errors) errors of the disk: 0 lost")
  }

  @Test func `a write that is reported before its commit is found by a kill (negative control)`() {
    #expect(throws: Loss.self) {
      for seed in UInt64(1)...5 {
        _ = try Self.run(seed: seed, writes: 30, bugs: [.reportBeforeCommit])
      }
    }
  }
}
