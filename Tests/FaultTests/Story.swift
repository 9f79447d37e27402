import ReunionCore
import ReunionDisk
import ReunionFlow
import ReunionStore
import ReunionTesting
import ReunionTools

/// What an app does with a store on a simulated disk, from one seed, beside what was acknowledged.
final class Story: @unchecked Sendable {
  static let folder = "/app/store"
  static let backup = "/backup"

  let seed: UInt64
  let disk: SimulatedDisk
  var options: StoreOptions
  private var random: SeededRandom
  private(set) var store: Store?

  /// What was acknowledged, and what the operation that is under way makes of it.
  private(set) var acknowledged = Contents()
  private(set) var underWay: Contents?
  /// All that was acknowledged, one write after another.
  private(set) var history: [Contents] = []
  /// The contents of the last backup that was acknowledged, and those of later ones that failed and
  /// may have taken its place; nothing where no backup was acknowledged.
  private(set) var backups: [Contents] = []
  private(set) var backupUnderWay: Contents?
  /// Every blob that may be held.
  private(set) var blobs: [BlobHash: [UInt8]] = [:]
  private var count = 0

  init(seed: UInt64, bugs: SeededBugs = []) {
    self.seed = seed
    disk = SimulatedDisk(seed: seed)
    random = SeededRandom(seed: seed)
    options = Self.options(disk, seed: seed, bugs: bugs)
  }

  /// Options whose clock and randomness follow from a seed.
  static func options(
    _ disk: any Disk, seed: UInt64, bugs: SeededBugs = []
  ) -> StoreOptions {
    var options = StoreOptions()
    options.disk = BuggyDisk.over(disk, bugs)
    options.seededBugs = bugs
    options.checkpointPages = 12
    let random = SharedRandom(seed: seed)
    options.random = { random.draw { $0.next() } }
    let now = Lock<UInt64>(1_000_000)
    options.wallMilliseconds = {
      now.withLock { now in
        now += 1
        return now
      }
    }
    return options
  }

  func open() throws {
    store = nil
    store = try Store.open(folder: Self.folder, model: model, options: options)
  }

  func close() throws {
    let closing = store
    store = nil
    try closing?.close()
  }

  /// Goes a step; what it throws is the store's.
  func step() throws {
    guard let store else { return try open() }
    switch Int.random(in: 0..<16, using: &random) {
    case 0..<4: try create(store)
    case 4..<8: try edit(store)
    case 8..<10: try editAll(store)
    case 10: try delete(store)
    case 11..<13: try addBlob(store)
    case 13: try receiveBlob(store)
    case 14: try makeBackup()
    default: try close()
    }
  }

  /// Settles what became of an operation that threw: it took place whole, or not at all.
  func settle() throws {
    defer {
      underWay = nil
      if let backupUnderWay, !backups.isEmpty { backups.append(backupUnderWay) }
      backupUnderWay = nil
    }
    if store == nil { try open() }
    guard let store else { return }
    let held = try Contents(of: store, blobs: blobs.keys)
    guard held == acknowledged || held == underWay else {
      throw Loss("after an error the store holds something else")
    }
    acknowledged = held
  }

  private func perform(_ after: Contents, _ body: () throws -> Void) throws {
    underWay = after
    try body()
    history.append(acknowledged)
    acknowledged = after
    underWay = nil
  }

  private func newText() -> String {
    count += 1
    return "\(count) " + String(repeating: "x", count: Int.random(in: 0...200, using: &random))
  }

  private func create(_ store: Store, file: BlobReference? = nil) throws {
    var doc = Doc(id: store.newID())
    doc.text = newText()
    doc.file = file
    doc.bytes = [UInt8](
      repeating: UInt8(truncatingIfNeeded: count), count: Int.random(in: 0...3000, using: &random))
    var after = acknowledged
    after.docs[doc.id] = doc
    try perform(after) { try store.write(in: space) { [doc] in try $0.create(doc) } }
  }

  private func someDoc() -> Doc? {
    acknowledged.docs.values.sorted { $0.id < $1.id }.randomElement(using: &random)
  }

  private func edit(_ store: Store) throws {
    guard let doc = someDoc() else { return try create(store) }
    let text = newText()
    var after = acknowledged
    after.docs[doc.id]?.text = text
    try perform(after) {
      try store.write(in: space) { try $0.set(\Doc.text, of: doc.id, to: text) }
    }
  }

  /// A transaction over every record: half of it would show.
  private func editAll(_ store: Store) throws {
    count += 1
    let number = count
    var after = acknowledged
    for id in after.docs.keys { after.docs[id]?.number = number }
    let ids = after.docs.keys.sorted()
    try perform(after) {
      try store.write(in: space) { transaction in
        for id in ids { try transaction.set(\Doc.number, of: id, to: number) }
      }
    }
  }

  private func delete(_ store: Store) throws {
    guard let doc = someDoc() else { return }
    var after = acknowledged
    after.docs[doc.id] = nil
    try perform(after) { try store.write(in: space) { try $0.delete(Doc.self, doc.id) } }
  }

  private func newBlob(of byteCounts: ClosedRange<Int> = 1...6000) -> (
    hash: BlobHash, bytes: [UInt8], after: Contents
  ) {
    let bytes = (0..<Int.random(in: byteCounts, using: &random)).map { _ in
      UInt8.random(in: 0...255, using: &random)
    }
    let hash = BlobHash(of: bytes)
    var after = acknowledged
    after.blobs[hash] = bytes
    blobs[hash] = bytes
    return (hash, bytes, after)
  }

  private func addBlob(_ store: Store) throws {
    let blob = newBlob()
    try perform(blob.after) { try store.blobs.add(blob.bytes) }
    try create(
      store, file: BlobReference(hash: blob.hash, byteCount: UInt64(blob.bytes.count)))
  }

  private func receiveBlob(_ store: Store) throws {
    let blob = newBlob(of: Bool.random(using: &random) ? 1...2000 : 66_000...150_000)
    try perform(blob.after) {
      let (half, size) = (blob.bytes.count / 2, UInt64(blob.bytes.count))
      let received = try store.blobs.receive(BlobReference(hash: blob.hash, byteCount: size))
      guard let transfer = received.transfer else { throw Loss("a blob that nobody sent is held") }
      try transfer.append(offset: 0, bytes: Array(blob.bytes[..<half]))
      try transfer.append(offset: UInt64(half), bytes: Array(blob.bytes[half...]))
      try transfer.complete(byteCount: size)
    }
  }

  private func makeBackup() throws {
    backupUnderWay = acknowledged
    _ = try Backup.make(of: Self.folder, in: Self.backup, on: disk)
    backups = [acknowledged]
    backupUnderWay = nil
  }
}
