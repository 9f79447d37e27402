import ReunionCore
import ReunionDisk
import ReunionStore

/// A file of an archive that is being written: bytes go to the disk in large pieces, and are hashed.
final class ArchiveFile {
  private let file: any DiskFile
  private var waiting: [UInt8] = []
  private var offset: UInt64 = 0
  private var hash = SHA256()

  init(creating path: String) throws(StoreError) {
    file = try SystemDisk.system.open(path, .creating)
  }

  func write(_ bytes: [UInt8]) throws(StoreError) {
    waiting += bytes
    if waiting.count >= BlobStore.pieceBytes { try flush() }
  }

  /// Returns the SHA-256 of the file, in digits, when it is on the disk.
  func finish() throws(StoreError) -> String {
    try flush()
    try file.sync()
    return Hexadecimal.text(hash.finish())
  }

  private func flush() throws(StoreError) {
    hash.update(waiting)
    try file.write(waiting, at: offset)
    offset += UInt64(waiting.count)
    waiting.removeAll(keepingCapacity: true)
  }
}

/// A file of an archive that is being read: a line at a time, hashed on the way.
final class ArchiveLines {
  private let file: any DiskFile
  private let path: String
  private var buffer: [UInt8] = []
  private var position = 0
  private var offset: UInt64 = 0
  private var hash = SHA256()

  /// The longest line that is read: a record of that many bytes in JSON.
  static let bytesMax = 1 << 30

  /// - Throws: `damaged` if there is no such file, or if it is a link or a pipe.
  init(reading path: String) throws(StoreError) {
    self.path = path
    file = try ArchiveFile.open(path)
  }

  /// The next line without its end; nil after the last.
  func next() throws(StoreError) -> [UInt8]? {
    var searched = position
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0a) {
        defer { position = end + 1 }
        return Array(buffer[position..<end])
      }
      guard buffer.count - position < Self.bytesMax else {
        throw ArchiveFile.damaged(path, "a line is over 1 GiB")
      }
      buffer.removeFirst(position)
      position = 0
      searched = buffer.count
      let piece = try file.read(at: offset, count: BlobStore.pieceBytes)
      guard !piece.isEmpty else {
        guard buffer.isEmpty else { throw ArchiveFile.damaged(path, "its last line has no end") }
        return nil
      }
      hash.update(piece)
      offset += UInt64(piece.count)
      buffer += piece
    }
  }

  /// The SHA-256 of the file, in digits, once `next` has returned nil.
  func finish() -> String { Hexadecimal.text(hash.finish()) }
}

extension ArchiveFile {
  /// Opens a file of an archive, which may come from anyone: a plain file, and nothing that waits.
  static func open(_ path: String) throws(StoreError) -> any DiskFile {
    guard SystemDisk.system.isPlainFile(path) else {
      throw damaged(path, "it is missing, or no file")
    }
    return try SystemDisk.system.open(path, .reading)
  }

  static func damaged(_ path: String, _ detail: String) -> StoreError {
    StoreError(
      .damaged, "The archive was changed, in \(path): export the store again.",
      underlying: detail)
  }
}
