package import ReunionCore
import ReunionDisk
import ReunionFlow

/// Files that are away for a while: moved, unmounted, not copied back yet. That a file is not there at
/// one look is noted in memory alone; its row stays.
extension BlobStore {
  /// Whether a blob's row is there, and its file, as long as it was.
  func isHere(_ hash: BlobHash) throws(StoreError) -> Bool {
    let held = try store.read { (reader) throws(StoreError) in try reader.byteCount(ofBlob: hash) }
    guard let held else { return false }
    if try isWhole(hash, held) {
      _ = store.blobParts.away.withLock { $0.remove(hash) }
      return true
    }
    if store.options.seededBugs.absenceForgotten {
      try forget(hash)
      return false
    }
    guard store.blobParts.away.withLock({ $0.insert(hash).inserted }) else { return false }
    _ = store.blobParts.verified.withLock { $0.remove(hash) }
    store.blobParts.transfers.noteDeparture()
    store.blobParts.lost.tell(hash)
    return false
  }

  /// Whether the file of a blob that was `byteCount` bytes long is still at least that long.
  func isWhole(_ hash: BlobHash, _ byteCount: UInt64) throws(StoreError) -> Bool {
    try disk.byteCount(path(of: hash)).map { $0 >= byteCount } ?? false
  }

  /// Whether the database says that a blob is held, wherever its file is now.
  package func isNoted(_ hash: BlobHash) throws -> Bool {
    try store.read { (reader) throws(StoreError) in try reader.holdsBlob(hash) }
  }

  /// The blobs that living records name and whose bytes are not here.
  ///
  /// *Thread*: any; not inside a write. *Cost*: a look at each file that a record names.
  package func gaps() throws -> BlobGaps {
    var gaps = BlobGaps()
    var last: [UInt8] = []
    while true {
      let (page, end) = try store.readTransaction { (reader) throws(StoreError) in
        try reader.namedBlobs(after: last, count: 500)
      }
      for (hash, held) in page {
        if held == nil {
          gaps.awaited.append(hash)
        } else if try !isHere(hash), try isNoted(hash) {
          gaps.away.append(hash)
        }
      }
      guard let end else { return gaps }
      last = end
    }
  }

  /// Has the database say again that blobs are held that living records name, and whose files lie here
  /// whole without a row: they were away, and are back. What was erased stays so.
  ///
  /// A collection does it too. *Durability*: what is returned is on the disk. *Cost*: a look for each
  /// blob that is missing; reads those that it finds.
  @discardableResult
  package func takeBackNamed() throws(StoreError) -> [BlobReference] {
    let aside = try asideFiles()
    var taken: [BlobReference] = []
    var last: [UInt8] = []
    while true {
      let (page, end) = try store.readTransaction { (reader) throws(StoreError) in
        try reader.namedBlobs(after: last, count: 500)
      }
      for (hash, held) in page where held == nil {
        if let blob = try takeBack(hash, aside: aside[hash]) { taken.append(blob) }
      }
      guard let end else { return taken }
      last = end
    }
  }

  private func takeBack(_ hash: BlobHash, aside: String?) throws(StoreError) -> BlobReference? {
    let path = path(of: hash)
    for source in [path, aside] {
      guard let source, let byteCount = try disk.byteCount(source) else { continue }
      let file = try disk.open(source, .writing)
      guard try Self.hash(file) == hash else { continue }
      try file.sync()
      let blob = BlobReference(hash: hash, byteCount: byteCount)
      let isTaken = try store.commit { (_, records) throws(StoreError) in
        guard try BlobUse(records.reader).isNamedByLiving(hash) else { return (false, nil) }
        if source != path {
          try disk.makeFolder(path.parentFolder)
          try disk.rename(source, to: path)
        }
        guard try disk.exists(path) else { return (false, nil) }
        try disk.syncFolder(path.parentFolder)
        try records.hold(blob)
        return (true, nil)
      }
      guard isTaken else { return nil }
      _ = store.blobParts.away.withLock { $0.remove(hash) }
      store.blobParts.transfers.arrived.tell(hash)
      return blob
    }
    return nil
  }

  /// Files that were put aside as damaged, by what they should hold: one may have been half a copy then.
  private func asideFiles() throws(StoreError) -> [BlobHash: String] {
    let folder = store.folder + "/quarantine"
    guard try disk.exists(folder) else { return [:] }
    var files: [BlobHash: String] = [:]
    for name in try disk.names(in: folder).sorted() {
      if let hash = BlobHash(String(name.prefix(64))) { files[hash] = "\(folder)/\(name)" }
    }
    return files
  }
}

/// What living records name and what is not here.
package struct BlobGaps: Hashable, Sendable {
  /// Nothing.
  package init() {}

  /// Blobs that were here, and whose files are away or gone.
  package internal(set) var away: [BlobHash] = []
  /// Blobs that have not arrived: the devices that chose them may have them.
  package internal(set) var awaited: [BlobHash] = []

  /// What the host should know of files that are away; nil if none is.
  package func notice(in folder: String) -> String? {
    guard let first = away.first else { return nil }
    return "\(away.count) \(away.count == 1 ? "file" : "files") that records name, such as"
      + " \(first.description), \(away.count == 1 ? "is" : "are") not in \(folder)/blobs. If its disk"
      + " is away, mount it, and they are there again. If they are gone, restore them from a backup."
  }
}

extension RecordReader {
  /// The blobs that living records name, by rising hash, each with the length of its row's file, if it
  /// has a row; and behind which hash to go on, where there are more.
  func namedBlobs(
    after hash: [UInt8], count: Int
  ) throws(StoreError) -> (blobs: [(hash: BlobHash, held: UInt64?)], end: [UInt8]?) {
    let statement = try connection.statement(
      """
      SELECT DISTINCT hash FROM reunion_blob_reference WHERE hash > ?1 ORDER BY hash LIMIT ?2
      """)
    defer { statement.reset() }
    try statement.bind(1, hash)
    try statement.bind(2, Int64(count))
    let use = try BlobUse(self)
    var (blobs, last, seen): ([(hash: BlobHash, held: UInt64?)], [UInt8], Int) = ([], [], 0)
    while try statement.step() {
      (last, seen) = (statement.bytes(0), seen + 1)
      guard let hash = BlobHash(bytes: last) else { throw statement.damaged("a blob's hash") }
      if try use.isNamedByLiving(hash) { blobs.append((hash, try byteCount(ofBlob: hash))) }
    }
    return (blobs, seen < count ? nil : last)
  }
}
