import ReunionCore

/// Which blobs a session fetches, and what it answers to the other side's wishes.
///
/// A pure value: it keeps the order of wishes and the one transfer under way in each direction; the
/// session reads and writes the bytes.
struct BlobExchange {
  /// A blob that the other side is being sent.
  struct Sending: Hashable {
    var hash: BlobHash
    var offset: UInt64
  }

  private(set) var wanted: [BlobReference] = []
  private(set) var fetching: BlobReference?
  private var lacking: Set<BlobHash> = []
  var lackingCount: Int { lacking.count }
  private(set) var sending: [Sending] = []

  /// Notes blobs to fetch; those that the other side said it lacks wait until it has them.
  mutating func want(_ references: [BlobReference]) {
    for reference in references
    where reference.hash != fetching?.hash && !lacking.contains(reference.hash)
      && !wanted.contains(where: { $0.hash == reference.hash })
    {
      wanted.append(reference)
    }
  }

  /// The next blob to ask for, when none is under way.
  mutating func nextToFetch() -> BlobReference? {
    guard fetching == nil, !wanted.isEmpty else { return nil }
    fetching = wanted.removeFirst()
    return fetching
  }

  /// Ends the transfer under way, whether it came whole or not.
  mutating func endFetch() { fetching = nil }

  /// The other side does not hold a blob: it is asked for again once it says that it arrived.
  mutating func notHeld(_ hash: BlobHash) {
    lacking.insert(hash)
    if fetching?.hash == hash { fetching = nil }
  }

  /// Blobs have arrived at the other side; the ones that it lacked before.
  mutating func arrived(_ hashes: [BlobHash]) -> Bool {
    let before = lacking.count
    lacking.subtract(hashes)
    return lacking.count != before
  }

  /// The other side wants a blob from an offset; a new wish for the same blob replaces the old.
  mutating func send(_ hash: BlobHash, from offset: UInt64) {
    sending.removeAll { $0.hash == hash }
    sending.append(Sending(hash: hash, offset: offset))
  }

  /// Moves the first transfer on, or ends it.
  mutating func sent(upTo offset: UInt64?) {
    guard !sending.isEmpty else { return }
    if let offset { sending[0].offset = offset } else { sending.removeFirst() }
  }
}
