import ReunionCore
import ReunionDisk
import ReunionFlow
import ReunionTesting
import TestThreads
import Testing

@testable import ReunionStore

/// A file that becomes a blob by being moved, as an upload does, when the program is killed or the power
/// goes at any moment of that (guarantees 5 and 10).
@Suite(.onOwnThread) struct MoveCutTests {
  private static let file = "/app/uploads/photo.part"
  private static let bytes = TransferCutTests.bytes(100_000)
  private static let blob = BlobReference(
    hash: BlobHash(of: bytes), byteCount: UInt64(bytes.count))

  /// What was left of the disk at one moment, and whether the move was acknowledged before it.
  private struct Left {
    let disk: SimulatedDisk
    let isKill: Bool
    let isAcknowledged: Bool
  }

  private static func upload(to disk: SimulatedDisk) throws {
    try disk.makeFolder("/app/uploads")
    let file = try disk.open(file, .creating)
    try file.write(bytes, at: 0)
  }

  private static func isHeld(in store: Store) throws -> Bool {
    guard try store.blobs.contains(blob.hash) else { return false }
    // What turns out to be damaged is not held either.
    return (try? store.blobs.read(blob.hash, count: bytes.count + 1)) == bytes
  }

  /// Whether what is there has the bytes: a server hashes them once more after it was started.
  private static func isWhole(_ path: String, on disk: SimulatedDisk) throws -> Bool {
    try disk.read(path) == bytes
  }

  /// Ends the program after each call that changes the disk; returns how often.
  private static func run(bugs: SeededBugs = []) throws -> Int {
    let disk = SimulatedDisk(seed: 11)
    let store = try TransferCutTests.open(disk, bugs)
    try upload(to: disk)
    let left = Lock<[Left]>([])
    let isAcknowledged = Lock(false)
    disk.observeChanges { [disk] _ in
      let now = isAcknowledged.withLock { $0 }
      let moments = [
        Left(disk: disk.copy(), isKill: true, isAcknowledged: now),
        Left(disk: disk.afterPowerCut(), isKill: false, isAcknowledged: now),
      ]
      left.withLock { $0 += moments }
    }
    try store.blobs.adopt(moving: file, as: blob)
    isAcknowledged.withLock { $0 = true }
    guard try isHeld(in: store), try !disk.exists(file) else { throw Loss("it was not moved") }
    try store.write(in: space) { try $0.create(Doc(id: store.newID())) }
    disk.observeChanges(nil)
    let all = left.withLock { $0 }
    for (number, moment) in all.enumerated() {
      try check(moment, "\(moment.isKill ? "kill" : "power cut") \(number / 2)", bugs)
    }
    return all.count
  }

  private static func check(_ left: Left, _ moment: String, _ bugs: SeededBugs) throws {
    let (disk, store) = (left.disk, try TransferCutTests.open(left.disk, bugs))
    defer { try? store.close() }
    if try store.blobs.contains(blob.hash) {
      guard try isHeld(in: store) else { throw Loss("\(moment): it holds other bytes") }
    } else if left.isAcknowledged {
      throw Loss("\(moment): what was acknowledged is lost")
    }
    let named = store.blobs.path(of: blob.hash)
    let isThere = try isWhole(file, on: disk) || isWhole(named, on: disk)
    guard isThere || !left.isKill else { throw Loss("\(moment): the bytes are gone") }
    // What a power cut spoiled is found by its hash, and sent again.
    guard isThere else { return }
    if try disk.exists(file), try !isWhole(file, on: disk) { return }
    do {
      try store.blobs.adopt(moving: file, as: blob)
    } catch let error as StoreError {
      throw Loss("\(moment): its bytes are there, and are asked for again: \(error)")
    }
    guard try isHeld(in: store) else { throw Loss("\(moment): it is not held afterwards") }
  }

  @Test func `a file that is moved is a blob or goes on as one, whenever it is cut off`() {
    var cuts = 0
    do { cuts = try Self.run() } catch { Issue.record("\(error)") }
    print("faults: \(cuts) kills and power cuts while a file became a blob: 0 lost")
    #expect(cuts > 20)
  }

  @Test func `a kill between the move and the entry: its seeded bug is found`() {
    #expect(throws: Loss.self) { _ = try Self.run(bugs: [.movedFileForgotten]) }
  }

  @Test func `a move that is acknowledged too early: its seeded bugs are found`() {
    for bug in [SeededBug.blobNotSynced, .blobFolderNotSynced] {
      #expect(throws: Loss.self, "\(bug)") { _ = try Self.run(bugs: [bug]) }
    }
  }

  /// Fails each call of the disk in turn, tries again, and then cuts the power; returns how often it had to
  /// try again.
  private static func runFailing(seed: UInt64, bugs: SeededBugs = []) throws -> Int {
    var failures = 0
    for number in 1... {
      let disk = SimulatedDisk(seed: seed)
      let store = try TransferCutTests.open(disk, bugs)
      try upload(to: disk)
      let first = disk.callCount + number
      disk.faults.failingCalls = first..<(first + 1)
      let isDone = (try? store.blobs.adopt(moving: file, as: blob)) != nil
      let hasFailed = disk.callCount >= first
      disk.faults.failingCalls = nil
      if !isDone {
        failures += 1
        // Of a file that the disk may have dropped a server holds nothing: it is sent again.
        let isHere = try disk.exists(file) || disk.exists(store.blobs.path(of: blob.hash))
        if !isHere { try upload(to: disk) }
        try store.blobs.adopt(moving: file, as: blob)
      }
      guard try isHeld(in: store) else { throw Loss("call \(number): it is not held") }
      let cut = try TransferCutTests.open(disk.afterPowerCut(), bugs)
      defer { try? cut.close() }
      guard try isHeld(in: cut) else { throw Loss("call \(number): a power cut took it") }
      if !hasFailed { break }
    }
    return failures
  }

  @Test func `a move that any call of the disk fails is made good by the next try`() throws {
    for seed in 1...8 as ClosedRange<UInt64> { #expect(try Self.runFailing(seed: seed) > 5) }
  }

  @Test func `a file whose sync failed and is kept: its seeded bug is found`() {
    #expect(throws: Loss.self) {
      for seed in 1...8 as ClosedRange<UInt64> {
        _ = try Self.runFailing(seed: seed, bugs: [.unsyncedFileKept])
      }
    }
  }
}
