import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionTesting
import ReunionTools

/// What a power cut left at one moment of a story, and what must be found there.
struct Aftermath {
  let disk: SimulatedDisk
  let call: Int
  let seed: UInt64
  let acknowledged: Contents
  let underWay: Contents?
  let backups: [Contents]
  let blobs: [BlobHash: [UInt8]]
  let bugs: SeededBugs

  init(_ story: Story, call: Int, on disk: SimulatedDisk) {
    self.disk = disk
    self.call = call
    seed = story.seed
    acknowledged = story.acknowledged
    underWay = story.underWay
    backups =
      story.backups + (story.backups.isEmpty ? [] : story.backupUnderWay.map { [$0] } ?? [])
    blobs = story.blobs
    bugs = story.options.seededBugs
  }

  /// Throws the first promise that is broken. Another power cut comes while the store is opened.
  func check() throws {
    do {
      var luck = SeededRandom(seed: seed &+ UInt64(call))
      let chosen = Int.random(in: 1...30, using: &luck)
      let opening = Opening()
      disk.observeChanges { [disk] _ in
        if opening.count() == chosen { opening.keep(disk.afterPowerCut()) }
      }
      try checkContents(of: disk)
      if !backups.isEmpty { try checkBackup() }
      if let cut = opening.cut { try checkContents(of: cut) }
    } catch {
      throw Loss("seed \(seed), after call \(call): \(error)")
    }
  }

  private func checkContents(of disk: SimulatedDisk) throws {
    let options = Story.options(disk, seed: seed &+ 1, bugs: bugs)
    let store = try Store.open(folder: Story.folder, model: model, options: options)
    disk.observeChanges(nil)
    let held = try Contents(of: store, blobs: blobs.keys)
    try compare(held, [acknowledged] + (underWay.map { [$0] } ?? []), "the store")
    let look = try Verification(folder: Story.folder, on: disk)
    guard look.isSound, look.missing.isEmpty else {
      throw Loss(
        "\(look.damage ?? ""), \(look.damaged.count) blobs damaged, \(look.missing.count) named and"
          + " not held")
    }
    try store.write(in: space) { try $0.create(Doc(id: store.newID())) }
    for (hash, bytes) in blobs where held.blobs[hash] == nil {
      try finish(hash, bytes, in: store)
    }
    try store.close()
  }

  /// Goes on with a blob that was being received.
  private func finish(_ hash: BlobHash, _ bytes: [UInt8], in store: Store) throws {
    let size = UInt64(bytes.count)
    guard
      let transfer = try store.blobs.receive(BlobReference(hash: hash, byteCount: size)).transfer
    else { return try check(hash, bytes, in: store) }
    let offset = try transfer.byteCount()
    guard offset > 0 else { return }
    do {
      try transfer.append(offset: offset, bytes: Array(bytes[Int(offset)...]))
      try transfer.complete(byteCount: size)
    } catch let error as StoreError where error.code == .blobMismatch {
      // It is thrown away and comes anew.
      return
    }
    try check(hash, bytes, in: store)
  }

  private func check(_ hash: BlobHash, _ bytes: [UInt8], in store: Store) throws {
    guard try store.blobs.read(hash, count: bytes.count) == bytes else {
      throw Loss("a blob that was gone on with holds other bytes than its name says")
    }
  }

  private func compare(_ held: Contents, _ allowed: [Contents], _ what: String) throws {
    for (hash, bytes) in held.blobs where blobs[hash] != bytes {
      throw Loss("a blob of \(what) holds other bytes than its name says")
    }
    guard let one = allowed.first, !allowed.contains(held) else { return }
    let lost = one.docs.values.filter { held.docs[$0.id] != $0 }.count
    let blobsLost = one.blobs.keys.filter { held.blobs[$0] == nil }.count
    throw Loss(
      "\(what) lacks \(lost) acknowledged records and \(blobsLost) blobs, or shows half a write")
  }

  private func checkBackup() throws {
    _ = try Backup.restore(Story.backup, to: "/restored", on: disk)
    let options = Story.options(disk, seed: seed &+ 2)
    let store = try Store.open(folder: "/restored", model: model, options: options)
    let held = try Contents(of: store, blobs: blobs.keys)
    try compare(held, backups, "the backup")
    try store.close()
  }
}

/// The power cut that comes while a store is opened after another one.
private final class Opening: Sendable {
  private let state = Lock<(count: Int, cut: SimulatedDisk?)>((0, nil))

  var cut: SimulatedDisk? { state.withLock { $0.cut } }

  func count() -> Int {
    state.withLock { state in
      state.count += 1
      return state.count
    }
  }

  func keep(_ disk: SimulatedDisk) { state.withLock { $0.cut = disk } }
}
