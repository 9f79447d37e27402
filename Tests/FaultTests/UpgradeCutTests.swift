import CSQLite
import ReunionCore
import ReunionDisk
import ReunionFlow
import ReunionTesting
import ReunionTools
import TestThreads
import Testing

@testable import ReunionStore

/// A power cut, an error of the disk or no room at any step of an upgrade leaves exactly the old store or
/// exactly the new one, and both can be used (guarantees 5 and 7).
@Suite(.onOwnThread) struct UpgradeCutTests {
  /// A store on a simulated disk that is about to be upgraded.
  private struct Before {
    let disk: SimulatedDisk
    let old: Model
    let new: Model
    let writer: UpgradeWriter
    let seed: UInt64

    /// Of a seed; that of an earlier upgrade has left a snapshot in some.
    init(seed: UInt64) throws {
      self.seed = seed
      disk = SimulatedDisk(seed: seed)
      var random = SeededRandom(seed: seed)
      let chain = UpgradeChain(versions: 10, &random)
      let first = Int.random(in: 0..<4, using: &random)
      var writer = UpgradeWriter(seed: seed)
      old = chain.models[first]
      new = chain.models[first + Int.random(in: 1...5, using: &random)]
      var store = try Self.open(disk, chain.models[0], seed)
      let blobs = try [0, 1, 3_000, 20_000].map { count in
        Value.blob(try store.blobs.add([UInt8](repeating: UInt8(seed & 255), count: count)))
      }
      try writer.write(60, into: store, naming: blobs)
      try store.close()
      store = try Self.open(disk, old, seed &+ 1)
      try writer.write(10, into: store, naming: [])
      try store.close()
      self.writer = writer
    }

    static func open(
      _ disk: SimulatedDisk, _ model: Model, _ seed: UInt64, bugs: SeededBugs = []
    ) throws -> Store {
      try Store.open(
        folder: Story.folder, model: model, options: Story.options(disk, seed: seed, bugs: bugs))
    }
  }

  /// All that stands in a database, but for who opened it last: its tables, views and rows.
  private static func state(
    _ path: String, on disk: SimulatedDisk
  ) throws -> [String] {
    let connection = try DatabaseConnection(path: path, on: disk, readOnly: true)
    defer { connection.close() }
    var state: [String] = []
    let schema = try connection.prepare("SELECT type, name, sql FROM sqlite_schema ORDER BY name")
    var tables: [String] = []
    while try schema.step() {
      state.append("\(schema.text(0)) \(schema.text(1)) \(schema.text(2))")
      if schema.text(0) == "table" { tables.append(schema.text(1)) }
    }
    schema.finalize()
    for table in tables where !table.hasSuffix("_data") && table != "sqlite_stat1" {
      let isMeta = table == "reunion_meta"
      let rows = try connection.prepare(
        "SELECT * FROM \(table)\(isMeta ? " WHERE key NOT IN ('nonce', 'upgrade')" : "")")
      defer { rows.finalize() }
      while try rows.step() {
        guard let handle = rows.handle else { continue }
        let row = (0..<sqlite3_column_count(handle)).map { "\(rows.type($0)):\(rows.bytes($0))" }
        state.append("\(table) \(row)")
      }
    }
    return state
  }

  private static let database = Story.folder + "/store.sqlite"

  /// Upgrades with power cuts at every change of the disk.
  ///
  /// - Returns: how many cuts there were, and how many of them left the old store.
  private static func run(
    seed: UInt64, bugs: SeededBugs = []
  ) throws -> (cuts: Int, old: Int) {
    let before = try Before(seed: seed)
    let old = try state(database, on: before.disk.copy())
    let snapshots = try snapshotNumber(before.disk.copy())
    let finished = before.disk.copy()
    try Before.open(finished, before.new, seed &+ 2).close()
    let new = try state(database, on: finished)
    let left = Lock<[SimulatedDisk]>([])
    before.disk.observeChanges { [disk = before.disk] _ in
      let cut = disk.afterPowerCut()
      left.withLock { $0.append(cut) }
    }
    try Before.open(before.disk, before.new, seed &+ 2, bugs: bugs).close()
    before.disk.observeChanges(nil)
    var olds = 0
    let all = left.withLock { $0 }
    for (number, disk) in all.enumerated() {
      let moment = "seed \(seed), cut \(number) of \(all.count)"
      let found = try state(database, on: disk.copy())
      guard found == old || found == new else { throw Loss("\(moment): neither old nor new") }
      if found == old { olds += 1 }
      if found == new, new != old { try checkSnapshot(disk.copy(), old, snapshots, moment) }
      try checkUse(disk, before, moment)
    }
    return (all.count, olds)
  }

  /// How many upgrades of a store were guarded, which its snapshot is named by.
  private static func snapshotNumber(_ disk: SimulatedDisk) throws -> Int64 {
    let connection = try DatabaseConnection(path: database, on: disk, readOnly: true)
    defer { connection.close() }
    return try UpgradeSnapshot.number(connection)
  }

  /// Throws unless the snapshot that a store names is whole, and is the store of before where this upgrade
  /// made it: before, there were as many `snapshots`.
  private static func checkSnapshot(
    _ disk: SimulatedDisk, _ old: [String], _ snapshots: Int64, _ moment: String
  ) throws {
    let number = try snapshotNumber(disk)
    let path = UpgradeSnapshot(of: Story.folder, on: disk).path(number)
    // Where no step touched rows there is none of this upgrade.
    guard number > 0, try disk.exists(path) else {
      if number > 0 { throw Loss("\(moment): the snapshot is not there") }
      return
    }
    do {
      let copy = try DatabaseConnection(path: path, on: disk, readOnly: true)
      defer { copy.close() }
      try Database.verify(copy)
      _ = try CellCount(copy, layout: Layout(copy))
    } catch {
      throw Loss("\(moment): the snapshot is damaged: \(error)")
    }
    guard number > snapshots else { return }
    guard try state(path, on: disk) == old else {
      throw Loss("\(moment): the snapshot is not the store of before")
    }
  }

  /// Throws unless both versions can go on with what was left.
  private static func checkUse(
    _ disk: SimulatedDisk, _ before: Before, _ moment: String
  ) throws {
    for (model, disk) in [(before.old, disk.copy()), (before.new, disk)] {
      var writer = before.writer
      let store = try Before.open(disk, model, before.seed &+ 3)
      try writer.check(store, moment)
      try writer.write(3, into: store, naming: [])
      try writer.check(store, moment)
      try store.close()
      guard try Verification(folder: Story.folder, on: disk).isSound else {
        throw Loss("\(moment): it is not sound")
      }
    }
  }

  @Test func `a power cut at any step leaves exactly the old store or exactly the new`() {
    let seeds: ClosedRange<UInt64> =
      Extent.seed.map { $0...$0 } ?? 1...(Extent.isFull ? 50 : 3)
    var (cuts, olds) = (0, 0)
    for seed in seeds {
      do {
        let found = try Self.run(seed: seed)
        cuts += found.cuts
        olds += found.old
      } catch {
        Issue.record("\(error); \(Extent.command(seed, "UpgradeCutTests"))")
        return
      }
    }
    print(
      """
      faults: \(cuts) power cuts at every step of \(seeds.count) upgrades: \(olds) left the old store, \
      \(cuts - olds) the new one, 0 anything else
      """)
    #expect(olds > 0 && olds < cuts)
  }

  @Test func `where lenses alone make something anew, the snapshot of before stays at any cut`()
    throws
  {
    let disk = SimulatedDisk(seed: 1)
    var store = try Before.open(disk, Model(Minutes.schema), 1)
    try store.write(in: SpaceID(high: 1, low: 1)) { transaction in
      for minutes in 1...20 { try transaction.create(Minutes.self) { $0.minutes = minutes } }
    }
    try store.close()
    store = try Before.open(disk, Model(Seconds.made(by: .times(60))), 2)
    #expect(store.upgradeReport?.isGuarded == true)
    try store.close()
    let snapshot = UpgradeSnapshot(of: Story.folder, on: disk).path(1)
    let (old, kept) = try (
      Self.state(Self.database, on: disk.copy()), Self.state(snapshot, on: disk.copy())
    )
    let left = Lock<[SimulatedDisk]>([])
    disk.observeChanges { [disk] _ in
      let cut = disk.afterPowerCut()
      left.withLock { $0.append(cut) }
    }
    store = try Before.open(disk, Model(Seconds.made(by: .times(61))), 3)
    #expect(store.upgradeReport?.isGuarded == true && store.upgradeReport?.snapshot == nil)
    try store.close()
    disk.observeChanges(nil)
    let new = try Self.state(Self.database, on: disk.copy())
    #expect(disk.paths.filter { $0.contains("/upgrade/") } == [snapshot])
    for (number, disk) in left.withLock({ $0 }).enumerated() {
      let found = try Self.state(Self.database, on: disk.copy())
      #expect(found == old || found == new, "cut \(number)")
      #expect(try Self.snapshotNumber(disk.copy()) == 1, "cut \(number)")
      #expect(try Self.state(snapshot, on: disk.copy()) == kept, "cut \(number)")
    }
  }

  @Test(arguments: [SeededBug.upgradeInPieces, .snapshotNotSynced])
  func `an upgrade that is not safe from power cuts: its seeded bug is found`(bug: SeededBug) {
    var caught: Loss?
    for seed in 1...40 as ClosedRange<UInt64> where caught == nil {
      do { _ = try Self.run(seed: seed, bugs: [bug]) } catch { caught = error as? Loss }
    }
    #expect(caught != nil)
    print("caught \(bug): \(caught?.description ?? "nothing")")
  }

  @Test func `an error of the disk at any call leaves a store that can be upgraded later`() throws {
    var failures = 0
    for seed in 1...(Extent.isFull ? 10 : 1) as ClosedRange<UInt64> {
      let before = try Before(seed: seed)
      let stride = Extent.isFull ? 1 : 7
      for number in Swift.stride(from: 1, to: Int.max, by: stride) {
        let disk = before.disk.copy()
        let first = disk.callCount + number
        disk.faults.failingCalls = first..<(first + 1)
        let store = try? Before.open(disk, before.new, seed &+ 2)
        if store == nil { failures += 1 }
        disk.faults.failingCalls = nil
        let isOver = disk.callCount < first
        try store?.close()
        try Self.checkUse(disk, before, "seed \(seed), call \(number)")
        if isOver { break }
      }
    }
    print("faults: \(failures) upgrades that a failing disk broke off: 0 lost")
    #expect(failures > 5)
  }

  @Test func `where a snapshot has no room, the error says so and the old store goes on`() throws {
    var seed: UInt64 = 1
    // One that touches rows.
    while try !Store.plan(
      folder: Story.folder, model: Before(seed: seed).new,
      options: Story.options(Before(seed: seed).disk, seed: 1)
    ).touchesRows { seed += 1 }
    let before = try Before(seed: seed)
    let disk = before.disk
    let paths = disk.paths
    disk.faults.capacityBytes = disk.byteCount + 8_000
    do {
      _ = try Before.open(disk, before.new, seed)
      Issue.record("it was upgraded without a snapshot")
    } catch let error as StoreError {
      #expect(error.code == .diskFull)
      #expect(
        error.message.hasPrefix(
          "There is no room in /app/store/upgrade for the snapshot that is made before an upgrade:")
      )
    }
    #expect(disk.paths == paths)
    let store = try Before.open(disk, before.old, seed)
    try before.writer.check(store, "without room")
    try store.close()
    disk.faults.capacityBytes = nil
    try Self.checkUse(disk, before, "with room again")
  }
}

/// A length as the first version has it.
private struct Minutes: Entity {
  let id: RecordID
  var minutes = 0
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Minutes>(1, "length", [.field(1, "minutes", \.minutes)])
}

/// A length as the second version has it.
private struct Seconds: Entity {
  let id: RecordID
  var seconds = 0
  init(id: RecordID) { self.id = id }
  static let schema = made(by: .times(60))

  static func made(by conversion: Conversion) -> EntitySchema<Seconds> {
    EntitySchema<Seconds>(
      1, "length", [.field(2, "seconds", \.seconds)],
      lenses: [.retype(OldField(1, Int.self, initial: 0), to: \.seconds, by: conversion)])
  }
}
