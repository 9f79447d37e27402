import ReunionCore
import ReunionStore

/// What a session sends of the blobs that the other side wants, one after the other.
///
/// *Limits*: 64 wishes at once, and 8,192 blobs of which it is told once they arrive; beyond, of all.
struct BlobWishes {
  /// A blob that the other side is being sent.
  struct Wish: Hashable {
    var hash: BlobHash
    var offset: UInt64
  }

  static let countMax = 64
  static let owedMax = 8192

  private var wishes: [Wish] = []
  private var owed: Set<BlobHash> = []
  private var owesAll = false
  /// Blobs that are held and could not be read.
  private var unread: Set<BlobHash> = []
  /// The first one's file, once it is open.
  private(set) var reader: BlobReader?

  var first: Wish? { wishes.first }

  /// The other side wants a blob from an offset; a new wish for the same blob replaces the old.
  ///
  /// - Returns: false where it wants too many at once.
  mutating func add(_ wish: Wish) -> Bool {
    if wishes.first?.hash == wish.hash { reader = nil }
    wishes.removeAll { $0.hash == wish.hash }
    guard wishes.count < Self.countMax else { return false }
    wishes.append(wish)
    return true
  }

  mutating func opened(_ reader: BlobReader) { self.reader = reader }

  /// The first one was sent up to an offset, or to its end.
  mutating func sent(upTo offset: UInt64?) {
    guard !wishes.isEmpty else { return }
    guard let offset else {
      reader = nil
      return wishes = Array(wishes.dropFirst())
    }
    wishes[0].offset = offset
  }

  /// The first one is not held, or could not be read: the other side is told once it arrives, or may be
  /// read the next time.
  mutating func owe(_ hash: BlobHash, isHeld: Bool) {
    sent(upTo: nil)
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
