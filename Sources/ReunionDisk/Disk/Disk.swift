/// What a store's files are on: the system's disk, or a simulated one in tests.
///
/// A store reads and writes everything through it: its database, blobs, identity, lock and folders.
/// Give another one as `StoreOptions.disk`; `ReunionTesting.SimulatedDisk` is one that fails on
/// purpose. A disk other than `SystemDisk` is for one process: SQLite's locks on it are kept in
/// memory.
///
/// Paths are the store's folder and what is below it, parts divided by `/`.
/// *Thread*: any. *Errors*: `diskFull`, `notWritable`, `ioFailed`; a `notFound` file is `ioFailed`
/// where it is opened, and no error where it is removed.
/// *Durability*: bytes are on the disk after `DiskFile.sync`; a name that was made, renamed or
/// removed after `syncFolder` of its folder, as POSIX has it.
public protocol Disk: AnyObject, Sendable {
  /// Opens a file; it is closed when it is released. What is made is for its owner alone.
  func open(_ path: String, _ access: DiskAccess) throws(StoreError) -> any DiskFile

  /// What is at a path; nil where nothing is.
  func status(of path: String) throws(StoreError) -> DiskStatus?

  /// What tells a file from every other on the machine; the file is not opened.
  func number(of path: String) throws(StoreError) -> (device: UInt64, file: UInt64)

  /// The names of what is in a folder, in any order.
  func names(in folder: String) throws(StoreError) -> [String]

  /// Makes a folder in one that is there, for its owner alone; does nothing where it is there.
  func createFolder(_ path: String) throws(StoreError)

  /// Sees to it that nobody but its owner can look into a folder, whose files hold secrets.
  func makePrivate(_ folder: String) throws(StoreError)

  /// Renames a file, and replaces one that is at the target. Whoever opens the target gets the old
  /// file or the new one, never half of either.
  func rename(_ path: String, to target: String) throws(StoreError)

  /// Removes a file; does nothing if there is none.
  func remove(_ path: String) throws(StoreError)

  /// Returns when the names in a folder are on the disk.
  func syncFolder(_ path: String) throws(StoreError)
}
