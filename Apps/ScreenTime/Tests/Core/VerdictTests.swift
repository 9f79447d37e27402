import Testing

@testable import ScreenTimeCore

@Suite struct VerdictTests {
  /// 2025-11-08, a Saturday, 18:00 in UTC.
  static let now: Int64 = 1_762_624_800_000
  static let minute: Int64 = 60_000

  static func ledger(_ uses: (String, Int64, Int64)...) -> Ledger {
    var ledger = Ledger()
    for (index, (program, before, minutes)) in uses.enumerated() {
      let use = Use(
        number: index + 1, program: program, start: now - before * minute, offset: 0,
        length: minutes * minute, ending: .program)
      ledger.take(Placed(use, of: "desk", arrived: nil))
    }
    return ledger
  }

  static func left(
    _ program: String, _ limits: Limits, _ ledger: Ledger = Ledger(), _ grants: [Grant] = [],
    after minutes: Int64 = 0
  ) -> String {
    var all = Grants()
    for grant in grants { all.take(grant) }
    let verdict = Verdict(
      for: program, wall: now + minutes * minute, offset: 0, limits: limits, ledger: ledger,
      grants: all)
    guard let left = verdict.left, let reason = verdict.reason else { return "no limit" }
    return "\(left / minute) min, \(reason)"
  }

  static let limits = Limits(
    budgets: [
      .init(minutes: [120, 120, 120, 120, 120, 180, 180]),
      .init(category: "games", minutes: [0, 0, 0, 0, 30, 60, 60]),
    ],
    rests: [.init(id: "night", from: 20 * 60 + 30, to: 7 * 60)],
    categories: ["chess": "games", "racer": "games"])

  @Test func `the budget that is at its end first decides`() {
    let ledger = Self.ledger(("racer", 200, 50), ("editor", 150, 100))
    #expect(Self.left("editor", Self.limits, ledger) == "30 min, day")
    #expect(Self.left("chess", Self.limits, ledger) == "10 min, category(\"games\")")
    #expect(Self.left("chess", Limits(), ledger) == "no limit")
    #expect(Self.left("editor", Limits(budgets: [.init(minutes: [])])) == "no limit")
    #expect(
      Self.left("chess", Limits(budgets: [.init(minutes: Array(repeating: -5, count: 7))]))
        == "0 min, day")
  }

  @Test func `a rest begins when it was said, and ends on the next day`() {
    #expect(Self.left("editor", Self.limits) == "150 min, rest(\"night\")")
    #expect(Self.left("editor", Self.limits, after: 149) == "1 min, rest(\"night\")")
    #expect(Self.left("editor", Self.limits, after: 200) == "0 min, rest(\"night\")")
    #expect(Self.left("editor", Self.limits, after: 13 * 60 - 1) == "0 min, rest(\"night\")")
    #expect(Self.left("editor", Self.limits, after: 13 * 60) == "180 min, day")
    var weekdays = Self.limits
    weekdays.rests[0].weekdays = 0b0011111
    #expect(Self.left("editor", weekdays) == "180 min, day")
    weekdays.rests[0].from = 99_999
    #expect(Self.left("editor", weekdays) == "180 min, day")
  }

  @Test func `two answers to one request are one, and gifts add up`() {
    let used = Self.ledger(("racer", 200, 60))
    let (ada, bo) = (
      Grant(id: "a", request: "r", target: .category("games"), minutes: 15, at: Self.now),
      Grant(id: "b", request: "r", target: .category("games"), minutes: 20, at: Self.now + 5)
    )
    let gift = Grant(id: "c", target: .day, minutes: 7, at: Self.now)
    #expect(Self.left("racer", Self.limits, used) == "0 min, category(\"games\")")
    for order in [[ada, bo], [bo, ada], [ada, bo, ada, ada]] {
      #expect(Self.left("racer", Self.limits, used, order) == "20 min, category(\"games\")")
      #expect(Self.left("racer", Self.limits, used, order + [gift]).hasPrefix("27 min"))
    }
  }

  @Test func `an answer after midnight counts for the new day, and a slow clock loses none`() {
    let midnight = Self.now + 6 * 60 * Self.minute
    let late = Grant(
      id: "a", request: "r", target: .day, minutes: 15, at: midnight + 180_000,
      asked: midnight - 120_000)
    #expect(late.day(0) == Day(wall: midnight, offset: 0))
    let slow = Grant(
      id: "a", request: "r", target: .day, minutes: 15, at: 0, asked: midnight - 120_000)
    #expect(slow.day(0) == Day(wall: Self.now, offset: 0))
  }

  @Test func `fifteen minutes after a rest began are counted from the answer`() {
    let before = Grant(id: "a", target: .rest("night"), minutes: 15, at: Self.now)
    #expect(Self.left("editor", Self.limits, Ledger(), [before]) == "165 min, rest(\"night\")")
    let after = Grant(
      id: "b", target: .rest("night"), minutes: 15, at: Self.now + 180 * Self.minute)
    let limits = Limits(rests: Self.limits.rests)
    #expect(Self.left("editor", limits, Ledger(), [after], after: 185) == "10 min, rest(\"night\")")
    #expect(Self.left("editor", limits, Ledger(), [after], after: 196) == "0 min, rest(\"night\")")
    // It moves no budget, and no rest of another night.
    #expect(
      Self.left("editor", limits, Ledger(), [after], after: 1440) == "150 min, rest(\"night\")")
  }

  @Test func `what is given in the morning puts off the rest of the evening, and no other`() {
    let night = Limits(rests: Self.limits.rests)
    func given(_ hours: Int64) -> [Grant] {
      [Grant(id: "a", target: .rest("night"), minutes: 15, at: Self.now + hours * 60 * Self.minute)]
    }
    // At 8:00 and 7:00 of this day, and at 6:00 in the night before.
    for (hours, left) in [(-10, 165), (-11, 165), (-12, 150)] as [(Int64, Int)] {
      #expect(Self.left("editor", night, Ledger(), given(hours)) == "\(left) min, rest(\"night\")")
    }
    // Where the night before has none, a day before it begins.
    var saturdays = night
    saturdays.rests[0].weekdays = 0b0100000
    for (hours, left) in [(-12, 165), (-21, 165), (-22, 150)] as [(Int64, Int)] {
      #expect(
        Self.left("editor", saturdays, Ledger(), given(hours)) == "\(left) min, rest(\"night\")")
    }
    // It is told of, and may be asked for, as long as that.
    #expect(Self.left("editor", saturdays, after: 150 - 1439) == "1439 min, rest(\"night\")")
    #expect(Self.left("editor", saturdays, after: 150 - 1440) == "no limit")
  }

  @Test func `two uses with one number, as after a backup, both count`() {
    var ledger = Ledger()
    for (record, before) in [("a", 60), ("b", 30), ("b", 30)] as [(String, Int64)] {
      let use = Use(
        number: 1, program: "game", start: Self.now - before * Self.minute, offset: 0,
        length: 10 * Self.minute, ending: .program)
      ledger.take(Placed(use, of: "desk", record: record, arrived: nil))
    }
    #expect(ledger.time(on: Day(wall: Self.now, offset: 0)) == 20 * Self.minute)
  }

  @Test func `it warns at five minutes and at none, again after a grant and after a return`() {
    var warner = Warner()
    func say(_ minutes: Int64?, _ reason: Verdict.Reason = .day, present: Bool = true)
      -> Warner.Warning?
    {
      var verdict = Verdict()
      verdict.left = minutes.map { $0 * Self.minute }
      verdict.reason = minutes.map { _ in reason }
      return warner.take(verdict, isPresent: present)
    }
    #expect(say(6) == nil)
    #expect(say(5) == .fiveMinutes)
    #expect(say(4) == nil)
    // Another program that nothing limits, and back.
    #expect(say(nil) == nil)
    #expect(say(3) == nil)
    #expect(say(0) == Warner.Warning.none)
    #expect(say(0) == nil)
    #expect(say(0, .rest("night")) == Warner.Warning.none)
    #expect(say(0, present: false) == nil)
    #expect(say(0) == Warner.Warning.none)
    #expect(say(15) == nil)
    #expect(say(5) == .fiveMinutes)
    #expect(say(0) == Warner.Warning.none)
    #expect(say(4) == nil)
    #expect(say(0) == Warner.Warning.none)
  }
}
