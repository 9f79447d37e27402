/// A 4-ary heap of countdowns by (due, sequence), in which every countdown knows its position.
///
/// It does not hold its countdowns: each takes itself out before it is gone.
///
/// *Invariants*: no entry precedes its parent, and `entries[i]`'s countdown has the position i.
/// *Cost*: insert, remove and take the first are O(log n); the first is O(1). It keeps at most four
/// times the memory that its entries need, and 16 entries' worth when it is empty.
struct CountdownHeap {
  /// A countdown and when it is over. The order is in here, so that comparing follows no pointers.
  struct Entry {
    let due: Moment
    /// The number of the arming: what decides between equal moments.
    let sequence: UInt64
    let countdown: Unmanaged<Countdown>

    /// One number, so that comparing does not branch: which of two is first is unpredictable.
    @inline(__always) private var key: Int128 {
      Int128(due.nanoseconds) << 64 | Int128(sequence)
    }

    @inline(__always) func precedes(_ other: Entry) -> Bool {
      key < other.key
    }
  }

  private(set) var entries: [Entry] = []

  /// What is over before all others.
  var first: Entry? { entries.first }

  /// When a countdown is over, or `nil` when it is not in this heap.
  func due(of countdown: Countdown) -> Moment? {
    countdown.position < 0 ? nil : entries[countdown.position].due
  }

  /// Puts in a countdown that is in no heap.
  mutating func insert(_ countdown: Countdown, due: Moment, sequence: UInt64) {
    let entry = Entry(due: due, sequence: sequence, countdown: .passUnretained(countdown))
    entries.append(entry)
    rise(entry, from: entries.count - 1)
  }

  /// Takes out a countdown; one that is not in the heap stays as it is.
  mutating func remove(_ countdown: Countdown) {
    guard countdown.position >= 0 else { return }
    remove(at: countdown.position)
  }

  /// Takes out what is at a position.
  mutating func remove(at position: Int) {
    entries[position].countdown._withUnsafeGuaranteedRef { $0.position = -1 }
    let last = entries.removeLast()
    if position < entries.count {
      if position > 0, last.precedes(entries[(position - 1) / 4]) {
        rise(last, from: position)
      } else {
        sink(last, from: position)
      }
    }
    if entries.capacity > 64, entries.count * 4 < entries.capacity { shrink() }
  }

  private mutating func rise(_ entry: Entry, from start: Int) {
    var position = start
    while position > 0 {
      let parent = (position - 1) / 4
      guard entry.precedes(entries[parent]) else { break }
      place(entries[parent], at: position)
      position = parent
    }
    place(entry, at: position)
  }

  private mutating func sink(_ entry: Entry, from start: Int) {
    var position = start
    let count = entries.count
    while true {
      var best = 4 * position + 1
      guard best < count else { break }
      for child in (best + 1)..<max(best + 1, min(best + 4, count))
      where entries[child].precedes(entries[best]) {
        best = child
      }
      guard entries[best].precedes(entry) else { break }
      place(entries[best], at: position)
      position = best
    }
    place(entry, at: position)
  }

  private mutating func place(_ entry: Entry, at position: Int) {
    entries[position] = entry
    entry.countdown._withUnsafeGuaranteedRef { $0.position = position }
  }

  private mutating func shrink() {
    var smaller: [Entry] = []
    smaller.reserveCapacity(entries.count * 2)
    smaller.append(contentsOf: entries)
    entries = smaller
  }
}
