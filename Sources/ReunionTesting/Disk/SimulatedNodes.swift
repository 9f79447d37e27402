/// What a folder of a simulated disk names.
enum SimulatedNode {
  case file(FileNode)
  case folder(FolderNode)

  var identity: ObjectIdentifier {
    switch self {
    case .file(let file): ObjectIdentifier(file)
    case .folder(let folder): ObjectIdentifier(folder)
    }
  }
}

/// A folder: its names as they are, and as they are durable.
final class FolderNode {
  private(set) var entries: [String: SimulatedNode] = [:]
  private var durable: [String: SimulatedNode] = [:]

  /// Changes a name. What it was just before may have become durable meanwhile.
  func set(_ name: String, _ node: SimulatedNode?, _ random: inout SeededRandom) {
    if random.happens(0.25) { durable[name] = entries[name] }
    entries[name] = node
  }

  func sync() { durable = entries }

  /// The files below, with their paths.
  var files: [(path: String, file: FileNode)] {
    entries.flatMap { name, node in
      switch node {
      case .file(let file): [("/" + name, file)]
      case .folder(let folder): folder.files.map { ("/" + name + $0.path, $0.file) }
      }
    }
  }

  func copy(numbersFrom offset: UInt64 = 0) -> FolderNode {
    let copy = FolderNode()
    copy.entries = entries.mapValues { node in
      switch node {
      case .file(let file): .file(file.copy(number: file.number &+ offset))
      case .folder(let folder): .folder(folder.copy(numbersFrom: offset))
      }
    }
    copy.durable = copy.entries
    return copy
  }

  /// What a power cut leaves: each name that was not synced is as it was or as it should be.
  func afterPowerCut(_ random: inout SeededRandom) -> FolderNode {
    let left = FolderNode()
    for name in Set(entries.keys).union(durable.keys).sorted() {
      let (new, old) = (entries[name], durable[name])
      let isSynced = new?.identity == old?.identity
      switch isSynced || random.happens(0.5) ? new : old {
      case .file(let file)?: left.entries[name] = .file(file.afterPowerCut(&random))
      case .folder(let folder)?: left.entries[name] = .folder(folder.afterPowerCut(&random))
      case nil: break
      }
    }
    left.durable = left.entries
    return left
  }
}

/// A file: its bytes as they are read, and as they are durable.
final class FileNode {
  static let sectorBytes = 512

  /// Stays the same for the life of the file, also over a power cut.
  let number: UInt64
  private(set) var bytes: [UInt8] = []
  /// The open file that has locked it.
  var holder: ObjectIdentifier?

  private var durable: [UInt8] = []
  /// The bytes of each sector that were written and not synced.
  private var dirty: [Int: Range<Int>] = [:]
  /// To how few bytes it was cut off since the last sync.
  private var cutTo: Int?

  init(number: UInt64) { self.number = number }

  func write(_ new: UnsafeRawBufferPointer, at offset: Int, _ random: inout SeededRandom) {
    let end = offset + new.count
    if end > bytes.count { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
    var start = offset
    while start < end {
      let sector = start / Self.sectorBytes
      let stop = min(end, (sector + 1) * Self.sectorBytes)
      if let before = dirty[sector] {
        // The system writes what it holds whenever it likes.
        if random.happens(0.25) { settle(before) }
        dirty[sector] = min(before.lowerBound, start)..<max(before.upperBound, stop)
      } else {
        dirty[sector] = start..<stop
      }
      start = stop
    }
    bytes.replaceSubrange(offset..<end, with: new)
  }

  func truncate(to count: Int, _ random: inout SeededRandom) {
    if count > bytes.count {
      let zeros = [UInt8](repeating: 0, count: count - bytes.count)
      return zeros.withUnsafeBytes { write($0, at: bytes.count, &random) }
    }
    bytes.removeSubrange(count...)
    for (sector, range) in dirty {
      dirty[sector] =
        range.lowerBound >= count ? nil : range.lowerBound..<min(range.upperBound, count)
    }
    if count < durable.count { cutTo = min(cutTo ?? count, count) }
  }

  func sync() {
    cut()
    for range in dirty.values { settle(range) }
    dirty = [:]
    if durable.count > bytes.count { durable.removeSubrange(bytes.count...) }
  }

  /// What a failed sync does: some of what was written may be durable, and none will be.
  func loseUnsynced(_ random: inout SeededRandom) {
    for sector in dirty.keys.sorted() where random.happens(0.5) {
      if let range = dirty[sector] { settle(range) }
    }
    dirty = [:]
  }

  private func cut() {
    if let cutTo, cutTo < durable.count { durable.removeSubrange(cutTo...) }
    cutTo = nil
  }

  /// Makes some bytes durable as they are.
  private func settle(_ range: Range<Int>) {
    let range = range.clamped(to: 0..<bytes.count)
    if range.upperBound > durable.count {
      durable += [UInt8](repeating: 0, count: range.upperBound - durable.count)
    }
    durable.replaceSubrange(range, with: bytes[range])
  }

  func flip(byte: Int, mask: UInt8) {
    bytes[byte] ^= mask
    if byte < durable.count { durable[byte] ^= mask }
  }

  func copy(number: UInt64) -> FileNode {
    let copy = FileNode(number: number)
    copy.bytes = bytes
    copy.durable = bytes
    return copy
  }

  /// What a power cut leaves: each sector that was not synced is as it was, as it should be, or
  /// garbage.
  func afterPowerCut(_ random: inout SeededRandom) -> FileNode {
    let left = FileNode(number: number)
    left.bytes = bytes
    left.durable = durable
    if cutTo != nil && random.happens(0.5) {
      left.cutTo = cutTo
      left.cut()
    }
    // Often all of it has been written, or nothing.
    let mood = Int.random(in: 0..<4, using: &random)
    for sector in dirty.keys.sorted() {
      guard let range = dirty[sector], mood != 0 else { continue }
      let luck = mood == 1 ? 0 : Int.random(in: 0..<3, using: &random)
      if luck < 2 { left.settle(range) }
      if luck == 1 {
        for byte in range where byte < left.durable.count {
          left.durable[byte] = UInt8.random(in: 0...255, using: &random)
        }
      }
    }
    left.bytes = left.durable
    return left
  }
}
