import Testing

@testable import ReunionMedia

/// Groups take turns before people do.
@Suite struct GroupedTurnsTests {
  /// Twenty-eight people whose pictures take four seconds each, and one of group 2 whose ten take a hundredth: how
  /// many pieces were served until the ten were done.
  private func countServed(crowdIn group: (UInt64) -> UInt64) -> Int {
    var turns = GroupedTurns<(person: UInt64, took: UInt64)>()
    for person in 1...28 as ClosedRange<UInt64> {
      for _ in 0..<9 { _ = turns.add((person, 4_000), of: person, in: group(person), at: 0) }
    }
    for _ in 0..<10 { _ = turns.add((99, 10), of: 99, in: 2, at: 0) }
    var served: [UInt64] = []
    while served.count(where: { $0 == 99 }) < 10, let work = turns.next() {
      served.append(work.person)
      turns.end(took: work.took, at: 0)
    }
    return served.count
  }

  @Test func `a crowd of one network makes another wait for one picture`() {
    #expect(countServed { _ in 1 } == 11)
    // In the same network, and from as many networks, each of them comes first once.
    #expect(countServed { _ in 2 } == 38)
    #expect(countServed { $0 + 2 } == 38)
  }

  @Test func `in one group people take turns as they do without groups`() {
    var random = SystemRandomNumberGenerator()
    var (grouped, plain) = (GroupedTurns<Int>(waitingMax: 3), FairShareQueue<Int>(waitingMax: 3))
    var isServing = false
    for number in 0..<2_000 {
      let now = UInt64(number) * 100
      if UInt8.random(in: 0..<3, using: &random) > 0 {
        let person = UInt64.random(in: 0..<5, using: &random)
        let taken = (
          grouped.add(number, of: person, in: 7, at: now), plain.add(number, of: person, at: now)
        )
        #expect(taken.0 == taken.1)
        continue
      }
      if isServing {
        let took = UInt64.random(in: 1..<300, using: &random)
        grouped.end(took: took, at: now)
        plain.end(took: took, at: now)
      }
      let next = (grouped.next(), plain.next())
      #expect(next.0 == next.1)
      isServing = next.0 != nil
    }
  }

  @Test func `a group that owes nothing is forgotten`() {
    var turns = GroupedTurns<Int>()
    for group in 0..<100 as Range<UInt64> { _ = turns.add(1, of: group, in: group, at: 0) }
    while turns.next() != nil { turns.end(took: 0, at: 0) }
    #expect(turns.groupCount == 0)
  }
}
