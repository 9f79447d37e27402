/// Work that waits, by whose it is: people take turns, and each one's work keeps its order.
///
/// However much one of them has waiting, another waits for the piece that is under way and for one
/// piece of each other person at most.
struct Turns<Work> {
  /// Most pieces that one person has waiting.
  let waitingMax: Int
  private var waiting: [UInt64: ArraySlice<Work>] = [:]
  /// Who has work waiting, in the order of their turns, but for who is served.
  private var order: ArraySlice<UInt64> = []
  private var served: UInt64?

  init(waitingMax: Int = .max) { self.waitingMax = waitingMax }

  /// Takes a piece of work; false where this person has enough waiting.
  mutating func add(_ work: Work, of person: UInt64) -> Bool {
    let count = waiting[person]?.count ?? 0
    guard count < waitingMax else { return false }
    if count == 0, person != served { order.append(person) }
    waiting[person, default: []].append(work)
    return true
  }

  /// The piece whose turn it is, once the one before it is done; nil where none waits.
  mutating func next() -> Work? {
    // Who was served goes behind those who came meanwhile.
    if let served, waiting[served] != nil { order.append(served) }
    served = order.popFirst()
    guard let served else { return nil }
    let work = waiting[served]?.popFirst()
    if waiting[served]?.isEmpty == true { waiting[served] = nil }
    return work
  }
}
