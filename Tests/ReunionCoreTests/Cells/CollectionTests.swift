import Foundation
import ReunionCore
import Testing

/// Counters, sets and lists against naive models that keep every change.
@Suite struct CollectionTests {
  static let histories = Int(ProcessInfo.processInfo.environment["REUNION_HISTORIES"] ?? "") ?? 4000

  @Test func `a counter counts what every site added, however often it is told`() {
    var state = RecordState()
    for (site, totals) in [(ann, [1, 5, 3]), (ben, [10]), (cem, [-4, -2])] {
      for (index, total) in totals.enumerated() {
        let cell = Cell(
          field: 1, merge: .tally, dot: Dot(site: site, seq: UInt64(index + 1)),
          stamp: Stamp(rawValue: 5), value: .int(Int64(total)))
        _ = state.merge(cell)
        #expect(!state.merge(cell).changed)
      }
    }
    #expect(state.count(1) == 11)
    #expect(state.tally(1, of: ann) == 3)
    #expect(state.cells.count == 3)
  }

  @Test func `an element that is added again meanwhile stays in a set`() {
    let summer = Value.text("summer")
    func cell(_ merge: MergeKind, _ site: Site, _ seq: UInt64, _ value: Value) -> Cell {
      Cell(
        field: 1, merge: merge, dot: Dot(site: site, seq: seq), stamp: Stamp(rawValue: seq),
        value: value)
    }
    var state = RecordState()
    _ = state.merge(cell(.member, ann, 1, summer))
    _ = state.merge(cell(.member, ben, 1, summer))
    #expect(state.members(1) == [summer])
    let sight = state.additions(1, of: summer)
    _ = state.merge(cell(.memberRemoval, ben, 2, Cell.memberRemovalValue(of: summer, seen: sight)))
    #expect(state.members(1).isEmpty)
    #expect(!state.merge(cell(.member, ann, 1, summer)).changed)
    _ = state.merge(cell(.member, ann, 2, summer))
    #expect(state.members(1) == [summer])
  }

  @Test func `places lie between their neighbours, wherever one inserts`() throws {
    var random = Seeded(7)
    var places: [Position] = []
    for round in 0..<3000 {
      let index =
        switch round % 3 {
        case 0: places.count
        case 1: 0
        default: Int.random(in: 0...places.count, using: &random)
        }
      let low = index > 0 ? places[index - 1] : nil
      let high = index < places.count ? places[index] : nil
      let place = try #require(Position.between(low, high, using: &random))
      #expect(low.map { $0 < place } ?? true)
      #expect(high.map { place < $0 } ?? true)
      #expect(Position(bytes: place.bytes) == place)
      places.insert(place, at: index)
    }
    #expect(places == places.sorted())
    #expect((places.map(\.bytes.count).max() ?? 0) < 24)
    #expect(Position.between(places[0], places[0], using: &random) == nil)
    #expect(Position.between(places[1], places[0], using: &random) == nil)
  }

  @Test func `a place at the same spot a thousand times stays short, and has an end`() throws {
    var random = Seeded(8)
    var low = try #require(Position.between(nil, nil, using: &random))
    let high = try #require(Position.between(low, nil, using: &random))
    var count = 0
    while let place = Position.between(low, high, using: &random), count < 20_000 {
      low = place
      count += 1
    }
    #expect(count > 1000)
    #expect(low.bytes.count <= Position.bytesMax)
  }

  @Test func `reads only places that it would make`() {
    for bytes in [
      [], [0x81], [0x81, 0], [0x82, 0, 1, 1], [0x80, 1], [0x90, 1, 2], [0x7F, 255, 1, 0],
    ]
      as [[UInt8]]
    {
      #expect(Position(bytes: bytes) == nil, "\(bytes)")
    }
    #expect(Position(bytes: [0x7F, 255, 1]) != nil)
    #expect(Position(bytes: [0x81] + [UInt8](repeating: 1, count: 2000)) == nil)
  }

  @Test func `lists and sets are what naive models make of every concurrent history`() throws {
    print("\(Self.histories) histories (REUNION_HISTORIES=100000 for the full count)")
    for seed in 1...Self.histories {
      var history = History(seed: UInt64(seed))
      let problem = try history.run()
      if let problem {
        Issue.record("seed \(seed): \(problem)")
        return
      }
    }
  }

  @Test(arguments: [History.Bug.removalSeesAll, .placesByArrival])
  func `the naive models notice a seeded bug (negative control)`(bug: History.Bug) throws {
    let seed = try (1...500).first { seed in
      var history = History(seed: UInt64(seed), bug: bug)
      return try history.run() != nil
    }
    print("\(bug) is noticed at seed \(seed ?? 0)")
    #expect(seed != nil)
  }
}
