import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionStore

/// What of a guest's push is let in where changes build on each other.
@Suite struct AdmissionTests {
  private let guest = Site(device: 7, incarnation: 1)
  private let foreign = RecordID(high: 1, low: 1)

  private func change(
    _ record: RecordID, _ merge: MergeKind, transaction: Int, seq: Int
  ) -> Change {
    Change(
      entity: 3, record: record,
      cell: Cell(
        field: merge == .creation ? 0 : 1, merge: merge,
        dot: Dot(site: guest, seq: UInt64(seq + 1)),
        stamp: Stamp(milliseconds: UInt64(1_000 + transaction)), value: .null))
  }

  private func decided(
    _ changes: [Change], ruledOut: [TransactionRule.Key: String] = [:]
  ) throws -> Admission {
    var admission = Admission(
      authority: .own(device: 7), peer: guest, helloSeq: UInt64(changes.count), ruledOut: ruledOut)
    let theirs = RecordState([
      Cell(
        field: 0, merge: .creation, dot: Dot(site: Site(device: 8, incarnation: 1), seq: 1),
        stamp: Stamp(milliseconds: 1), value: .null)
    ])
    try admission.add(changes) { .held($0.id == foreign ? theirs : nil) }
    admission.decide()
    return admission
  }

  @Test func `a rule sees the transactions of a push in the order in which they were written`() {
    let seen = Lock<[UInt64]>([])
    let rule = TransactionRule { transaction in
      seen.withLock { $0.append(transaction.writes[0].record.low) }
      return nil
    }
    let changes = (0..<50).map {
      change(RecordID(high: 2, low: UInt64($0)), .creation, transaction: $0, seq: $0)
    }
    _ = rule.verdicts(on: changes.reversed(), in: space)
    #expect(seen.withLock { $0 } == changes.map(\.record.low))
  }

  /// Each transaction creates a record and changes the one before; the first may change a stranger's.
  private func chain(_ count: Int, isAllowed: Bool) -> [Change] {
    (0..<count).flatMap { number -> [Change] in
      let before = number == 0 ? (isAllowed ? id(0) : foreign) : id(number - 1)
      return [
        change(id(number), .creation, transaction: number, seq: 2 * number),
        change(before, .register, transaction: number, seq: 2 * number + 1),
      ]
    }
  }

  private func id(_ number: Int) -> RecordID { RecordID(high: 2, low: UInt64(number)) }

  @Test
  func `100,000 changes that build on each other stand or fall together, and take none along`()
    throws
  {
    let count = 50_000
    let apart = change(id(count), .creation, transaction: count, seq: 2 * count)
    for isAllowed in [true, false] {
      let changes = chain(count, isAllowed: isAllowed) + [apart]
      let admission = try decided(changes)
      #expect(admission.admitted(changes).count == (isAllowed ? 2 * count + 1 : 1))
      #expect(admission.admits(apart))
      #expect(admission.refused.count == (isAllowed ? 0 : count + 1))
    }
  }

  @Test func `the sentence of a rule covers what falls with its transaction, and nothing else`()
    throws
  {
    let apart = change(foreign, .register, transaction: 3, seq: 6)
    let first = TransactionRule.Key(site: guest, stamp: Stamp(milliseconds: 1_000))
    let admission = try decided(
      chain(3, isAllowed: true) + [apart], ruledOut: [first: "No notes today."])
    let said = admission.refused.map { (key, sentence) in
      key.id == foreign
        ? String(decoding: sentence, as: UTF8.self) : "\(key.id == id(0)) \(sentence.count)"
    }
    #expect(said == ["true 15", "false 15", "false 15", ""])
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func `what is let in is what looking again and again leaves`(
    seed: UInt64
  ) throws {
    var random = SplitMix(seed: seed)
    let changes = (0..<60).map { seq -> Change in
      let record = random.below(12) == 0 ? foreign : id(random.below(10))
      return change(
        record, random.below(3) == 0 && record != foreign ? .creation : .register,
        transaction: random.below(15), seq: seq)
    }
    let admission = try decided(changes)
    #expect(Set(admission.admitted(changes)) == Set(lookingAgain(changes)))
  }

  /// The definition: transactions fall until none does any more.
  private func lookingAgain(_ changes: [Change]) -> [Change] {
    var left = changes
    while true {
      let created = Set(left.filter { $0.cell.merge == .creation }.map(\.record))
      let fallen = Set(
        left.filter { $0.record == foreign || !created.contains($0.record) }.map(\.cell.stamp))
      guard !fallen.isEmpty else { return left }
      left.removeAll { fallen.contains($0.cell.stamp) }
    }
  }
}

private struct SplitMix {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func below(_ limit: Int) -> Int {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return Int((mixed ^ (mixed >> 31)) % UInt64(limit))
  }
}
