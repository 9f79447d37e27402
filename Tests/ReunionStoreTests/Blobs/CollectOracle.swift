import ReunionCore
import ReunionFlow

@testable import ReunionStore

/// A random history of a store that collects, and what a naive reading of every record says of it.
final class CollectOracle {
  /// A blob is gone that was in use, or added, within the grace.
  struct Lost: Error {
    let hash: BlobHash
  }
  /// A blob is still here that was not in use for long.
  struct Kept: Error {
    let hash: BlobHash
  }

  private static let day: UInt64 = 86_400_000
  private static let graceDays: UInt64 = 10

  private let now = Lock<UInt64>(1_800_000_000_000)
  private var random: Seeded
  private let folder = Folder()
  private let bugs: SeededBugs
  private var store: Store
  private let other: Store
  private let otherFolder = Folder()
  private var blobs: [BlobHash: [UInt8]] = [:]
  /// When each blob was last in use, or added.
  private var lastUse: [BlobHash: UInt64] = [:]
  private var ids: [RecordID] = []
  private var waiting: [BlobReference] = []
  private var removed = 0

  init(seed: UInt64, bugs: SeededBugs = []) throws {
    random = Seeded(state: seed)
    self.bugs = bugs
    let now = now
    store = try folder.open {
      $0.wallMilliseconds = { now.withLock { $0 } }; $0.seededBugs = bugs
    }
    other = try otherFolder.open { $0.wallMilliseconds = { now.withLock { $0 } } }
  }

  /// Runs it, and returns how many blobs were collected.
  func run() throws -> Int {
    for _ in 0..<200 {
      try step()
      try noteUse()
    }
    for _ in 0..<30 { try collect() }
    for (hash, last) in lastUse where now.withLock({ $0 }) > last + 25 * Self.day {
      if try store.blobs.contains(hash) { throw Kept(hash: hash) }
    }
    return removed
  }

  private func step() throws {
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1:
      let bytes = [UInt8.random(in: 0..<40, using: &random)]
      let blob = try store.blobs.add(bytes)
      blobs[blob.hash] = bytes
      lastUse[blob.hash] = now.withLock { $0 }
      waiting.append(blob)
    case 2, 3:
      guard !waiting.isEmpty else { return }
      let blob = waiting.removeFirst()
      // Whoever waited longer than the grace adds the bytes again.
      guard try store.blobs.retain(blob.hash) else { return }
      let photo = try store.write(in: space) {
        try $0.create(Photo.self) { $0.original = blob }
      }
      ids.append(photo.id)
    case 4:
      guard let id = ids.randomElement(using: &random) else { return }
      try store.write(in: space) { try $0.delete(Photo.self, id) }
    case 5:
      guard let id = ids.randomElement(using: &random), let blob = waiting.popLast(),
        try store.blobs.retain(blob.hash)
      else { return }
      try store.write(in: space) { try $0.set(\Photo.original, of: id, to: blob) }
    case 6: try other.pull(from: store)
    case 7:
      // Another replica, which knows less, edits and brings back what is deleted here.
      guard let id = ids.randomElement(using: &random),
        try other.record(entity: 3, id, in: space) != nil
      else { return }
      let named = try other.fetch(Photo.self, id, in: space)?.original
      try other.write(in: space) { try $0.set(\Photo.caption, of: id, to: "\(id)") }
      if Bool.random(using: &random), let named {
        try other.write(in: space) { try $0.set(\Photo.original, of: id, to: named) }
      }
    case 8:
      for blob in try store.pull(from: other).wanted {
        // The bytes come from a peer that has them.
        guard let bytes = blobs[blob.hash],
          let transfer = try store.blobs.receive(blob).transfer
        else { continue }
        try transfer.append(offset: 0, bytes: bytes)
        try transfer.complete(byteCount: 1)
      }
    case 9:
      try store.close()
      let (now, bugs) = (now, bugs)
      store = try folder.open {
        $0.wallMilliseconds = { now.withLock { $0 } }
        $0.seededBugs = bugs
      }
    default: try collect()
    }
  }

  private func collect() throws {
    now.withLock { $0 += Self.day * UInt64.random(in: 1...4, using: &random) }
    try noteUse()
    removed += try store.blobs.collect(grace: .seconds(Int(Self.graceDays) * 86_400)).removed.count
    let time = now.withLock { $0 }
    for (hash, last) in lastUse where last + Self.graceDays * Self.day > time {
      guard let held = try? store.blobs.read(hash, count: 10), held == blobs[hash] else {
        throw Lost(hash: hash)
      }
    }
  }

  /// Notes what is named now, by reading every record and every conflict.
  private func noteUse() throws {
    let time = now.withLock { $0 }
    for id in ids {
      guard let state = try store.record(entity: 3, id, in: space) else { continue }
      var cells = state.isAlive ? state.cells : []
      cells += try store.conflicts(entity: 3, id, in: space)
      for blob in cells.compactMap(\.value.blob) where blobs[blob.hash] != nil {
        // A value that lost may name what was collected before it came.
        if try store.blobs.contains(blob.hash) { lastUse[blob.hash] = time }
      }
    }
  }
}
