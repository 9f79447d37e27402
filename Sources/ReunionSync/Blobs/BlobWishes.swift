import ReunionCore
import ReunionStore

/// What a session sends of the blobs that the other side wants, one after the other, the smallest first.
///
/// *Limits*: 64 wishes at once, and 8,192 blobs of which it is told once they arrive; beyond, of all.
struct BlobWishes {
  /// A blob that the other side is being sent.
  struct Wish: Hashable {
    var hash: BlobHash
    var offset: UInt64
    /// How many bytes the blob has, once its file was open.
    var byteCount: UInt64?
  }

  static let countMax = 64
  static let owedMax = 8192

  private var wishes: [Wish] = []
  private var owed: Set<BlobHash> = []
  private var owesAll = false
  /// Blobs that are held and could not be read.
  private var unread: Set<BlobHash> = []
  /// The file that was opened last.
  private(set) var reader: BlobReader?

  /// The one to send from: the smallest, once each was open; before that one that was not.
  var first: Wish? {
    wishes.first { $0.byteCount == nil }
      ?? wishes.min { ($0.byteCount ?? 0) < ($1.byteCount ?? 0) }
  }

  /// The other side wants a blob from an offset; a new wish for the same blob replaces the old.
  ///
  /// - Returns: false where it wants too many at once.
  mutating func add(_ wish: Wish) -> Bool {
    if reader?.blob.hash == wish.hash { reader = nil }
    wishes.removeAll { $0.hash == wish.hash }
    guard wishes.count < Self.countMax else { return false }
    wishes.append(wish)
    return true
  }

  /// The file of a wanted blob is open.
  mutating func opened(_ reader: BlobReader) {
    self.reader = reader
    guard let place = wishes.firstIndex(where: { $0.hash == reader.blob.hash }) else { return }
    wishes[place].byteCount = reader.blob.byteCount
  }

  /// A wanted blob was sent up to an offset, or to its end.
  mutating func sent(_ hash: BlobHash, upTo offset: UInt64?) {
    guard let place = wishes.firstIndex(where: { $0.hash == hash }) else { return }
    if let offset {
      wishes[place].offset = offset
    } else {
      if reader?.blob.hash == hash { reader = nil }
      wishes.remove(at: place)
    }
  }

  /// A wanted blob is not held, or could not be read: the other side is told once it arrives, or may be
  /// read the next time.
  mutating func owe(_ hash: BlobHash, isHeld: Bool) {
    sent(hash, upTo: nil)
    if isHeld, unread.count < Self.owedMax { unread.insert(hash) }
    guard owed.count < Self.owedMax else { return owesAll = true }
    owed.insert(hash)
  }

  /// A blob has arrived here; whether the other side waits for it.
  mutating func arrived(_ hash: BlobHash) -> Bool { owed.remove(hash) != nil || owesAll }

  /// What could not be read, to be tried again.
  mutating func takeUnread() -> [BlobHash] {
    defer { unread = [] }
    owed.subtract(unread)
    return Array(unread)
  }

  mutating func end() { self = BlobWishes() }
}
