import ReunionCore
import Testing

@Suite struct MergeTests {
  @Test func `converges whatever the order, grouping or duplication (guarantee 1)`() {
    for seed in UInt64(1)...2_000 {
      var random = Seeded(seed)
      let cells = (0..<Int.random(in: 2...9, using: &random)).map { _ in
        randomCell(using: &random)
      }
      var first = RecordState()
      for cell in cells { _ = first.merge(cell) }
      var second = RecordState()
      for cell in (cells + cells).shuffled(using: &random) { _ = second.merge(cell) }
      var half = RecordState()
      for cell in cells.shuffled(using: &random).prefix(cells.count / 2) { _ = half.merge(cell) }
      for cell in first.cells { _ = half.merge(cell) }
      #expect(first == second, "seed \(seed)")
      #expect(first == half, "seed \(seed)")
    }
  }

  @Test func `notices a merge without a tie-break (negative control)`() {
    // The same histories with the site left out of the comparison must differ somewhere.
    func merge(_ held: Cell?, _ cell: Cell) -> Cell {
      guard let held else { return cell }
      return cell.stamp > held.stamp ? cell : held
    }
    let differs = (UInt64(1)...500).contains { seed in
      var random = Seeded(seed)
      let cells = (0..<6).map { _ in randomCell(using: &random) }.filter { $0.field == 1 }
      let forward = cells.reduce(nil as Cell?, merge)
      let backward = cells.reversed().reduce(nil as Cell?, merge)
      return forward != backward
    }
    #expect(differs)
  }

  @Test func `lets the later write win, and the higher site at equal stamps`() {
    var state = RecordState()
    _ = state.merge(register(1, "old", ben, 1, stamp: 5))
    _ = state.merge(register(1, "new", ann, 1, stamp: 6))
    _ = state.merge(register(1, "late", ben, 2, stamp: 5))
    #expect(state.register(1)?.value.text == "new")
    _ = state.merge(register(1, "higher site", cem, 1, stamp: 6))
    #expect(state.register(1)?.value.text == "higher site")
  }

  @Test func `keeps the loser of a true conflict, and not a value that was seen (guarantee 2)`() {
    var state = RecordState()
    _ = state.merge(register(1, "Lake", ann, 1, stamp: 10))
    let seen = state.merge(register(1, "The lake", ben, 1, stamp: 12, replaced: 10))
    #expect(seen.conflict == nil)
    let unseen = state.merge(register(1, "My lake", cem, 1, stamp: 11, replaced: 10))
    #expect(!unseen.changed)
    #expect(unseen.conflict?.value.text == "My lake")
    let later = state.merge(register(1, "A sea", ann, 2, stamp: 14, replaced: 10))
    #expect(later.conflict?.value.text == "The lake")
  }

  @Test func `keeps a value that its author lost and wrote over (guarantee 2)`() {
    // Others have what a power cut takes from its author, who writes on from before under the same number.
    let lost = register(1, "A lake", ann, 2, stamp: 12, replaced: 10)
    let next = register(1, "A pond", ann, 2, stamp: 14, replaced: 10)
    for (first, second) in [(lost, next), (next, lost)] {
      var state = RecordState()
      _ = state.merge(first)
      #expect(state.merge(second).conflict == lost)
      #expect(state.register(1) == next)
    }
    var state = RecordState([lost])
    let seen = state.merge(register(1, "A pond", ann, 3, stamp: 14, replaced: 12))
    #expect(seen.conflict == nil && seen.rival == nil)
  }

  @Test func `keeps two edits of different fields made apart`() {
    var state = RecordState()
    _ = state.merge(register(1, "caption", ann, 1, stamp: 10))
    _ = state.merge(register(2, "place", ben, 1, stamp: 9))
    #expect(state.register(1)?.value.text == "caption")
    #expect(state.register(2)?.value.text == "place")
  }

  @Test func `an annotation made meanwhile keeps no deleted record alive`() {
    var annotation = register(2, "measured meanwhile", ann, 3, stamp: 15)
    annotation.merge = .annotation
    var state = RecordState()
    _ = state.merge(creation(ann, 1, stamp: 10))
    _ = state.merge(register(2, "guessed", ann, 2, stamp: 10))
    _ = state.merge(annotation)
    #expect(state.isAlive)
    #expect(state.register(2)?.value.text == "measured meanwhile")
    _ = state.merge(deletion(ben, 1, stamp: 20, seen: [Dot(site: ann, seq: 2)]))
    #expect(!state.isAlive)
    _ = state.merge(register(2, "written again", ann, 4, stamp: 30))
    #expect(state.isAlive)
  }

  @Test func `brings a deleted record back whole when it was edited meanwhile`() {
    var state = RecordState()
    _ = state.merge(creation(ann, 1, stamp: 10))
    _ = state.merge(register(1, "Lake", ann, 2, stamp: 10))
    _ = state.merge(deletion(ben, 1, stamp: 20, seen: [Dot(site: ann, seq: 2)]))
    #expect(!state.isAlive)
    _ = state.merge(register(2, "written meanwhile", ann, 3, stamp: 15))
    #expect(state.isAlive)
    #expect(state.register(1)?.value.text == "Lake")
    _ = state.merge(deletion(ben, 2, stamp: 30, seen: state.seen.entries))
    #expect(!state.isAlive)
    #expect(state.cells.filter { $0.merge == .deletion }.count == 1)
  }

  @Test func `keeps the first creator of a record`() {
    var state = RecordState()
    _ = state.merge(creation(ann, 1, stamp: 10))
    _ = state.merge(creation(cem, 1, stamp: 11))
    #expect(state.creation?.dot.site == ann)
  }
}

@Suite struct StampTests {
  @Test func `an edit made after seeing a value beats it, whatever the clocks say (guarantee 6)`() {
    var clock = HybridClock()
    let future = Stamp(milliseconds: 4_000_000_000_000)
    let stamp = clock.next(wallMilliseconds: 1_800_000_000_000, replacing: future, seq: 0)
    #expect(stamp > future)
  }

  @Test func `a bad clock poisons nothing`() {
    let wall: UInt64 = 1_800_000_000_000
    var clock = HybridClock()
    _ = clock.next(wallMilliseconds: wall, replacing: .none, seq: 0)
    clock.observe(Stamp(milliseconds: wall + 10 * 60_000), wallMilliseconds: wall)
    #expect(clock.next(wallMilliseconds: wall, replacing: .none, seq: 0).milliseconds == wall)
    clock.observe(Stamp(milliseconds: wall + 60_000), wallMilliseconds: wall)
    #expect(
      clock.next(wallMilliseconds: wall, replacing: .none, seq: 0).milliseconds == wall + 60_000)
    _ = clock.next(wallMilliseconds: wall, replacing: Stamp(milliseconds: wall * 2), seq: 0)
    #expect(
      clock.next(wallMilliseconds: wall + 1, replacing: .none, seq: 0).milliseconds <= wall + 60_000
    )
    var wrong = HybridClock(last: Stamp(milliseconds: wall * 2))
    #expect(wrong.next(wallMilliseconds: wall, replacing: .none, seq: 0).milliseconds == wall)
  }

  @Test func `transactions of a clock that was put back have stamps of their own`() {
    let wall: UInt64 = 1_800_000_000_000
    var clock = HybridClock()
    var given: Set<Stamp> = []
    let first = clock.next(wallMilliseconds: wall, replacing: .none, seq: 0)
    given.insert(first)
    given.insert(clock.next(wallMilliseconds: wall, replacing: first, seq: 1))
    // Years earlier each replaces what the first wrote, and then nothing; that time comes again.
    for seq in 2..<200 {
      let replaced = seq % 2 == 0 ? first : Stamp.none
      if seq % 50 == 0 { clock = HybridClock(last: first) }
      given.insert(
        clock.next(wallMilliseconds: wall / 2, replacing: replaced, seq: UInt64(seq)))
    }
    #expect(given.count == 200)
    let last = Stamp(rawValue: Stamp.limit.rawValue - 2)
    let stamp = clock.next(wallMilliseconds: wall, replacing: last, seq: 4095)
    #expect(stamp > last && stamp < Stamp.limit)
  }

  @Test func `two edits of what a clock far ahead wrote have stamps of their own`() {
    let wall: UInt64 = 1_800_000_000_000
    var clock = HybridClock()
    let first = Stamp(rawValue: Stamp(milliseconds: wall * 2).rawValue + 664)
    let second = Stamp(rawValue: first.rawValue + 1)
    // In the other order: the later one is replaced first.
    var given: Set<Stamp> = []
    for (replaced, seq) in [(second, 13), (first, 14), (second, 15), (first, 900)] {
      let stamp = clock.next(wallMilliseconds: wall, replacing: replaced, seq: UInt64(seq))
      #expect(stamp > replaced && stamp.rawValue - replaced.rawValue <= 4096)
      given.insert(stamp)
    }
    #expect(given.count == 4)
  }

  @Test func `never goes back and never repeats`() {
    var clock = HybridClock()
    var last = Stamp.none
    var random = Seeded(7)
    for _ in 0..<10_000 {
      let wall = 1_800_000_000_000 + UInt64.random(in: 0...50, using: &random)
      let stamp = clock.next(wallMilliseconds: wall, replacing: .none, seq: 0)
      #expect(stamp > last)
      last = stamp
    }
  }
}
