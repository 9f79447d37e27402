/// Work that waits, by whose it is: who has used the least time is next, and each one's work keeps its
/// order.
///
/// A person who comes counts as having used as much as the one served last, so that nobody saves
/// time up by staying away. A person who used more owes it, and time in which nothing waits pays
/// that. However much one of them has waiting, and however long it takes, another who owes nothing
/// waits for the piece that is under way and for one piece of each other person at most. Times are
/// in nanoseconds.
struct FairShareQueue<Work> {
  private struct Person {
    var waiting: ArraySlice<Work> = []
    var used: UInt64
    /// Among people who have used as much, the one who came or was served first is next.
    var since: UInt64 = 0
  }

  /// Most pieces that one person has waiting.
  let waitingMax: Int
  /// The people who have work waiting, or have used more than `floor`.
  private var people: [UInt64: Person] = [:]
  /// What somebody has used who owes nothing.
  private var floor: UInt64 = 0
  private var served: UInt64?
  private var steps: UInt64 = 0
  /// Since when nothing waits and nobody is served.
  private var idleSince: UInt64?

  init(waitingMax: Int = .max) { self.waitingMax = waitingMax }

  /// How many people are remembered.
  var peopleCount: Int { people.count }

  /// Whether this person has work waiting, or owes something.
  func remembers(_ person: UInt64) -> Bool { people[person] != nil }

  /// Takes a piece of work; false where this person has enough waiting.
  mutating func add(_ work: Work, of person: UInt64, at now: UInt64) -> Bool {
    var one = people[person] ?? Person(used: floor)
    guard one.waiting.count < waitingMax else { return false }
    if let idleSince, now > idleSince { floor += now - idleSince }
    idleSince = nil
    if one.waiting.isEmpty {
      one.used = max(one.used, floor)
      if person != served { one.since = step() }
    }
    one.waiting.append(work)
    people[person] = one
    return true
  }

  /// The piece whose turn it is, once the one before it has ended; nil if none waits.
  mutating func next() -> Work? {
    let waiting = people.filter { !$0.value.waiting.isEmpty }
    let first = waiting.min { one, other in
      (one.value.used, one.value.since) < (other.value.used, other.value.since)
    }
    guard let (person, found) = first else { return nil }
    var one = found
    floor = max(floor, one.used)
    let work = one.waiting.popFirst()
    one.since = step()
    people[person] = one
    served = person
    return work
  }

  /// Ends the piece that is under way, and charges the time that it took, whatever came of it.
  mutating func end(took: UInt64, at now: UInt64) {
    if let served { people[served]?.used += took }
    served = nil
    people = people.filter { !$0.value.waiting.isEmpty || $0.value.used > floor }
    if people.values.allSatisfy(\.waiting.isEmpty) { idleSince = now }
  }

  private mutating func step() -> UInt64 {
    steps += 1
    return steps
  }
}
