import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionTesting
import TestThreads
import Testing

/// A blob that is on its way when the program is killed, the power goes or the disk fails: the next
/// transfer goes on from what is there, and asks for no more than that (guarantees 10 and 13;
/// docs/protocol.md 2.11).
@Suite(.onOwnThread) struct TransferCutTests {
  static let pieceBytes = 65_536
  static let sizes = [0, 1, 2 * pieceBytes - 1, 2 * pieceBytes, 2 * pieceBytes + 1]

  static func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3 &+ $0 >> 16) }
  }

  static func open(_ disk: SimulatedDisk, _ bugs: SeededBugs) throws -> Store {
    try Store.open(
      folder: Story.folder, model: model, options: Story.options(disk, seed: 5, bugs: bugs))
  }

  /// Receives a blob as from one peer that has it, and returns the offsets that it was asked for.
  static func fetch(_ bytes: [UInt8], _ store: Store) throws -> [UInt64] {
    let blob = BlobReference(hash: BlobHash(of: bytes), byteCount: UInt64(bytes.count))
    guard let transfer = try store.blobs.receive(blob).transfer else { return [] }
    var asked = [try transfer.byteCount()]
    while true {
      var offset = asked[asked.count - 1]
      repeat {
        let piece = Array(bytes[Int(offset)..<min(bytes.count, Int(offset) + pieceBytes)])
        try transfer.append(offset: offset, bytes: piece)
        offset += UInt64(piece.count)
      } while offset < blob.byteCount
      do {
        try transfer.complete(byteCount: blob.byteCount)
        return asked
      } catch let error as StoreError where error.code == .blobMismatch && asked.count == 1 {
        asked.append(0)
      }
    }
  }

  static func check(_ bytes: [UInt8], _ store: Store, asked: [UInt64], _ moment: String) throws {
    let hash = BlobHash(of: bytes)
    guard try store.blobs.contains(hash),
      try store.blobs.read(hash, count: bytes.count + 1) == bytes
    else { throw Loss("\(moment): the blob is not held as it was") }
    if asked.contains(where: { $0 >= UInt64(bytes.count) }) {
      throw Loss("\(moment): it was asked for from its end on")
    }
  }

  /// Ends a transfer after each call that changes the disk; returns how often.
  static func run(_ count: Int, bugs: SeededBugs = []) throws -> Int {
    let bytes = bytes(count)
    let disk = SimulatedDisk(seed: UInt64(count))
    let store = try open(disk, bugs)
    let path = "\(Story.folder)/partial/\(BlobHash(of: bytes).description)"
    let left = Lock<[(SimulatedDisk, isKill: Bool)]>([])
    disk.observeChanges { [disk] _ in
      let copies = [(disk.copy(), true), (disk.afterPowerCut(), false)]
      left.withLock { $0 += copies }
    }
    let asked = try fetch(bytes, store)
    disk.observeChanges(nil)
    try check(bytes, store, asked: asked, "\(count) bytes")
    let all = left.withLock { $0 }
    for (number, (disk, isKill)) in all.enumerated() {
      let isNamed = disk.size(of: store.blobs.path(of: BlobHash(of: bytes))) != nil
      let arrived = isNamed ? count : disk.size(of: path) ?? 0
      let store = try open(disk, bugs)
      let asked = try fetch(bytes, store)
      let moment = "\(count) bytes, \(isKill ? "kill" : "power cut") \(number / 2)"
      try check(bytes, store, asked: asked, moment)
      guard isKill else { continue }
      // After a kill every byte that arrived counts; what is whole is named without a question.
      let floor = UInt64(arrived / pieceBytes * pieceBytes)
      guard asked.isEmpty || (asked == [floor] && arrived != count) else {
        throw Loss("\(moment): \(arrived) bytes had arrived, and it was asked from \(asked)")
      }
      try store.close()
    }
    return all.count
  }

  @Test func `a transfer that is cut off at any call of the disk is gone on with where it was`() {
    var cuts = 0
    for size in Self.sizes {
      do { cuts += try Self.run(size) } catch { Issue.record("\(error)") }
    }
    print("faults: \(cuts) kills and power cuts while a blob came, 0 asked for from its end")
    #expect(cuts > 100)
  }

  @Test
  func `a blob that was whole before a kill is named without asking: its seeded bug is found`() {
    #expect(throws: Loss.self) { _ = try Self.run(Self.sizes[3], bugs: [.wholePartialNotAdopted]) }
  }

  @Test func `a transfer that any call of the disk fails is gone on with in the same store`() throws
  {
    var failures = 0
    for size in Extent.isFull ? Self.sizes : [0, Self.sizes[3]] {
      let bytes = Self.bytes(size)
      for number in 1... {
        let disk = SimulatedDisk(seed: UInt64(size))
        let store = try Self.open(disk, [])
        let first = disk.callCount + number
        disk.faults.failingCalls = first..<(first + 1)
        let cut = Result { try Self.fetch(bytes, store) }
        let hasFailed = disk.callCount >= first
        disk.faults.failingCalls = nil
        if case .failure = cut { failures += 1 }
        let asked = (try? cut.get()) ?? []
        try Self.check(
          bytes, store, asked: asked + Self.fetch(bytes, store), "\(size) bytes, call \(number)")
        if !hasFailed { break }
      }
    }
    print("faults: \(failures) failed calls while a blob came, each made good in the same store")
    #expect(failures > 50)
  }

  @Test func `what is longer than its blob is thrown away, and a wrong whole begins again`() throws
  {
    let bytes = Self.bytes(Self.sizes[3])
    let blob = BlobReference(hash: BlobHash(of: bytes), byteCount: UInt64(bytes.count))
    for left in [bytes + bytes, [UInt8](repeating: 1, count: bytes.count)] {
      let disk = SimulatedDisk(seed: 1)
      var store = try Self.open(disk, [])
      let wrong = BlobReference(hash: blob.hash, byteCount: UInt64(left.count) + 1)
      let transfer = try #require(store.blobs.receive(wrong).transfer)
      try transfer.append(offset: 0, bytes: left)
      try store.close()
      store = try Self.open(disk, [])
      #expect(try Self.fetch(bytes, store) == [0])
      try Self.check(bytes, store, asked: [0], "left over")
    }
  }
}

extension SimulatedDisk {
  /// The size of a file; nil if the path has no file.
  fileprivate func size(of path: String) -> Int? {
    guard case .file(let count)? = try? status(of: path) else { return nil }
    return Int(count)
  }
}
