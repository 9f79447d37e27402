import Testing

@testable import ReunionFlow

@Suite struct AlarmHeapTests {
  @Test(arguments: 0..<20)
  func `the heap agrees with a sorted list`(_ round: Int) throws {
    let seed = UInt64.random(in: 0 ... .max)
    var generator = SeededGenerator(seed: seed)
    var heap = AlarmHeap()
    var oracle: [Alarm] = []
    for sequence in 0..<500 {
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<6:
        let moment = Moment(nanoseconds: Int64.random(in: 0..<50, using: &generator))
        let alarm = Alarm(moment: moment, sequence: UInt64(sequence), queue: nil)
        heap.insert(alarm)
        oracle.append(alarm)
      case 6..<8:
        guard let index = oracle.indices.randomElement(using: &generator) else { continue }
        heap.remove(oracle.remove(at: index))
      default:
        let expected = oracle.min { $0.precedes($1) }
        #expect(heap.first === expected, "round \(round), seed \(seed)")
        guard let expected else { continue }
        heap.remove(expected)
        oracle.removeAll { $0 === expected }
        #expect(expected.position == nil)
      }
      guard sequence.isMultiple(of: 16) else { continue }
      let isPlaced = heap.alarms.enumerated().allSatisfy { $0.element.position == $0.offset }
      try #require(isPlaced && heap.alarms.count == oracle.count, "round \(round), seed \(seed)")
    }
    oracle.sort { $0.precedes($1) }
    for expected in oracle {
      try #require(heap.first === expected, "round \(round), seed \(seed)")
      heap.remove(expected)
    }
    #expect(heap.alarms.isEmpty)
  }
}
