import CSQLite
import ReunionFlow

/// An open file of a `DiskVFS`.
final class DiskVFSFile {
  /// What SQLite keeps of it: its methods, then this object.
  struct Handle {
    var base: sqlite3_file
    var file: UnsafeMutableRawPointer
  }

  private let file: any DiskFile
  private let disk: any Disk
  private let shared: SharedFile
  private var syncsFolder: Bool
  private var level = SQLITE_LOCK_NONE
  /// The slots of the shared memory's lock that this file holds, as bits.
  private var sharedSlots: UInt32 = 0
  private var ownSlots: UInt32 = 0

  init(_ file: any DiskFile, disk: any Disk, shared: SharedFile, syncsFolder: Bool) {
    self.file = file
    self.disk = disk
    self.shared = shared
    self.syncsFolder = syncsFolder
  }

  /// Has SQLite hold this object, until it closes the file.
  func put(into file: UnsafeMutablePointer<sqlite3_file>) {
    UnsafeMutableRawPointer(file).initializeMemory(
      as: Handle.self,
      to: Handle(
        base: sqlite3_file(pMethods: Self.methods), file: Unmanaged.passRetained(self).toOpaque()))
  }

  private static func of(_ file: UnsafeMutablePointer<sqlite3_file>?) -> DiskVFSFile {
    Unmanaged<DiskVFSFile>.fromOpaque(opaque(file)).takeUnretainedValue()
  }

  private static func opaque(
    _ file: UnsafeMutablePointer<sqlite3_file>?
  ) -> UnsafeMutableRawPointer {
    // SQLite calls with what `put` has made, and never with another.
    UnsafeMutableRawPointer(file.unsafelyUnwrapped).assumingMemoryBound(to: Handle.self).pointee
      .file
  }

  nonisolated(unsafe) private static let methods: UnsafePointer<sqlite3_io_methods> = {
    var methods = sqlite3_io_methods()
    methods.iVersion = 2
    methods.xClose = { file in
      DiskVFSFile.of(file).unlock(SQLITE_LOCK_NONE)
      Unmanaged<DiskVFSFile>.fromOpaque(DiskVFSFile.opaque(file)).release()
      return SQLITE_OK
    }
    methods.xRead = { DiskVFSFile.of($0).read($1, $2, $3) }
    methods.xWrite = { DiskVFSFile.of($0).write($1, $2, $3) }
    methods.xTruncate = { DiskVFSFile.of($0).truncate($1) }
    methods.xSync = { file, _ in DiskVFSFile.of(file).sync() }
    methods.xFileSize = { DiskVFSFile.of($0).size($1) }
    methods.xLock = { DiskVFSFile.of($0).lock($1) }
    methods.xUnlock = { file, level in
      DiskVFSFile.of(file).unlock(level)
      return SQLITE_OK
    }
    methods.xCheckReservedLock = { file, result in
      result?.pointee = DiskVFSFile.of(file).shared.isReserved ? 1 : 0
      return SQLITE_OK
    }
    methods.xFileControl = { _, _, _ in SQLITE_NOTFOUND }
    methods.xSectorSize = { _ in 4096 }
    // As SQLite's own says of every disk: what is not written stays as it is in a power cut.
    methods.xDeviceCharacteristics = { _ in SQLITE_IOCAP_POWERSAFE_OVERWRITE }
    methods.xShmMap = { file, page, size, extends, out in
      out?.pointee = DiskVFSFile.of(file).shared.region(page, size, extends: extends != 0)
      return SQLITE_OK
    }
    methods.xShmLock = { DiskVFSFile.of($0).lockSlots(from: $1, count: $2, flags: $3) }
    methods.xShmBarrier = { DiskVFSFile.of($0).shared.barrier() }
    methods.xShmUnmap = { file, _ in
      DiskVFSFile.of(file).releaseSlots()
      return SQLITE_OK
    }
    let pointer = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    pointer.initialize(to: methods)
    return UnsafePointer(pointer)
  }()

  private func read(
    _ buffer: UnsafeMutableRawPointer?, _ count: Int32, _ offset: Int64
  ) -> Int32 {
    let whole = UnsafeMutableRawBufferPointer(start: buffer, count: Int(count))
    do throws(StoreError) {
      let filled = try file.read(into: whole, at: UInt64(clamping: offset))
      guard filled < whole.count else { return SQLITE_OK }
      for index in filled..<whole.count { whole[index] = 0 }
      return SQLiteIOError.shortRead
    } catch {
      return SQLiteIOError.read
    }
  }

  private func write(_ bytes: UnsafeRawPointer?, _ count: Int32, _ offset: Int64) -> Int32 {
    perform(SQLiteIOError.write) { () throws(StoreError) in
      try file.write(
        UnsafeRawBufferPointer(start: bytes, count: Int(count)), at: UInt64(clamping: offset))
    }
  }

  private func truncate(_ size: Int64) -> Int32 {
    perform(SQLiteIOError.truncate) { () throws(StoreError) in
      try file.truncate(to: UInt64(clamping: size))
    }
  }

  private func sync() -> Int32 {
    let status = perform(SQLiteIOError.sync) { () throws(StoreError) in try file.sync() }
    guard status == SQLITE_OK, syncsFolder else { return status }
    return perform(SQLiteIOError.syncFolder) { () throws(StoreError) in
      try disk.syncFolder(file.path.parentFolder)
      syncsFolder = false
    }
  }

  private func size(_ out: UnsafeMutablePointer<sqlite3_int64>?) -> Int32 {
    perform(SQLiteIOError.status) { () throws(StoreError) in
      out?.pointee = Int64(clamping: try file.byteCount())
    }
  }

  private func perform(_ status: Int32, _ body: () throws(StoreError) -> Void) -> Int32 {
    do throws(StoreError) {
      try body()
      return SQLITE_OK
    } catch {
      return error.code == .diskFull ? SQLITE_FULL : status
    }
  }

  private func lock(_ wanted: Int32) -> Int32 {
    guard wanted > level else { return SQLITE_OK }
    let (status, reached) = shared.raise(from: level, to: wanted)
    level = reached
    return status
  }

  private func unlock(_ wanted: Int32) {
    guard wanted < level else { return }
    shared.lower(from: level, to: wanted)
    level = wanted
  }

  private func lockSlots(from first: Int32, count: Int32, flags: Int32) -> Int32 {
    let slots = (UInt32(1) << UInt32(count) - 1) << UInt32(first)
    if flags & SQLITE_SHM_UNLOCK != 0 {
      shared.release(shared: sharedSlots & slots, own: ownSlots & slots)
      sharedSlots &= ~slots
      ownSlots &= ~slots
      return SQLITE_OK
    }
    let isShared = flags & SQLITE_SHM_SHARED != 0
    if isShared && sharedSlots & slots == slots { return SQLITE_OK }
    guard shared.take(slots, isShared: isShared) else { return SQLITE_BUSY }
    if isShared { sharedSlots |= slots } else { ownSlots |= slots }
    return SQLITE_OK
  }

  private func releaseSlots() {
    shared.release(shared: sharedSlots, own: ownSlots)
    sharedSlots = 0
    ownSlots = 0
  }
}
