import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionTesting
import Testing

/// A program that is killed at any moment, while the system goes on: what it gave to the disk stays,
/// what it had in memory goes. Nothing that was reported may be lost by that, not even where writes
/// are not synced (guarantee 5).
@Suite struct KillTests {
  /// Writes, and looks at what a kill leaves after each write, and at some calls of the disk.
  ///
  /// - Returns: how many kills there were; throws the first broken promise.
  static func run(seed: UInt64, writes: Int, bugs: Set<SeededBug> = []) throws -> Int {
    let disk = SimulatedDisk(seed: seed)
    var options = Story.options(disk, seed: seed, bugs: bugs)
    options.durability = .normal
    let store = try Store.open(folder: Story.folder, model: model, options: options)
    var random = SeededRandom(seed: seed)
    var ids: [RecordID] = []
    var kills = 0
    let left = Lock<[SimulatedDisk]>([])
    for number in 1...writes {
      // Some are of one record, some of more pages than are gathered.
      let count = Int.random(in: 0..<8, using: &random) == 0 ? 120 : 1
      let luck = SharedRandom(seed: seed &* 7 &+ UInt64(number))
      disk.observeChanges { [disk] _ in
        guard luck.draw({ $0.happens(0.1) }) else { return }
        let copy = disk.copy()
        left.withLock { if $0.count < 2 { $0.append(copy) } }
      }
      let before = ids.count
      for _ in 0..<count { ids.append(store.newID()) }
      try store.write(in: space) { transaction in
        for id in ids[before...] {
          var doc = Doc(id: id)
          doc.number = number
          doc.bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 700)
          try transaction.create(doc)
        }
      }
      disk.observeChanges(nil)
      try check(disk.copy(), seed, bugs, ids: ids, counts: [ids.count], write: number)
      for copy in left.withLock({ $0 }) {
        try check(copy, seed, bugs, ids: ids, counts: [before, ids.count], write: number)
      }
      kills += 1 + left.withLock { $0.count }
      left.withLock { $0 = [] }
    }
    return kills
  }

  private static func check(
    _ disk: SimulatedDisk, _ seed: UInt64, _ bugs: Set<SeededBug>, ids: [RecordID], counts: [Int],
    write: Int
  ) throws {
    let options = Story.options(disk, seed: seed &+ 1, bugs: bugs)
    let store = try Store.open(folder: Story.folder, model: model, options: options)
    let held = try store.fetch(Query<Doc>(in: space))
    guard counts.contains(held.count),
      Set(held.map(\.id)) == Set(ids.prefix(held.count))
    else {
      throw Loss("seed \(seed), write \(write): \(held.count) records of \(counts)")
    }
    guard held.allSatisfy({ Set($0.bytes) == [UInt8(truncatingIfNeeded: $0.number)] }) else {
      throw Loss("seed \(seed), write \(write): a record is half another")
    }
  }

  @Test func `a kill at any moment loses nothing that was reported, synced or not`() {
    var kills = 0
    for seed in UInt64(1)...(Extent.isFull ? 40 : 3) {
      do {
        kills += try Self.run(seed: seed, writes: 40)
      } catch {
        Issue.record("\(error)")
      }
    }
    print("faults: \(kills) kills of stores that do not sync each write, 0 lost")
  }
}
