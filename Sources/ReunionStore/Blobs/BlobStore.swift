public import ReunionCore
package import ReunionDisk
import ReunionFlow

/// The blobs of a store: immutable bytes, each in a file named by the SHA-256 of its bytes.
///
/// ```swift
/// let original = try store.blobs.adopt(file: "/tmp/harbour.jpg", in: space)
/// try store.write(in: space) { try $0.set(\Photo.thumbnail, of: photo.id, to: .file(original)) }
/// let start = try store.blobs.read(original.hash, offset: 0, count: 1024)
/// print(original.byteCount, start.count)
/// ```
/// Keep large bytes here first, and then write the record that names them: other writes do not wait
/// for the file then. Equal bytes are one blob, whoever adds them. What nothing names for 30 days
/// is collected.
///
/// *Durability*: a blob is held once its file is whole, checked, synced and named, and only then
/// does the database say so; an error leaves a file that nothing names, never a name without a
/// file. *Thread*: any, which is blocked; not inside a write, where what commits throws
/// `nestedWrite`.
///
/// *Errors*: `blobMissing` for what is not held, `blobMismatch` for bytes that the hash does not
/// name, `blobErased`, `diskFull`, `ioFailed`.
public struct BlobStore: Sendable {
  let store: Store
  var disk: any Disk { store.options.disk }

  /// Whether a blob is held, and its file is there now, as long as it was. It does not look at the
  /// bytes: `verify(_:)` does. Cost: a look at its row, and one at its file.
  public func contains(_ hash: BlobHash) throws -> Bool { try isHere(hash) }

  /// The file that a blob has or will have: `blobs/ab/abcd…` in the store's folder, without an
  /// ending. It is for programs that take a path, such as a player; whoever reads it must not
  /// change it. It may go while it is read, if the blob is erased.
  public func path(of hash: BlobHash) -> String {
    BlobFiles.path(of: hash, in: store.folder)
  }

  /// Keeps bytes as a blob; again it does nothing. Cost: hashes them, and some four syncs.
  ///
  /// ```swift
  /// let bytes = [UInt8](repeating: 7, count: 40_000)
  /// let reference = try store.blobs.add(bytes, in: space)
  /// try store.write(in: space) { transaction in
  ///   try transaction.set(\Photo.thumbnail, of: photo.id, to: .file(reference))
  /// }
  /// ```
  /// Name the space whose records will name them, where others' records are in the store as well:
  /// then nothing that happens in another space takes them, until a record names them or a grace is
  /// over. Without it they are this program's, until a write of it names them.
  ///
  /// - Parameters:
  ///   - bytes: all of them, in memory; for a large file use `adopt(file:expecting:in:)`.
  ///   - space: the space whose records will name them.
  /// - Returns: the hash and the size, for a field.
  /// - Throws: `blobErased` where they were erased in that space, `nestedWrite` inside a write,
  ///   `notWritable`, `diskFull`, `ioFailed`. The blob is not kept then.
  @discardableResult
  public func add(_ bytes: [UInt8], in space: SpaceID? = nil) throws -> BlobReference {
    let reference = BlobReference(hash: BlobHash(of: bytes), byteCount: UInt64(bytes.count))
    if try retains(reference.hash, in: space) { return reference }
    try withNewFile(of: bytes) { (file) throws(StoreError) in
      try keep(file, as: reference, in: space)
    }
    store.blobParts.transfers.arrived.tell(reference.hash)
    return reference
  }

  /// Keeps bytes as a blob in a write that is under way: its file is on the disk when this returns,
  /// and the database says so when the write is; where the write fails, nothing names the file.
  func add(
    _ bytes: [UInt8], space: Int64, in records: RecordWriter
  ) throws(StoreError) -> BlobReference {
    let reference = BlobReference(hash: BlobHash(of: bytes), byteCount: UInt64(bytes.count))
    if try BlobUse(records.reader).spaces(erasing: reference.hash).contains(space) {
      throw erased(reference.hash)
    }
    if let held = try records.reader.byteCount(ofBlob: reference.hash),
      try isWhole(reference.hash, held)
    {
      try records.addTenant(space, of: reference.hash)
      return reference
    }
    try withNewFile(of: bytes) { (file) throws(StoreError) in try place(file, as: reference) }
    try settle(reference, space, records)
    return reference
  }

  private func withNewFile(
    of bytes: [UInt8], _ body: (any DiskFile) throws(StoreError) -> Void
  ) throws(StoreError) {
    let file = try disk.open(temporaryPath(), .creating)
    do throws(StoreError) {
      try file.write(bytes, at: 0)
      try body(file)
    } catch {
      try disk.remove(file.path)
      throw error
    }
  }

  /// Keeps a copy of a file as a blob; the file stays as it is. It is read 256 KiB at a time,
  /// whatever its size.
  ///
  /// - Parameters:
  ///   - path: the file, on the store's disk.
  ///   - expected: the hash that the bytes should have; nil takes any.
  ///   - space: as for `add(_:in:)`.
  /// - Returns: the hash and the size, for a field.
  /// - Throws: `blobMismatch` where a hash is expected and the bytes have another; `ioFailed` if
  ///   there is no such file; else as `add(_:in:)`.
  @discardableResult
  public func adopt(
    file path: String, expecting expected: BlobHash? = nil, in space: SpaceID? = nil
  ) throws -> BlobReference {
    let reference = try keepCopy(of: disk.open(path, .reading), expecting: expected, in: space)
    store.blobParts.transfers.arrived.tell(reference.hash)
    return reference
  }

  /// Keeps a file as a blob by giving it the blob's name: its bytes are neither read nor written
  /// again. It is for a caller that hashed the bytes as they were written and that alone has the
  /// file.
  ///
  /// The file is gone from `path` then, also where the disk failed to sync it. Called again after
  /// an error or a kill, it makes up for what was left out. A file on another file system is
  /// copied.
  ///
  /// - Throws: `blobMissing` where the file is neither here nor named as the blob.
  package func adopt(
    moving path: String, as blob: BlobReference, in space: SpaceID? = nil
  ) throws {
    if try disk.exists(path) {
      let file = try disk.open(path, .writing)
      guard try file.byteCount() == blob.byteCount else { throw mismatch(path) }
      do throws(StoreError) {
        try keep(file, as: blob, in: space)
      } catch {
        guard error.code == .otherFileSystem else { throw error }
        _ = try keepCopy(of: file, expecting: blob.hash, in: space)
        try disk.remove(path)
      }
    } else if try retains(blob.hash, in: space) {
      try verify(blob.hash)
    } else {
      let isForgotten = store.options.seededBugs.movedFileForgotten
      guard try !isForgotten && adoptUnnamed(blob.hash, in: space) else { throw missing(blob.hash) }
    }
    store.blobParts.transfers.arrived.tell(blob.hash)
  }

  private func keepCopy(
    of source: any DiskFile, expecting expected: BlobHash?, in space: SpaceID?
  ) throws(StoreError) -> BlobReference {
    let copy = try disk.open(temporaryPath(), .creating)
    do throws(StoreError) {
      guard let reference = try BlobFiles.copy(source, to: copy),
        expected == nil || expected == reference.hash
      else { throw mismatch(source.path) }
      try keep(copy, as: reference, in: space)
      return reference
    } catch {
      try disk.remove(copy.path)
      throw error
    }
  }

  private func mismatch(_ path: String) -> StoreError {
    StoreError(.blobMismatch, "\(path) is not the blob that was expected: send it again.")
  }

  /// Bytes of a blob from an offset on; fewer than `count` only at its end.
  ///
  /// The first read of a blob since the store was opened checks all of it. A damaged one is moved
  /// to the folder `quarantine` and counts as missing. To read a blob piece by piece, open it once
  /// with `reader(of:in:)`.
  ///
  /// - Parameters:
  ///   - hash: the blob's.
  ///   - offset: where to begin; beyond its end there are no bytes.
  ///   - count: how many bytes are wanted at most.
  /// - Returns: the bytes.
  /// - Throws: `blobMissing` where it is not held, `ioFailed`.
  public func read(_ hash: BlobHash, offset: UInt64 = 0, count: Int) throws -> [UInt8] {
    try verify(hash)
    return try disk.open(path(of: hash), .reading).read(at: offset, count: count)
  }

  /// The size of a blob's file.
  ///
  /// - Parameter hash: the blob's.
  /// - Returns: how many bytes it has.
  /// - Throws: `blobMissing` where it is not held, `ioFailed`.
  public func byteCount(of hash: BlobHash) throws -> UInt64 {
    guard try contains(hash), let byteCount = try disk.byteCount(path(of: hash)) else {
      throw missing(hash)
    }
    return byteCount
  }

  /// Checks a blob unless that was done since the store was opened.
  ///
  /// - Throws: `blobMissing` where it is not held, also because it was found damaged just now.
  ///
  /// A file that is away, or shorter than it was, may be on its way back: it is missing for as long
  /// as that, and nothing is written down.
  public func verify(_ hash: BlobHash) throws {
    guard try isHere(hash) else { throw missing(hash) }
    if store.blobParts.verified.withLock({ $0.contains(hash) }) { return }
    let path = path(of: hash)
    let held = try Self.hash(disk.open(path, .reading))
    guard held == hash else {
      try putAside(hash)
      throw missing(hash)
    }
    _ = store.blobParts.verified.withLock { $0.insert(hash) }
  }

  /// Moves a damaged file away, and has the database say no longer that its blob is held.
  func putAside(_ hash: BlobHash) throws(StoreError) {
    let quarantine = store.folder + "/quarantine"
    try disk.makeFolder(quarantine)
    let number = Hexadecimal.text(RecordID(high: store.options.random(), low: 0).bytes.prefix(8))
    try disk.rename(path(of: hash), to: "\(quarantine)/\(hash.description)-\(number)")
    try disk.syncFolder(quarantine)
    try forget(hash)
  }

  package static let pieceBytes = 256 * 1024

  /// The hash of a file's bytes.
  package static func hash(_ file: any DiskFile) throws(StoreError) -> BlobHash? {
    var hash = SHA256()
    var offset: UInt64 = 0
    while true {
      let bytes = try file.read(at: offset, count: pieceBytes)
      if bytes.isEmpty { return BlobHash(bytes: hash.finish()) }
      hash.update(bytes)
      offset += UInt64(bytes.count)
    }
  }

  /// Names a whole file that has been checked, and then has the database say so.
  func keep(
    _ file: any DiskFile, as reference: BlobReference, in space: SpaceID?
  ) throws(StoreError) {
    if store.options.seededBugs.rowBeforeBlob { try enter(reference, in: space) }
    let arriving = store.blobParts.arriving
    arriving.withLock { $0[reference.hash, default: 0] += 1 }
    defer {
      arriving.withLock { count in
        count[reference.hash] = count[reference.hash].flatMap { $0 > 1 ? $0 - 1 : nil }
      }
    }
    try refuseErased(reference.hash, in: space)
    try place(file, as: reference)
    try enter(reference, in: space)
    _ = store.blobParts.verified.withLock { $0.insert(reference.hash) }
  }

  func enter(_ reference: BlobReference, in space: SpaceID?) throws(StoreError) {
    try store.commit { (_, records) throws(StoreError) in
      try settle(reference, try tenant(space, records), records)
      return ((), nil)
    }
  }

  /// Has the database say that a blob is held whose file has its name. Where a collection took the
  /// file in between, it is put back.
  private func settle(
    _ reference: BlobReference, _ space: Int64, _ records: RecordWriter
  ) throws(StoreError) {
    let path = path(of: reference.hash)
    let use = try BlobUse(records.reader)
    if try isRefused(reference.hash, in: space, use) {
      // Between the look before its file was named and this commit. It may be another space's.
      if try use.holders(of: reference.hash).isSubset(of: use.spaces(erasing: reference.hash)) {
        try disk.remove(path)
      }
      throw erased(reference.hash)
    }
    if try !disk.exists(path), !store.options.seededBugs.rowBeforeBlob {
      try disk.rename(trashPath(reference.hash), to: path)
      try disk.syncFolder(path.parentFolder)
    }
    try records.hold(reference)
    guard try !records.reader.names(reference.hash, in: space) else { return }
    try records.addTenant(space, of: reference.hash)
  }

  /// The number of the space whose bytes come, in a commit.
  func tenant(_ space: SpaceID?, _ records: RecordWriter) throws(StoreError) -> Int64 {
    try space.map { (space) throws(StoreError) in
      try records.reader.numbers.number(of: space)
    } ?? BlobTenant.program
  }

  /// Syncs a whole file and gives it the blob's name, so that both are on the disk. A file whose
  /// sync fails is thrown away: the disk may have dropped some of it, and the next sync would not
  /// say so (`decisions/0104`). It is sent again.
  private func place(_ file: any DiskFile, as reference: BlobReference) throws(StoreError) {
    do throws(StoreError) {
      try file.sync()
    } catch {
      if !store.options.seededBugs.unsyncedFileKept { try? disk.remove(file.path) }
      throw error
    }
    let path = path(of: reference.hash)
    let folder = path.parentFolder
    try disk.makeFolder(folder)
    if !store.blobParts.syncedFolders.withLock({ $0.contains(folder) }) {
      // Whoever made it may not have come to that.
      try disk.syncFolder(folder.parentFolder)
      _ = store.blobParts.syncedFolders.withLock { $0.insert(folder) }
    }
    try disk.rename(file.path, to: path)
    try disk.syncFolder(folder)
  }

  func missing(_ hash: BlobHash) -> StoreError {
    StoreError(
      .blobMissing,
      "The blob \(hash.description) is not held here: fetch it from another replica.")
  }

  /// Has the database say no longer that a blob is held: for bytes that turned out to be others,
  /// and for who asks for a repair.
  func forget(_ hash: BlobHash) throws(StoreError) {
    _ = store.blobParts.verified.withLock { $0.remove(hash) }
    _ = store.blobParts.away.withLock { $0.remove(hash) }
    try store.commit { (_, records) throws(StoreError) in
      try records.release(hash)
      return ((), nil)
    }
    store.blobParts.transfers.noteDeparture()
    store.blobParts.lost.tell(hash)
  }
}

extension Store {
  /// The blobs of this store. It is a handle: make one wherever you need it.
  public var blobs: BlobStore { BlobStore(store: self) }
}
