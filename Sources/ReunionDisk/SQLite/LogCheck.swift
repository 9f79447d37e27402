/// Tells a write-ahead log that is damaged from one that a power cut tore.
///
/// SQLite reads the log up to the first frame that does not match its checksum, and takes the rest
/// for what was being written; so a flipped bit drops every later commit without a word. But under
/// `synchronous = FULL` no frame is written before the commit before it is on the disk. So the log
/// was damaged if a whole frame follows a commit that follows a broken frame. It was damaged, too,
/// if whole frames follow a broken header. Damage to the last commit in the log looks like a torn
/// one. Source: the file format of SQLite, section 4.
package struct LogCheck {
  private static let headerBytes = 32
  private static let frameHeaderBytes = 24

  private let file: any DiskFile

  /// Reads a log from its start to its end; false where it was damaged.
  package static func isWhole(_ path: String, on disk: any Disk) throws(StoreError) -> Bool {
    guard try disk.byteCount(path) ?? 0 > UInt64(headerBytes) else { return true }
    return try LogCheck(file: try disk.open(path, .reading)).isWhole()
  }

  private func isWhole() throws(StoreError) -> Bool {
    let bytes = try file.read(at: 0, count: Self.headerBytes)
    guard let header = Header(bytes) else { return true }
    let isWhole = try areFramesWhole(header)
    // A log that begins anew meanwhile tells nothing.
    if isWhole { return true }
    return try file.read(at: 0, count: Self.headerBytes) != bytes
  }

  private func areFramesWhole(_ header: Header) throws(StoreError) -> Bool {
    var scan = Scan(header)
    var offset = UInt64(Self.headerBytes)
    let frameBytes = Self.frameHeaderBytes + header.pageBytes
    while true {
      let piece = try file.read(at: offset, count: 64 * frameBytes)
      var start = 0
      while start + frameBytes <= piece.count {
        guard scan.take(piece[start..<start + frameBytes]) else { return false }
        start += frameBytes
      }
      guard piece.count == 64 * frameBytes else { return true }
      offset += UInt64(piece.count)
    }
  }

  /// The running checksum of a log.
  fileprivate struct Sum: Equatable {
    var first: UInt32 = 0
    var second: UInt32 = 0

    init() {}

    init(stored bytes: ArraySlice<UInt8>) {
      first = LogCheck.word(bytes, 0)
      second = LogCheck.word(bytes, 4)
    }

    mutating func add(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) {
      bytes.withUnsafeBytes { bytes in
        for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
          let one = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
          let two = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
          first &+= (isBigEndian ? UInt32(bigEndian: one) : UInt32(littleEndian: one)) &+ second
          second &+= (isBigEndian ? UInt32(bigEndian: two) : UInt32(littleEndian: two)) &+ first
        }
      }
    }
  }

  fileprivate struct Header {
    let isBigEndian: Bool
    let pageBytes = DatabasePages.byteCount
    let salt: [UInt8]
    /// The checksum that stands there, and that of what stands there.
    let stored: Sum
    var computed = Sum()

    init?(_ bytes: [UInt8]) {
      guard bytes.count == LogCheck.headerBytes else { return nil }
      isBigEndian = bytes[3] & 1 == 1
      salt = Array(bytes[16..<24])
      stored = Sum(stored: bytes[24..<32])
      computed.add(bytes[0..<24], isBigEndian: isBigEndian)
    }
  }

  fileprivate static func word(_ bytes: ArraySlice<UInt8>, _ offset: Int) -> UInt32 {
    let start = bytes.startIndex + offset
    return bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Goes from frame to frame.
  private struct Scan {
    private let header: Header
    private var isFirst = true
    private var isBroken = false
    /// What the next frame's checksum follows on.
    private var last: Sum
    /// The pages of the database at a commit behind the first broken frame: one that is whole, and
    /// one in a broken frame, which may be garbage.
    private var isCommitBehind = false
    private var brokenCommit: UInt32 = 0

    init(_ header: Header) {
      self.header = header
      last = header.stored
    }

    /// Takes the next frame; false where it shows that one before it was damaged.
    mutating func take(_ frame: ArraySlice<UInt8>) -> Bool {
      let start = frame.startIndex
      let stored = Sum(stored: frame[start + 16..<start + 24])
      let commit = LogCheck.word(frame, 4)
      var sums = [last]
      if isFirst && header.stored != header.computed { sums.append(header.computed) }
      var follows = false
      for var sum in sums {
        sum.add(frame[start..<start + 8], isBigEndian: header.isBigEndian)
        sum.add(frame[start + 24..<frame.endIndex], isBigEndian: header.isBigEndian)
        follows = follows || sum == stored
      }
      let isOfThisLog = Array(frame[start + 8..<start + 16]) == header.salt
      defer {
        last = stored
        isFirst = false
      }
      if isFirst && follows && (header.stored != header.computed || !isOfThisLog) { return false }
      guard follows && isOfThisLog else {
        isBroken = true
        isCommitBehind = false
        brokenCommit = isOfThisLog ? commit : 0
        return true
      }
      guard isBroken else { return true }
      if isCommitBehind || isPlausible(brokenCommit, before: commit) { return false }
      brokenCommit = commit == 0 ? brokenCommit : 0
      isCommitBehind = commit != 0
      return true
    }

    /// Whether a broken frame's commit is one: the database grew little by the next.
    private func isPlausible(_ broken: UInt32, before next: UInt32) -> Bool {
      broken != 0 && next != 0 && max(broken, next) - min(broken, next) < 1024
    }
  }
}
