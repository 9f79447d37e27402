public import ReunionCore
import ReunionDisk
import ReunionFlow

extension BlobStore {
  /// How long a blob is unused before it is collected, where nothing else is said: 30 days.
  public static let grace: Duration = .seconds(30 * 86_400)

  /// Removes blobs that nothing has named for the length of `grace`.
  ///
  /// ```swift
  /// let planned = try store.blobs.collect(isDryRun: true)
  /// print("Would remove", planned.removed.count, "of", planned.removed.count + planned.waiting)
  /// let done = try store.blobs.collect()
  /// print("Removed", done.removed.count)
  /// ```
  /// A blob is in use while a living record names it, or a value that lost in a conflict, a change
  /// on its way in, or a write that can be undone. A collection marks an unused blob; a later one
  /// removes it, if it was unused and not added again for the grace. So the blobs of a deleted
  /// record outlive it by the grace, and bytes that are added before the record that names them are
  /// safe. Files go to the folder `trash` first; the next collection deletes them.
  ///
  /// Call it about once a day. Time is the store's (`SettledTime`), so that a clock that leaps
  /// removes nothing, and of that between two calls at most half of the grace counts. One call
  /// removes nothing that no earlier one has marked, whatever the grace.
  ///
  /// *Durability*: what is removed was not named on the disk; a crash at any point loses no blob
  /// that is in use, and the next call goes on. *Thread*: any; not inside a write. *Cost*: reads
  /// the rows of all blobs, and the names in all their folders; writes wait for a batch of a
  /// hundred at a time. A dry run only tells, and changes nothing.
  /// - Parameters:
  ///   - grace: how long a blob stays unused; 0 removes what the call before has marked.
  ///   - isDryRun: whether it only tells what a call would do now.
  /// - Returns: what it did, or would do.
  /// - Throws: `nestedWrite` inside a write, `notWritable`, and errors of the disk. What was done
  ///   until then stays done.
  @discardableResult
  public func collect(grace: Duration = Self.grace, isDryRun: Bool = false) throws -> Collected {
    let sweep = BlobSweep(blobs: self, graceMilliseconds: grace.wholeMilliseconds)
    return try isDryRun ? sweep.look() : sweep.run()
  }

  /// Whether a blob is held. If so, it is not collected for a grace from now on, so that there is
  /// time to write the record that names it. The space is as for `add(_:in:)`.
  ///
  /// ```swift
  /// let bytes = [UInt8](repeating: 7, count: 40_000)
  /// if try store.blobs.retain(BlobHash(of: bytes), in: space) { print("Nothing to send.") }
  /// ```
  /// It is for whoever knows a hash and can spare the bytes, such as a server that is asked about
  /// an upload.
  /// - Throws: `blobErased` where it was erased in that space; errors of the disk.
  public func retain(_ hash: BlobHash, in space: SpaceID? = nil) throws -> Bool {
    try retains(hash, in: space)
  }

  func retains(_ hash: BlobHash, in space: SpaceID?) throws(StoreError) -> Bool {
    guard try isHere(hash) else { return false }
    let (isHeld, isSure) = try store.read { (reader) throws(StoreError) in
      guard try reader.holdsBlob(hash) else { return (false, true) }
      guard try reader.mark(of: hash) == nil else { return (true, false) }
      let number = try space.map { (space) throws(StoreError) in
        try reader.numbers.existingNumber(of: space)
      }
      guard let tenant = number ?? BlobTenant.program else { return (true, false) }
      if try isRefused(hash, in: tenant, BlobUse(reader)) { return (true, false) }
      return (true, try reader.isSurely(tenant, tenantOf: hash))
    }
    guard isHeld, !isSure else { return isHeld }
    return try store.commit { (_, records) throws(StoreError) in
      let tenant = try tenant(space, records)
      if try isRefused(hash, in: tenant, BlobUse(records.reader)) { throw erased(hash) }
      guard try records.reader.holdsBlob(hash) else { return (false, nil) }
      try records.unmark(hash)
      if try !records.reader.names(hash, in: tenant) { try records.addTenant(tenant, of: hash) }
      return (true, nil)
    }
  }

  /// Whether a blob is held as a space's: a record of it names the blob, or it was sent to it
  /// within the grace. What another space holds says nothing here.
  package func contains(_ hash: BlobHash, of space: SpaceID) throws -> Bool {
    guard try isHere(hash) else { return false }
    return try store.read { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return false }
      if try reader.names(hash, in: number) { return true }
      return try reader.isTenant(number, of: hash)
    }
  }

  var trash: String { store.folder + "/trash" }

  func trashPath(_ hash: BlobHash) -> String { "\(trash)/\(hash.description)" }

  /// The hashes that files of a folder are named by.
  func hashes(in folder: String) throws(StoreError) -> [BlobHash] {
    guard try disk.exists(folder) else { return [] }
    return try disk.names(in: folder).sorted().compactMap { name in
      BlobHash(name).flatMap { $0.description == name ? $0 : nil }
    }
  }
}

/// One collection: marks, then rows, then files, each in transactions of their own.
///
/// The same transaction asks who names a blob and acts on the answer. A file moves in a transaction
/// too, after its row went in an earlier one: so a name is never without its file, and whoever adds
/// the same bytes meanwhile finds the row gone, or keeps the file (`BlobStore.settle`).
struct BlobSweep {
  let blobs: BlobStore
  let graceMilliseconds: UInt64
  private var store: Store { blobs.store }
  private var disk: any Disk { blobs.disk }
  private var isByRowsOnly: Bool { store.options.seededBugs.sweepsByRowsOnly }
  private static let batchCount = 100

  init(blobs: BlobStore, graceMilliseconds: UInt64) {
    self.blobs = blobs
    self.graceMilliseconds = graceMilliseconds
  }

  /// What a run would do now.
  func look() throws(StoreError) -> Collected {
    let now = store.options.wallMilliseconds()
    let age = try store.read { (reader) throws(StoreError) in
      try CollectorAge(reader.connection).advanced(
        to: SettledTime(at: now, reader.connection).settled, graceMilliseconds)
    }
    var collected = Collected()
    for hash in try unused() {
      let (mark, goes) = try store.read { (reader) throws(StoreError) in
        guard let mark = try reader.mark(of: hash) else { return (UInt64?.none, false) }
        return (mark, try isOver(hash, mark, age, BlobUse(reader)))
      }
      if goes {
        collected.removed.append(try reference(hash))
      } else {
        collected.waiting += 1
        if mark == nil { collected.marked.append(hash) }
      }
    }
    return collected
  }

  func run() throws(StoreError) -> Collected {
    var collected = Collected()
    let time = try store.settleTime()
    let age = try store.commit { (_, records) throws(StoreError) in
      let connection = records.reader.connection
      let age = try CollectorAge(connection).advanced(to: time.settled, graceMilliseconds)
      try age.write(connection)
      try records.expireTenants(age.milliseconds, graceMilliseconds)
      return (age, nil)
    }
    try blobs.sweepErased()
    collected.takenBack = try blobs.takeBackNamed().map(\.hash)
    collected.deletedFiles = try emptyTrash()
    try unmarkUsed()
    for batch in Self.batches(try unused()) {
      let over = try mark(batch, age, &collected)
      try takeFiles(over, &collected)
    }
    return collected
  }

  /// What nothing names: blobs, and files that have no row.
  private func unused() throws(StoreError) -> [BlobHash] {
    var found = try store.readTransaction { (reader) throws(StoreError) in
      let use = try BlobUse(reader)
      let statement = try reader.connection.prepare("SELECT hash FROM reunion_blob ORDER BY hash")
      defer { statement.finalize() }
      var found: [BlobHash] = []
      while try statement.step() {
        guard let hash = BlobHash(bytes: statement.bytes(0)) else {
          throw statement.damaged("a blob's hash")
        }
        if try !isInUse(hash, use) { found.append(hash) }
      }
      return found
    }
    for folder in try disk.names(in: store.folder + "/blobs").sorted() where folder.count == 2 {
      for hash in try blobs.hashes(in: "\(store.folder)/blobs/\(folder)") {
        let isStray = try store.read { (reader) throws(StoreError) in
          if try reader.holdsBlob(hash) { return false }
          return try !isInUse(hash, BlobUse(reader))
        }
        if isStray { found.append(hash) }
      }
    }
    return found
  }

  private func isInUse(_ hash: BlobHash, _ use: BlobUse) throws(StoreError) -> Bool {
    if isByRowsOnly { return try use.isNamedByRecord(hash) }
    if try use.isNamed(hash) { return true }
    return try blobs.hasPartial(hash)
  }

  /// Whether a blob that is marked goes: it was unused for the grace, and all who hold the past open know it.
  private func isOver(
    _ hash: BlobHash, _ mark: UInt64, _ age: CollectorAge, _ use: BlobUse
  ) throws(StoreError) -> Bool {
    guard isOver(mark, age) else { return false }
    if store.options.seededBugs.bytesGoBeforeStable { return true }
    return try use.isDeletedForAll(hash)
  }

  private func isOver(_ mark: UInt64, _ age: CollectorAge) -> Bool {
    age.milliseconds >= mark && age.milliseconds - mark >= max(graceMilliseconds, 1)
  }

  private func unmarkUsed() throws(StoreError) {
    let marked = try store.read { (reader) throws(StoreError) in try reader.markedBlobs() }
    for batch in Self.batches(marked) {
      try store.commit { (_, records) throws(StoreError) in
        let use = try BlobUse(records.reader)
        for hash in batch {
          var isUnused = try records.reader.holdsBlob(hash)
          if !isUnused { isUnused = try disk.exists(blobs.path(of: hash)) }
          if isUnused { isUnused = try !isInUse(hash, use) }
          if !isUnused { try records.unmark(hash) }
        }
        return ((), nil)
      }
    }
  }

  /// Marks what is unused, and has the database forget what was so for the grace; returns these.
  private func mark(
    _ batch: ArraySlice<BlobHash>, _ age: CollectorAge, _ collected: inout Collected
  ) throws(StoreError) -> [BlobHash] {
    var marked: [BlobHash] = []
    var over: [BlobHash] = []
    try store.commit { (_, records) throws(StoreError) in
      let use = try BlobUse(records.reader)
      for hash in batch where try !isInUse(hash, use) {
        let mark = try records.reader.mark(of: hash)
        if let mark, try isOver(hash, mark, age, use) {
          over.append(hash)
          try records.release(hash)
        } else if isByRowsOnly {
          over.append(hash)
          try records.release(hash)
        } else if mark == nil {
          marked.append(hash)
          try records.mark(hash, age.milliseconds)
        } else {
          collected.waiting += 1
        }
      }
      return ((), nil)
    }
    for hash in over { _ = store.blobParts.verified.withLock { $0.remove(hash) } }
    collected.marked += marked
    collected.waiting += marked.count
    return over
  }

  /// Moves the files of forgotten blobs to the trash, unless somebody has come to name them.
  private func takeFiles(
    _ batch: [BlobHash], _ collected: inout Collected
  ) throws(StoreError) {
    guard !batch.isEmpty else { return }
    try disk.makeFolder(blobs.trash)
    var removed: [BlobReference] = []
    try store.commit { (_, records) throws(StoreError) in
      let use = try BlobUse(records.reader)
      for hash in batch {
        let path = blobs.path(of: hash)
        if try records.reader.holdsBlob(hash) { continue }
        guard let byteCount = try disk.byteCount(path) else { continue }
        let blob = BlobReference(hash: hash, byteCount: byteCount)
        if try isInUse(hash, use) {
          try records.hold(blob)
        } else {
          try disk.rename(path, to: blobs.trashPath(hash))
          try records.unmark(hash)
          try records.removeTenants(of: hash)
          removed.append(blob)
        }
      }
      return ((), nil)
    }
    collected.removed += removed
  }

  /// Deletes what an earlier collection took, or takes back what is named or held again.
  private func emptyTrash() throws(StoreError) -> Int {
    var count = 0
    for hash in try blobs.hashes(in: blobs.trash) {
      count += try store.commit { (_, records) throws(StoreError) in
        if try isInUse(hash, BlobUse(records.reader)) {
          try blobs.takeBack(hash, records)
          return (0, nil)
        }
        try disk.remove(blobs.trashPath(hash))
        return (1, nil)
      }
    }
    return count
  }

  private func reference(_ hash: BlobHash) throws(StoreError) -> BlobReference {
    BlobReference(hash: hash, byteCount: try disk.byteCount(blobs.path(of: hash)) ?? 0)
  }

  private static func batches(_ hashes: [BlobHash]) -> [ArraySlice<BlobHash>] {
    stride(from: 0, to: hashes.count, by: batchCount).map {
      hashes[$0..<min($0 + batchCount, hashes.count)]
    }
  }
}

extension BlobStore {
  /// Puts a blob that was collected back to its place where it is not there, and whole.
  fileprivate func takeBack(_ hash: BlobHash, _ records: RecordWriter) throws(StoreError) {
    let (path, taken) = (path(of: hash), trashPath(hash))
    let isThere = try disk.exists(path)
    guard !isThere, let byteCount = try disk.byteCount(taken),
      try Self.hash(disk.open(taken, .reading)) == hash
    else { return try disk.remove(taken) }
    try disk.makeFolder(path.parentFolder)
    try disk.rename(taken, to: path)
    try disk.syncFolder(path.parentFolder)
    try records.hold(BlobReference(hash: hash, byteCount: byteCount))
  }
}

extension Duration {
  fileprivate var wholeMilliseconds: UInt64 {
    let (seconds, attoseconds) = components
    guard seconds >= 0 else { return 0 }
    return UInt64(seconds) * 1000 + UInt64(max(attoseconds, 0)) / 1_000_000_000_000_000
  }
}
