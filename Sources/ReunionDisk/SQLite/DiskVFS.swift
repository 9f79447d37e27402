import CSQLite
import ReunionFlow

/// SQLite's files on a `Disk` other than the system's: a VFS that asks it, with locks and shared
/// memory for one process.
///
/// It is registered while a connection holds it.
final class DiskVFS: @unchecked Sendable {
  let disk: any Disk
  /// SQLite's name of it, and of the one above it that keeps checksums.
  let name: String
  let checksumName: String
  /// What the connections to a file share, by path, while there are any.
  private let shared = Lock<[String: WeakFile]>([:])

  private let vfs: UnsafeMutablePointer<sqlite3_vfs>
  private let nameBytes: UnsafeMutablePointer<CChar>

  private static let open = Lock<[ObjectIdentifier: WeakVFS]>([:])
  private static let count = Lock(0)

  private struct WeakVFS { weak var vfs: DiskVFS? }
  private struct WeakFile { weak var file: SharedFile? }

  /// The VFS of a disk.
  static func on(_ disk: any Disk) throws(StoreError) -> DiskVFS {
    let key = ObjectIdentifier(disk)
    return try open.withLock { (open) throws(StoreError) in
      if let vfs = open[key]?.vfs { return vfs }
      for (key, weak) in open where weak.vfs == nil { open[key] = nil }
      let vfs = try DiskVFS(disk)
      open[key] = WeakVFS(vfs: vfs)
      return vfs
    }
  }

  private init(_ disk: any Disk) throws(StoreError) {
    self.disk = disk
    let number = Self.count.withLock { count in
      count += 1
      return count
    }
    name = "reunion-disk-\(number)"
    checksumName = REUNION_CHECKSUM_VFS + "-\(number)"
    nameBytes = UnsafeMutablePointer<CChar>.allocate(capacity: name.utf8.count + 1)
    for (index, byte) in name.utf8.enumerated() { nameBytes[index] = CChar(byte) }
    nameBytes[name.utf8.count] = 0
    vfs = .allocate(capacity: 1)
    guard sqlite3_initialize() == SQLITE_OK, let system = sqlite3_vfs_find(nil) else {
      vfs.initialize(to: sqlite3_vfs())
      throw StoreError(.unexpected, "SQLite could not be started.")
    }
    // Time and randomness are the system's.
    vfs.initialize(to: system.pointee)
    vfs.pointee.pNext = nil
    vfs.pointee.zName = UnsafePointer(nameBytes)
    vfs.pointee.szOsFile = Int32(MemoryLayout<DiskVFSFile.Handle>.size)
    vfs.pointee.pAppData = Unmanaged.passUnretained(self).toOpaque()
    vfs.pointee.xOpen = { vfs, name, file, flags, outFlags in
      DiskVFS.of(vfs).open(name, file, flags, outFlags)
    }
    vfs.pointee.xDelete = { vfs, name, syncsFolder in
      DiskVFS.of(vfs).delete(name, syncsFolder: syncsFolder != 0)
    }
    vfs.pointee.xAccess = { vfs, name, _, result in DiskVFS.of(vfs).access(name, result) }
    vfs.pointee.xFullPathname = { _, name, size, out in DiskVFS.copy(name, size, out) }
    vfs.pointee.xGetLastError = { _, _, _ in 0 }
    var status = sqlite3_vfs_register(vfs, 0)
    if status == SQLITE_OK { status = reunion_checksum_vfs_register(name, checksumName) }
    guard status == SQLITE_OK else {
      throw StoreError(.unexpected, "SQLite could not be started.", underlying: "\(status)")
    }
  }

  deinit {
    reunion_checksum_vfs_unregister(checksumName)
    // It may not be there; nothing is lost by that.
    sqlite3_vfs_unregister(vfs)
    vfs.deallocate()
    nameBytes.deallocate()
  }

  private static func of(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> DiskVFS {
    // SQLite calls with the structure that was registered above, and never with another.
    Unmanaged<DiskVFS>.fromOpaque(vfs.unsafelyUnwrapped.pointee.pAppData).takeUnretainedValue()
  }

  private func open(
    _ name: UnsafePointer<CChar>?, _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32,
    _ outFlags: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    guard let file else { return SQLITE_MISUSE }
    file.pointee.pMethods = nil
    // Temporary files are kept in memory: see `DatabaseConnection`.
    guard let name else { return SQLITE_CANTOPEN }
    let path = String(cString: name)
    do throws(StoreError) {
      let isThere = try disk.exists(path)
      let mayCreate = flags & SQLITE_OPEN_CREATE != 0
      guard isThere || mayCreate else { return SQLITE_CANTOPEN }
      let isReadOnly = flags & SQLITE_OPEN_READONLY != 0
      let opened = try disk.open(path, isReadOnly ? .reading : .writing)
      // As SQLite's own does: the name of a log is on the disk with its first sync.
      let isLog = flags & (SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL) != 0
      let shared = shared.withLock { all in
        let shared = all[path]?.file ?? SharedFile()
        all[path] = WeakFile(file: shared)
        return shared
      }
      DiskVFSFile(
        opened, disk: disk, shared: shared, syncsFolder: mayCreate && isLog
      ).put(into: file)
      outFlags?.pointee = flags
      return SQLITE_OK
    } catch {
      return error.code == .diskFull ? SQLITE_FULL : SQLITE_CANTOPEN
    }
  }

  private func delete(_ name: UnsafePointer<CChar>?, syncsFolder: Bool) -> Int32 {
    guard let name else { return SQLITE_MISUSE }
    let path = String(cString: name)
    do throws(StoreError) {
      guard try disk.exists(path) else { return SQLiteIOError.deleteNoEntry }
      try disk.remove(path)
    } catch {
      return SQLiteIOError.delete
    }
    guard syncsFolder else { return SQLITE_OK }
    do throws(StoreError) {
      try disk.syncFolder(path.parentFolder)
      return SQLITE_OK
    } catch {
      return SQLiteIOError.syncFolder
    }
  }

  /// Whether a file is there; an empty one counts as none, as in SQLite's own.
  private func access(
    _ name: UnsafePointer<CChar>?, _ result: UnsafeMutablePointer<Int32>?
  ) -> Int32 {
    guard let name else { return SQLITE_MISUSE }
    do throws(StoreError) {
      switch try disk.status(of: String(cString: name)) {
      case .file(let byteCount): result?.pointee = byteCount > 0 ? 1 : 0
      case .folder: result?.pointee = 1
      case nil: result?.pointee = 0
      }
      return SQLITE_OK
    } catch {
      return SQLiteIOError.access
    }
  }

  private static func copy(
    _ name: UnsafePointer<CChar>?, _ size: Int32, _ out: UnsafeMutablePointer<CChar>?
  ) -> Int32 {
    guard let name, let out else { return SQLITE_MISUSE }
    for index in 0..<Int(size) {
      out[index] = name[index]
      if name[index] == 0 { return SQLITE_OK }
    }
    return SQLITE_CANTOPEN
  }
}
