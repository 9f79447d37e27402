import ReunionDisk
import ReunionStore

/// The folders and files of a simulated disk, as they are read and as they are durable.
///
/// It is touched by whoever holds the disk's lock.
struct SimulatedTree {
  var faults = DiskFaults()
  private(set) var callCount = 0
  private(set) var byteCount: UInt64 = 0
  private var random: SeededRandom
  private var lastNumber: UInt64 = 0
  private let root: FolderNode

  init(seed: UInt64) {
    random = SeededRandom(seed: seed)
    root = FolderNode()
  }

  private init(root: FolderNode, random: SeededRandom, lastNumber: UInt64) {
    self.root = root
    self.random = random
    self.lastNumber = lastNumber
    byteCount = root.files.reduce(0) { $0 + UInt64($1.file.bytes.count) }
  }

  /// What a power cut leaves.
  mutating func afterPowerCut() -> SimulatedTree {
    var luck = SeededRandom(seed: random.next())
    let root = root.afterPowerCut(&luck)
    return SimulatedTree(root: root, random: luck, lastNumber: lastNumber)
  }

  /// A copy in which everything is durable; its files have other numbers where some are given.
  mutating func copy(numbersFrom offset: UInt64 = 0) -> SimulatedTree {
    SimulatedTree(
      root: root.copy(numbersFrom: offset), random: SeededRandom(seed: random.next()),
      lastNumber: lastNumber &+ offset)
  }

  /// Counts a call; throws where it is to fail.
  mutating func count(_ kind: DiskCall, _ path: String) throws(StoreError) {
    callCount += 1
    guard faults.failingCalls?.contains(callCount) == true else { return }
    if kind == .sync, case .file(let file)? = node(path) { file.loseUnsynced(&random) }
    throw Self.failure(.ioFailed, path, "call \(callCount) was to fail")
  }

  static func failure(
    _ code: StoreError.Code, _ path: String, _ underlying: String
  ) -> StoreError {
    let sentence = code == .diskFull ? "The disk of \(path) is full" : "The disk of \(path) failed"
    return StoreError(code, sentence + ": this was simulated.", underlying: underlying)
  }

  private static func parts(_ path: String) -> [String] {
    path.split(separator: "/").map(String.init).filter { $0 != "." }
  }

  /// What is at a path.
  func node(_ path: String) -> SimulatedNode? {
    var node = SimulatedNode.folder(root)
    for part in Self.parts(path) {
      guard case .folder(let folder) = node, let next = folder.entries[part] else { return nil }
      node = next
    }
    return node
  }

  func folder(_ path: String) throws(StoreError) -> FolderNode {
    guard case .folder(let folder)? = node(path) else {
      throw Self.failure(.ioFailed, path, "there is no such folder")
    }
    return folder
  }

  var paths: [String] { root.files.map(\.path).sorted() }

  private func place(_ path: String) throws(StoreError) -> (folder: FolderNode, name: String) {
    let parts = Self.parts(path)
    guard let name = parts.last else {
      throw Self.failure(.ioFailed, path, "that is the root")
    }
    return (try folder(parts.dropLast().joined(separator: "/")), name)
  }

  mutating func open(_ path: String, _ access: DiskAccess) throws(StoreError) -> FileNode {
    let (folder, name) = try place(path)
    switch folder.entries[name] {
    case .file(let file)?:
      if access == .creating { try truncate(file, to: 0, path) }
      return file
    case .folder?: throw Self.failure(.ioFailed, path, "it is a folder")
    case nil:
      guard access != .reading else { throw Self.failure(.ioFailed, path, "there is none") }
      lastNumber += 1
      let file = FileNode(number: lastNumber)
      folder.set(name, .file(file), &random)
      return file
    }
  }

  mutating func createFolder(_ path: String) throws(StoreError) {
    let (folder, name) = try place(path)
    guard folder.entries[name] == nil else { return }
    folder.set(name, .folder(FolderNode()), &random)
  }

  mutating func rename(_ path: String, to target: String) throws(StoreError) {
    let (folder, name) = try place(path)
    let (other, otherName) = try place(target)
    guard let node = folder.entries[name] else {
      throw Self.failure(.ioFailed, path, "there is none")
    }
    if case .file(let replaced)? = other.entries[otherName] { forget(replaced) }
    other.set(otherName, node, &random)
    folder.set(name, nil, &random)
  }

  mutating func remove(_ path: String) throws(StoreError) {
    let (folder, name) = try place(path)
    guard case .file(let file)? = folder.entries[name] else { return }
    forget(file)
    folder.set(name, nil, &random)
  }

  private mutating func forget(_ file: FileNode) {
    byteCount -= min(byteCount, UInt64(file.bytes.count))
  }

  mutating func write(
    _ bytes: UnsafeRawBufferPointer, at offset: Int, to file: FileNode, _ path: String
  ) throws(StoreError) {
    try reserve(max(offset + bytes.count, file.bytes.count), for: file, path)
    file.write(bytes, at: offset, &random)
  }

  mutating func truncate(_ file: FileNode, to count: Int, _ path: String) throws(StoreError) {
    try reserve(count, for: file, path)
    file.truncate(to: count, &random)
  }

  private mutating func reserve(
    _ count: Int, for file: FileNode, _ path: String
  ) throws(StoreError) {
    let new = byteCount - min(byteCount, UInt64(file.bytes.count)) + UInt64(count)
    if let capacity = faults.capacityBytes, new > capacity, count > file.bytes.count {
      throw Self.failure(.diskFull, path, "it has \(capacity) bytes")
    }
    byteCount = new
  }

  func flipBit(_ bit: UInt64, of path: String) -> Bool {
    guard case .file(let file)? = node(path), bit / 8 < UInt64(file.bytes.count) else {
      return false
    }
    file.flip(byte: Int(bit / 8), mask: 1 << UInt8(bit % 8))
    return true
  }
}
