import Testing

@testable import ReunionFlow

@Suite struct CountdownHeapTests {
  private func makeCountdowns(_ count: Int) -> [Countdown] {
    // Not that of the clock, so that nothing but the heap under test places them.
    let timeline = FlowTimeline()
    return (0..<count).map { _ in Countdown(on: timeline, .plain {}) }
  }

  @Test(arguments: 0..<20)
  func `the heap agrees with a sorted list`(_ round: Int) throws {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SeededGenerator(seed: seed)
    var heap = CountdownHeap()
    let countdowns = makeCountdowns(500)
    // The heap does not hold them, and this one is not the one that they take themselves out of.
    defer { for countdown in countdowns { heap.remove(countdown) } }
    var oracle: [(due: Int64, sequence: Int)] = []
    for sequence in 0..<500 {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<6:
        let due = Int64.random(in: 0..<50, using: &generator)
        heap.insert(
          countdowns[sequence], due: Moment(nanoseconds: due), sequence: UInt64(sequence))
        oracle.append((due, sequence))
      case 6..<8:
        guard let index = oracle.indices.randomElement(using: &generator) else { continue }
        heap.remove(countdowns[oracle.remove(at: index).sequence])
      default:
        guard let expected = oracle.min(by: <) else { continue }
        let countdown = countdowns[expected.sequence]
        #expect(heap.first?.sequence == UInt64(expected.sequence), "round \(round), seed \(seed)")
        #expect(heap.due(of: countdown) == Moment(nanoseconds: expected.due))
        heap.remove(countdown)
        oracle.removeAll { $0 == expected }
        #expect(heap.due(of: countdown) == nil)
      }
      guard sequence.isMultiple(of: 16) else { continue }
      let isPlaced = heap.entries.enumerated().allSatisfy { position, entry in
        countdowns[Int(entry.sequence)].position == position
      }
      try #require(isPlaced && heap.entries.count == oracle.count, "round \(round), seed \(seed)")
    }
    for expected in oracle.sorted(by: <) {
      try #require(
        heap.first?.sequence == UInt64(expected.sequence), "round \(round), seed \(seed)")
      heap.remove(at: 0)
    }
    #expect(heap.entries.isEmpty)
  }

  @Test func `the heap gives back the memory of many countdowns`() {
    var heap = CountdownHeap()
    let countdowns = makeCountdowns(10_000)
    for (index, countdown) in countdowns.enumerated() {
      heap.insert(countdown, due: Moment(nanoseconds: Int64(index)), sequence: 0)
    }
    #expect(heap.entries.capacity >= 10_000)
    for countdown in countdowns { heap.remove(countdown) }
    #expect(heap.entries.capacity <= 64)
  }
}
