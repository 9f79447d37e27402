import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionTesting

/// What a power cut left at one moment of a story, and what must be found there.
struct Aftermath {
  let disk: SimulatedDisk
  let call: Int
  let seed: UInt64
  let acknowledged: Contents
  let underWay: Contents?
  let backup: Contents?
  let backupUnderWay: Contents?
  let blobs: [BlobHash: [UInt8]]

  init(_ story: Story, call: Int, on disk: SimulatedDisk) {
    self.disk = disk
    self.call = call
    seed = story.seed
    acknowledged = story.acknowledged
    underWay = story.underWay
    backup = story.backup
    backupUnderWay = story.backupUnderWay
    blobs = story.blobs
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
      if let backup { try checkBackup(backup) }
      if let cut = opening.cut { try checkContents(of: cut) }
    } catch {
      throw Loss("seed \(seed), after call \(call): \(error)")
    }
  }

  private func checkContents(of disk: SimulatedDisk) throws {
    let options = Story.options(disk, seed: seed &+ 1)
    let store = try Store.open(folder: Story.folder, model: model, options: options)
    disk.observeChanges(nil)
    let held = try Contents(of: store, blobs: blobs.keys)
    try compare(held, acknowledged, underWay, "the store")
    let look = try Verification(folder: Story.folder, on: disk)
    guard look.isSound, look.missing.isEmpty else {
      throw Loss(
        "\(look.damage ?? ""), \(look.damaged.count) blobs damaged, \(look.missing.count) named and"
          + " not held")
    }
    try store.write(in: space) { try $0.create(Doc(id: store.newID())) }
    try store.close()
  }

  private func compare(
    _ held: Contents, _ one: Contents, _ other: Contents?, _ what: String
  ) throws {
    for (hash, bytes) in held.blobs where blobs[hash] != bytes {
      throw Loss("a blob of \(what) holds other bytes than its name says")
    }
    if held == one || held == other { return }
    let lost = one.docs.values.filter { held.docs[$0.id] != $0 }.count
    let blobsLost = one.blobs.keys.filter { held.blobs[$0] == nil }.count
    throw Loss(
      "\(what) lacks \(lost) acknowledged records and \(blobsLost) blobs, or shows half a write")
  }

  private func checkBackup(_ expected: Contents) throws {
    _ = try Backup.restore(Story.backup, to: "/restored", on: disk)
    let options = Story.options(disk, seed: seed &+ 2)
    let store = try Store.open(folder: "/restored", model: model, options: options)
    let held = try Contents(of: store, blobs: blobs.keys)
    try compare(held, expected, backupUnderWay, "the backup")
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
