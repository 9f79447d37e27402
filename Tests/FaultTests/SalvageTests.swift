import ReunionCore
import ReunionDisk
import ReunionTesting
import TestThreads
import Testing

@testable import ReunionStore
@testable import ReunionTools

/// What is left of a damaged store is taken into a new one, which its peers complete.
@Suite(.onOwnThread) struct SalvageTests {
  private struct Outcome {
    var records = 0
    var known = 0
    var complete = 0
    var unreadable = 0
  }

  /// Flips some bits of a store's database, salvages it, and looks at what came of it.
  private func run(seed: UInt64, flips: Int, _ outcome: inout Outcome) throws {
    let story = Story(seed: seed)
    for _ in 0..<60 { try story.step() }
    if story.store == nil { try story.open() }
    let site = story.store?.site
    try story.close()
    let disk = story.disk.copy()
    let path = Story.folder + "/store.sqlite"
    guard case .file(let byteCount)? = try disk.status(of: path) else { return }
    var random = SeededRandom(seed: seed)
    for _ in 0..<flips {
      disk.flipBit(UInt64.random(in: 0..<byteCount * 8, using: &random), of: path)
    }
    let before = disk.copy()
    let report: Salvage.Report
    do {
      report = try Salvage.make(of: Story.folder, in: "/salvaged", on: disk)
    } catch let error as StoreError {
      guard error.code == .damaged else { throw error }
      outcome.unreadable += 1
      return
    }
    // The damaged one is kept, byte for byte.
    for file in before.paths where file.hasPrefix(Story.folder) && !file.hasSuffix("/lock") {
      guard try bytes(file, on: before) == bytes(file, on: disk) else {
        throw Loss("\(file) was changed")
      }
    }
    guard try Verification(folder: "/salvaged", on: disk).isSound else {
      throw Loss("what was salvaged is not sound")
    }
    let store = try Store.open(
      folder: "/salvaged", model: model, options: Story.options(disk, seed: seed &+ 1))
    let held = try Contents(of: store, blobs: story.blobs.keys)
    for doc in held.docs.values where story.acknowledged.docs[doc.id] != doc {
      throw Loss("a record was salvaged that nobody wrote")
    }
    guard held.blobs == story.acknowledged.blobs else { throw Loss("a blob was not salvaged") }
    guard store.site != site else { throw Loss("it writes under the same site") }
    outcome.records += held.docs.count
    outcome.known += story.acknowledged.docs.count
    guard report.isComplete else { return }
    outcome.complete += 1
    guard held == story.acknowledged else { throw Loss("complete, and records are missing") }
  }

  /// Flips a bit of the log that a kill left, salvages, and looks.
  ///
  /// - Returns: whether the salvage said that something is missing.
  private func runWithLog(seed: UInt64, bugs: SeededBugs = []) throws -> Bool {
    let story = Story(seed: seed)
    story.options.checkpointPages = 1000
    for _ in 0..<30 { try story.step() }
    if story.store == nil { try story.open() }
    for _ in 0..<3 { try story.step() }
    let disk = story.disk.copy()
    let log = Story.folder + "/store.sqlite-wal"
    guard let byteCount = try disk.byteCount(log), byteCount > 0 else { return false }
    var random = SeededRandom(seed: seed)
    disk.flipBit(UInt64.random(in: 0..<byteCount * 8, using: &random), of: log)
    var work = SalvageWork(folder: Story.folder, target: "/salvaged", disk: disk, bugs: bugs)
    let report = try work.run { _ in }
    let store = try Store.open(
      folder: "/salvaged", model: model, options: Story.options(disk, seed: seed &+ 1))
    let held = try Contents(of: store, blobs: story.blobs.keys)
    guard report.isComplete else {
      guard try store.vector(of: space).entries.isEmpty else {
        throw Loss("it claims what it may lack")
      }
      return true
    }
    // The last commit counts as one that a power cut tore.
    guard held.docs == story.acknowledged.docs || held.docs == story.history.last?.docs else {
      throw Loss("seed \(seed): complete, and records are missing")
    }
    return false
  }

  @Test func `a salvage of a broken log says that it is incomplete, and claims nothing`() {
    var told = 0
    let count: UInt64 = Extent.isFull ? 300 : 25
    for seed in Extent.seed.map({ $0...$0 }) ?? 1...count {
      do {
        if try runWithLog(seed: seed) { told += 1 }
      } catch {
        Issue.record("seed \(seed): \(error); \(Extent.command(seed, "SalvageTests"))")
        return
      }
    }
    #expect(told > 0 || Extent.seed != nil)
    print("faults: \(count) salvages with a flip in the log: \(told) incomplete and said so")
  }

  @Test func `a salvage that trusts its log claims what it lacks (negative control)`() {
    #expect(throws: Loss.self) {
      for seed in UInt64(1)...25 { _ = try runWithLog(seed: seed, bugs: [.salvageTrustsLog]) }
    }
  }

  private func bytes(_ path: String, on disk: SimulatedDisk) throws -> [UInt8] {
    let file = try disk.open(path, .reading)
    var bytes = [UInt8](repeating: 0, count: Int(try file.byteCount()))
    let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
    return Array(bytes.prefix(count))
  }

  @Test func `what a salvage tells is there, whichever call of the disk fails`() throws {
    let story = Story(seed: 4)
    for _ in 0..<60 { try story.step() }
    if story.store == nil { try story.open() }
    try story.close()
    let whole = story.disk.copy()
    var (told, failures) = (0, 0)
    for number in stride(from: 1, to: Int.max, by: Extent.isFull ? 1 : 5) {
      let disk = whole.copy()
      let call = disk.callCount + number
      disk.faults.failingCalls = call..<(call + 1)
      let report = try? Salvage.make(of: Story.folder, in: "/salvaged", on: disk)
      disk.faults.failingCalls = nil
      let isOver = disk.callCount < call
      if report == nil { failures += 1 }
      if report?.isComplete == true {
        told += 1
        let store = try Store.open(
          folder: "/salvaged", model: model, options: Story.options(disk, seed: 9))
        let held = try Contents(of: store, blobs: story.blobs.keys)
        #expect(held.docs == story.acknowledged.docs, "call \(number) failed")
        try store.close()
      }
      if isOver { break }
    }
    print(
      "faults: \(failures) salvages that a failing disk broke off, \(told) told to be complete: 0 lost"
    )
    #expect(told > 0 && failures > 5)
  }

  @Test func `what can be read of a damaged store becomes a new one`() {
    var outcome = Outcome()
    let count: UInt64 = Extent.isFull ? 500 : 50
    for seed in Extent.seed.map({ $0...$0 }) ?? 1...count {
      do {
        try run(seed: seed, flips: seed % 2 == 0 ? 1 : 3, &outcome)
      } catch {
        Issue.record("seed \(seed): \(error); \(Extent.command(seed, "SalvageTests"))")
        return
      }
    }
    print(
      "faults: salvaged \(outcome.records) of \(outcome.known) records; \(outcome.complete) stores complete,"
        + " \(outcome.unreadable) not readable at all")
    #expect(outcome.records > 0 && outcome.unreadable < Int(count) / 4)
  }

  @Test func `what a salvage could not read comes back from a peer`() throws {
    let disk = SimulatedDisk(seed: 5)
    let (folder, peerFolder) = ("/app/store", "/peer")
    let peer = try Store.open(
      folder: peerFolder, model: model, options: Story.options(disk, seed: 1))
    var store = try Store.open(folder: folder, model: model, options: Story.options(disk, seed: 2))
    for number in 0..<200 {
      try (number % 2 == 0 ? store : peer).write(in: space) { transaction in
        try transaction.create(Doc.self) {
          $0.number = number
          $0.text = String(repeating: "text \(number) ", count: 20)
        }
      }
    }
    try exchange(store, peer)
    let unsent = try store.write(in: space) { try $0.create(Doc.self) { $0.text = "not sent" } }
    try store.close()
    // Every fourth leaf page that holds records gets a broken bit.
    let whole = try bytes(folder + "/store.sqlite", on: disk)
    let leaves = stride(from: 0, to: whole.count, by: 4096).filter { start in
      whole[start] == 10
        && String(decoding: whole[start..<start + 4096], as: UTF8.self)
          .contains("text ")
    }
    for (index, start) in leaves.enumerated() where index % 4 == 1 {
      disk.flipBit(UInt64(start + 2000) * 8, of: folder + "/store.sqlite")
    }
    let report = try Salvage.make(of: folder, in: "/new", on: disk)
    #expect(!report.isComplete && report.records > 20)
    store = try Store.open(folder: "/new", model: model, options: Story.options(disk, seed: 3))
    try exchange(store, peer)
    let docs = try store.fetch(Query<Doc>(in: space))
    #expect(Set(docs.map(\.number)).isSuperset(of: 0..<200))
    #expect(try store.digest(of: space) == peer.digest(of: space))
    print(
      "faults: salvaged \(report.records) of 201 records, the rest came from the peer;",
      "what was not sent is \(docs.contains { $0.id == unsent.id } ? "there" : "lost")")
  }

  private func exchange(_ one: Store, _ two: Store) throws {
    for _ in 0..<2 {
      for (to, from) in [(one, two), (two, one)] {
        try to.pull(from: from, in: space)
      }
    }
  }
}
