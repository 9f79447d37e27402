public import ReunionDisk
import ReunionFlow
import ReunionStore

/// A disk in memory that fails on purpose: power cuts, errors, no room, flipped bits.
///
/// Give it to a store as `StoreOptions.disk`; it holds both the database and the blobs. Everything
/// that it does follows from its seed and the calls that it gets.
///
/// ```swift
/// let disk = SimulatedDisk(seed: 7)
/// var options = StoreOptions()
/// options.disk = disk
/// let store = try Store.open(folder: "/album", model: Model(Album.schema), options: options)
/// try store.write(in: space) { try $0.create(album) }
/// options.disk = disk.afterPowerCut()
/// let reopened = try Store.open(folder: "/album", model: Model(Album.schema), options: options)
/// print(try reopened.count(Query<Album>(in: space)))    // 1
/// ```
///
/// It is as strict as POSIX allows. Bytes are durable after a sync of their file; a new name, a
/// rename and a removal are durable after a sync of the folder. After a power cut, unsynced data is
/// as it was, as it should be, or garbage, each sector of 512 bytes on its own; bytes of a sector
/// that nobody was writing stay as they are. After a failed sync the unsynced data counts as clean,
/// as in Linux: a later sync does not write it. *Thread*: any.
public final class SimulatedDisk: Disk {
  private let state: Lock<SimulatedTree>
  private let watcher = Lock<Watcher>(Watcher())

  private struct Watcher { var body: (@Sendable (Int) -> Void)? }

  /// Makes an empty disk without faults. The seed decides what power cuts leave.
  public convenience init(seed: UInt64) { self.init(SimulatedTree(seed: seed)) }

  init(_ tree: SimulatedTree) { state = Lock(tree) }

  /// The faults to come; they may be set at any time, also while a store has the disk open.
  public var faults: DiskFaults {
    get { state.withLock { $0.faults } }
    set { state.withLock { $0.faults = newValue } }
  }

  /// How many calls it has received, on files and folders, reads included.
  public var callCount: Int { state.withLock { $0.callCount } }

  /// How many bytes all files have together.
  public var byteCount: UInt64 { state.withLock { $0.byteCount } }

  /// Calls a closure after each call that changed something or synced it, with the number of that
  /// call: the moments at which a power cut makes a difference.
  ///
  /// *Thread*: the caller's. The closure may take `afterPowerCut()`; it must not use the store.
  public func observeChanges(_ body: (@Sendable (Int) -> Void)?) {
    watcher.withLock { $0.body = body }
  }

  /// What a power cut at this moment leaves: another disk, with other luck at each call. This disk
  /// continues as if nothing had happened.
  public func afterPowerCut() -> SimulatedDisk {
    SimulatedDisk(state.withLock { $0.afterPowerCut() })
  }

  /// A copy of this disk as it reads now, with everything durable and no faults.
  public func copy() -> SimulatedDisk { SimulatedDisk(state.withLock { $0.copy() }) }

  /// A copy with new files, like a folder that was copied: each file has another number.
  package func copyToNewDisk() -> SimulatedDisk {
    SimulatedDisk(state.withLock { $0.copy(numbersFrom: 1 << 20) })
  }

  /// Flips one bit of a file, both on the disk and in what the next read returns.
  ///
  /// - Returns: false if the file has no such bit.
  @discardableResult
  public func flipBit(_ bit: UInt64, of path: String) -> Bool {
    state.withLock { $0.flipBit(bit, of: path) }
  }

  /// The paths of all files, in order; folders are not among them.
  public var paths: [String] { state.withLock { $0.paths } }

  /// Runs a call, and tells the watcher of one that changed something.
  func call<Success>(
    _ kind: DiskCall, _ path: String,
    _ body: (inout SimulatedTree) throws(StoreError) -> Success
  ) throws(StoreError) -> Success {
    let (success, number) = try state.withLock { (tree) throws(StoreError) in
      try tree.count(kind, path)
      return (try body(&tree), tree.callCount)
    }
    if kind.isChange, let body = watcher.withLock({ $0.body }) { body(number) }
    return success
  }
}

extension SimulatedDisk {
  /// Opens a file.
  public func open(_ path: String, _ access: DiskAccess) throws(StoreError) -> any DiskFile {
    let kind: DiskCall = access == .reading ? .read : .name
    let node = try call(kind, path) { (tree) throws(StoreError) in try tree.open(path, access) }
    return SimulatedFile(path: path, node: node, disk: self)
  }

  /// What is at a path.
  public func status(of path: String) throws(StoreError) -> DiskStatus? {
    try call(.read, path) { (tree) throws(StoreError) in
      switch tree.node(path) {
      case .file(let file)?: .file(byteCount: UInt64(file.bytes.count))
      case .folder?: .folder
      case nil: nil
      }
    }
  }

  /// The number that tells a file from the others.
  public func number(of path: String) throws(StoreError) -> (device: UInt64, file: UInt64) {
    try call(.read, path) { (tree) throws(StoreError) in
      guard case .file(let file)? = tree.node(path) else {
        throw StoreError(.ioFailed, "There is no file at \(path).")
      }
      return (1, file.number)
    }
  }

  /// The names of what is in a folder.
  public func names(in folder: String) throws(StoreError) -> [String] {
    try call(.read, folder) { (tree) throws(StoreError) in
      try tree.folder(folder).entries.keys.sorted()
    }
  }

  /// Makes a folder.
  public func createFolder(_ path: String) throws(StoreError) {
    try call(.name, path) { (tree) throws(StoreError) in try tree.createFolder(path) }
  }

  /// Does nothing: nobody else can look into this disk.
  public func makePrivate(_ folder: String) throws(StoreError) {}

  /// Renames a file.
  public func rename(_ path: String, to target: String) throws(StoreError) {
    try call(.name, path) { (tree) throws(StoreError) in try tree.rename(path, to: target) }
  }

  /// Removes a file.
  public func remove(_ path: String) throws(StoreError) {
    try call(.name, path) { (tree) throws(StoreError) in try tree.remove(path) }
  }

  /// Makes the names in a folder durable.
  public func syncFolder(_ path: String) throws(StoreError) {
    try call(.syncFolder, path) { (tree) throws(StoreError) in
      try tree.folder(path).sync()
    }
  }
}

/// An open file of a `SimulatedDisk`. Unchecked: its node is touched under the disk's lock alone.
final class SimulatedFile: DiskFile, @unchecked Sendable {
  let path: String
  /// Touched in calls of the disk alone.
  private let node: FileNode
  private let disk: SimulatedDisk

  init(path: String, node: FileNode, disk: SimulatedDisk) {
    self.path = path
    self.node = node
    self.disk = disk
  }

  deinit { disk.release(self, node) }

  func byteCount() throws(StoreError) -> UInt64 {
    try disk.call(.read, path) { _ in UInt64(node.bytes.count) }
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(StoreError) -> Int {
    try disk.call(.read, path) { _ in
      guard offset < UInt64(node.bytes.count) else { return 0 }
      let count = min(buffer.count, node.bytes.count - Int(offset))
      node.bytes.withUnsafeBytes { bytes in
        buffer.copyMemory(
          from: UnsafeRawBufferPointer(rebasing: bytes[Int(offset)..<Int(offset) + count]))
      }
      return count
    }
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(StoreError) {
    guard !bytes.isEmpty else { return }
    try disk.call(.write, path) { (tree) throws(StoreError) in
      try tree.write(bytes, at: Int(clamping: offset), to: node, path)
    }
  }

  func truncate(to byteCount: UInt64) throws(StoreError) {
    try disk.call(.write, path) { (tree) throws(StoreError) in
      try tree.truncate(node, to: Int(clamping: byteCount), path)
    }
  }

  func sync() throws(StoreError) {
    try disk.call(.sync, path) { _ in node.sync() }
  }

  func tryLock() throws(StoreError) -> Bool {
    try disk.call(.read, path) { _ in
      guard node.holder == nil || node.holder == ObjectIdentifier(self) else { return false }
      node.holder = ObjectIdentifier(self)
      return true
    }
  }

  func unlock() throws(StoreError) { disk.release(self, node) }
}

extension SimulatedDisk {
  /// Gives a file's lock back; this cannot fail.
  fileprivate func release(_ file: SimulatedFile, _ node: FileNode) {
    state.withLock { _ in
      if node.holder == ObjectIdentifier(file) { node.holder = nil }
    }
  }
}
