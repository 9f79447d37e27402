#if SEEDED_BUGS
  package import ReunionCore
  package import ReunionDisk
  import ReunionFlow
  import ReunionStore

  /// A disk under a store that uses it wrongly: where the seeded bugs of disks sit.
  ///
  /// It leaves out, delays or repeats what the store asks for, as a store would that does not ask for it,
  /// or too late.
  package final class BuggyDisk: Disk {
    /// The bugs that it knows.
    static let bugs: SeededBugs = [
      .databaseNotSynced, .logSyncedLate, .blobNotSynced, .blobNamedBeforeSync,
      .blobFolderNotSynced,
      .folderNamesNotSynced, .failedSyncTriedAgain, .snapshotNotSynced,
      .logNotWrittenAgain,
    ]

    private let disk: any Disk
    private let bugs: SeededBugs
    /// Files whose sync comes later.
    private let late = Lock<[any DiskFile]>([])

    private init(_ disk: any Disk, _ bugs: SeededBugs) {
      (self.disk, self.bugs) = (disk, bugs)
    }

    /// The disk with these bugs; the disk itself if none of them is about disks.
    package static func over(_ disk: any Disk, _ bugs: SeededBugs) -> any Disk {
      bugs.isDisjoint(with: Self.bugs) ? disk : BuggyDisk(disk, bugs)
    }

    package func open(_ path: String, _ access: DiskAccess) throws(StoreError) -> any DiskFile {
      BuggyFile(try disk.open(path, access), on: self)
    }

    package func syncFolder(_ path: String) throws(StoreError) {
      if path.contains("/blobs/") {
        if bugs.blobFolderNotSynced { return }
      } else if !path.hasSuffix("/blobs"), !path.hasSuffix("/partial") {
        if bugs.folderNamesNotSynced { return }
      }
      try disk.syncFolder(path)
    }

    package func status(of path: String) throws(StoreError) -> DiskStatus? {
      try disk.status(of: path)
    }

    package func number(of path: String) throws(StoreError) -> (device: UInt64, file: UInt64) {
      try disk.number(of: path)
    }

    package func names(in folder: String) throws(StoreError) -> [String] {
      try disk.names(in: folder)
    }

    package func createFolder(_ path: String) throws(StoreError) { try disk.createFolder(path) }

    package func makePrivate(_ folder: String) throws(StoreError) { try disk.makePrivate(folder) }

    package func rename(_ path: String, to target: String) throws(StoreError) {
      try disk.rename(path, to: target)
    }

    package func remove(_ path: String) throws(StoreError) { try disk.remove(path) }

    // Files

    fileprivate func sync(_ file: any DiskFile) throws(StoreError) {
      if file.path.contains("/upgrade/"), bugs.snapshotNotSynced { return }
      let isLog = file.path.hasSuffix("-wal")
      if file.path.contains(".sqlite") {
        if bugs.databaseNotSynced { return }
        if isLog, bugs.logSyncedLate { return late.withLock { $0.append(file) } }
        try file.sync()
        // What was entered is on the disk, and its bytes follow.
        if bugs.blobNamedBeforeSync { try syncLate() }
      } else if file.path.contains("/identity") {
        try file.sync()
      } else if bugs.blobNamedBeforeSync {
        late.withLock { $0.append(file) }
      } else if !bugs.blobNotSynced {
        do throws(StoreError) {
          try file.sync()
        } catch {
          guard bugs.failedSyncTriedAgain else { throw error }
          try file.sync()
        }
      }
    }

    /// A log that is synced late is synced before its pages go to the database.
    fileprivate func willWrite(to path: String) throws(StoreError) {
      if bugs.logSyncedLate, path.hasSuffix(".sqlite") { try syncLate() }
    }

    /// What a log has already at a place is not written there again.
    fileprivate func leavesOut(
      _ bytes: UnsafeRawBufferPointer, at offset: UInt64, of file: any DiskFile
    ) throws(StoreError) -> Bool {
      guard bugs.logNotWrittenAgain, file.path.hasSuffix("-wal") else { return false }
      return try file.read(at: offset, count: bytes.count).elementsEqual(bytes)
    }

    private func syncLate() throws(StoreError) {
      let files = late.withLock { files in
        defer { files = [] }
        return files
      }
      for file in files { try file.sync() }
    }
  }

  /// An open file of a `BuggyDisk`.
  private final class BuggyFile: DiskFile {
    private let file: any DiskFile
    private let disk: BuggyDisk

    init(_ file: any DiskFile, on disk: BuggyDisk) { (self.file, self.disk) = (file, disk) }

    var path: String { file.path }

    func byteCount() throws(StoreError) -> UInt64 { try file.byteCount() }

    func read(
      into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
    ) throws(StoreError) -> Int { try file.read(into: buffer, at: offset) }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError) {
      try disk.willWrite(to: path)
      if try disk.leavesOut(bytes, at: offset, of: file) { return }
      try file.write(bytes, at: offset)
    }

    func truncate(to byteCount: UInt64) throws(StoreError) { try file.truncate(to: byteCount) }

    func sync() throws(StoreError) { try disk.sync(file) }

    func tryLock() throws(StoreError) -> Bool { try file.tryLock() }

    func unlock() throws(StoreError) { try file.unlock() }
  }
#endif
