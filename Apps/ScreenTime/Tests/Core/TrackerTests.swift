import Testing

@testable import ScreenTimeCore

@Suite struct TrackerTests {
  /// Seconds after 2025-11-08 18:00 in UTC, on a machine that has run for a while.
  static func beat(
    _ second: Int64, _ program: String = "editor", idle: Int64 = 0, locked: Bool = false,
    asleep: Int64 = 0, set: Int64 = 0, offset: Int = 0, boot: UInt64 = 1
  ) -> Beat {
    Beat(
      wall: 1_762_624_800_000 + (second + set) * 1000, awake: (10_000 + second - asleep) * 1000,
      boot: (10_000 + second) * 1000, bootID: boot, offset: offset, program: program,
      idle: idle * 1000, isLocked: locked)
  }

  /// The uses after these heartbeats, in short: "editor 10 program".
  static func uses(_ beats: [Beat]) -> [String] {
    var tracker = Tracker()
    var kept: [Int: Use] = [:]
    for beat in beats { for use in tracker.take(beat) { kept[use.number] = use } }
    return kept.values.sorted { $0.number < $1.number }
      .map { "\($0.program) \($0.length / 1000) \($0.ending.rawValue)" }
  }

  @Test func `a use is known at once, and grows with each heartbeat`() {
    var tracker = Tracker()
    #expect(tracker.take(Self.beat(0)).map(\.length) == [0])
    #expect(tracker.take(Self.beat(15)).map(\.length) == [15_000])
    let changed = tracker.take(Self.beat(20, "game"))
    #expect(changed.map(\.number) == [1, 2])
    #expect(changed.map(\.ending) == [.program, .open])
    #expect(changed[1].start == changed[0].start + changed[0].length)
  }

  @Test func `the time until somebody counts as away is counted, and no more`() {
    let uses = Self.uses(
      [Self.beat(0), Self.beat(15, idle: 15)]
        + (2...9).map { Self.beat($0 * 15, idle: $0 * 15) } + [Self.beat(200, idle: 0)])
    #expect(uses == ["editor 120 idle", "editor 0 open"])
  }

  @Test func `a sleep, a lock, a set clock and another zone each end a use`() {
    #expect(
      Self.uses([Self.beat(0), Self.beat(10), Self.beat(3620, asleep: 3600)])
        == ["editor 20 slept", "editor 0 open"])
    #expect(
      Self.uses([Self.beat(0), Self.beat(10, locked: true), Self.beat(20, locked: true)])
        == ["editor 10 locked"])
    #expect(
      Self.uses([Self.beat(0), Self.beat(10, set: 99_999_999)])
        == ["editor 10 clock", "editor 0 open"])
    #expect(
      Self.uses([Self.beat(0), Self.beat(10, offset: 3600)]) == ["editor 10 zone", "editor 0 open"])
  }

  @Test func `midnight divides a use to the millisecond`() {
    // 18:00 in UTC is four seconds before midnight here.
    let offset = 6 * 3600 - 4
    #expect(
      Self.uses([Self.beat(0, offset: offset), Self.beat(10, offset: offset)])
        == ["editor 4 midnight", "editor 6 open"])
  }

  @Test func `a machine that starts again, and an agent that was held, cost a heartbeat at most`() {
    #expect(
      Self.uses([Self.beat(0), Self.beat(14), Self.beat(20, boot: 2)])
        == ["editor 14 crash", "editor 0 open"])
    #expect(
      Self.uses([Self.beat(0), Self.beat(5000)]) == ["editor 15 gap", "editor 0 open"])
  }

  @Test func `clocks that say anything at all end nothing but a use`() {
    let extremes: [Int64] = [.min, -1, 0, 1, 86_399_999, .max]
    var tracker = Tracker()
    var count = 0
    for wall in extremes {
      for awake in extremes {
        for boot in extremes {
          for offset in [Int.min, -1, 0, Int.max] {
            let idle = extremes[count % extremes.count]
            count +=
              tracker.take(
                Beat(
                  wall: wall, awake: awake, boot: boot, bootID: 1, offset: offset, program: "",
                  idle: idle)
              ).count
          }
        }
      }
    }
    #expect(count > 100)
  }

  @Test func `a day of the calendar is that of its place`() {
    #expect(Day(wall: 0, offset: 0).weekday == 3)
    #expect(Day(wall: -1, offset: 0).number == -1)
    #expect(Day(wall: -1, offset: 0).weekday == 2)
    #expect(Day(wall: 86_399_999, offset: 1).number == 1)
    #expect(Day.time(wall: 86_399_000, offset: 1) == 0)
    #expect(Day(number: -8).weekday == 2)
  }

  @Test func `a use of a clock years ahead is marked, and counts where it arrived`() {
    let use = Use(number: 1, program: "game", start: 9_000_000_000_000, offset: 0, length: 60_000)
    let arrived: Int64 = 1_762_624_800_000
    let placed = Placed(use, of: "desk", arrived: arrived)
    #expect(placed.isMarked && placed.day == Day(wall: arrived, offset: 0))
    #expect(!Placed(use, of: "desk", arrived: nil).isMarked)
    // What began before it arrived is true however long it goes on.
    let long = Use(number: 1, program: "game", start: arrived, offset: 0, length: 36_000_000)
    #expect(!Placed(long, of: "desk", arrived: arrived + 1000).isMarked)
    // A clock that is a little ahead is believed.
    #expect(!Placed(long, of: "desk", arrived: arrived - 300_000).isMarked)
    #expect(Placed(long, of: "desk", arrived: arrived - 300_001).isMarked)
  }

  @Test func `a clock that is ahead is known by the newest use, until it is set`() {
    let (hour, now) = (3_600_000 as Int64, 1_780_000_000_000 as Int64)
    func skew(_ uses: (start: Int64, arrived: Int64?, Use.Ending)...) -> Int64 {
      var ledger = Ledger()
      for (index, (start, arrived, ending)) in uses.enumerated() {
        let use = Use(
          number: index + 1, program: "game", start: now + start, offset: 0, length: 60_000,
          ending: ending)
        ledger.take(Placed(use, of: "desk", arrived: arrived.map { now + $0 }))
      }
      #expect(ledger.skew(of: "lap") == 0)
      return ledger.skew(of: "desk")
    }
    #expect(skew() == 0)
    #expect(skew((0, nil, .open)) == 0)
    #expect(skew((hour, 0, .open)) == hour)
    // The newest one did not arrive yet.
    #expect(skew((hour, 0, .program), (hour + 60_000, nil, .open)) == hour)
    // The clock was set meanwhile, or while the agent did not run.
    #expect(skew((hour, 0, .clock), (60_000, nil, .open)) == 0)
    #expect(skew((hour, 0, .crash), (60_000, nil, .open)) == 0)
    #expect(skew((hour, 0, .program), (hour, nil, .program), (hour, nil, .open)) == 0)
  }
}
