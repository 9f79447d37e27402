/// Work that waits, by whose it is and in which group: groups take turns by the time that they use
/// (``FairShareQueue``), and in each the people do.
///
/// Many people in one group share that group's turns. A group that owes nothing forgets what its people owed each
/// other. Times are in nanoseconds.
struct GroupedTurns<Work> {
  private let waitingMax: Int
  private var groups = FairShareQueue<UInt64>()
  private var turns: [UInt64: FairShareQueue<Work>] = [:]
  private var served: UInt64?

  /// One person has at most `waitingMax` pieces waiting.
  init(waitingMax: Int = .max) { self.waitingMax = waitingMax }

  /// How many groups are remembered: those that have work waiting, or owe something.
  var groupCount: Int { turns.count }

  /// Takes a piece of work; false where this person has enough waiting.
  mutating func add(_ work: Work, of person: UInt64, in group: UInt64, at now: UInt64) -> Bool {
    guard
      turns[group, default: FairShareQueue(waitingMax: waitingMax)].add(work, of: person, at: now)
    else { return false }
    return groups.add(group, of: group, at: now)
  }

  /// The piece whose turn it is, once the one before it has ended; nil if none waits.
  mutating func next() -> Work? {
    served = groups.next()
    guard let served else { return nil }
    return turns[served]?.next()
  }

  /// Ends the piece that is under way, and charges the time that it took, whatever came of it.
  mutating func end(took: UInt64, at now: UInt64) {
    if let served { turns[served]?.end(took: took, at: now) }
    served = nil
    groups.end(took: took, at: now)
    turns = turns.filter { groups.remembers($0.key) }
  }
}
