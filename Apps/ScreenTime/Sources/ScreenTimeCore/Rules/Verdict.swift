/// How much is left for a program, here and now.
public struct Verdict: Sendable, Equatable {
  /// What is at its end first.
  public enum Reason: Sendable, Hashable {
    case day, category(String), rest(String)
  }

  /// Milliseconds; nil where nothing limits it.
  public var left: Int64?
  /// What limits it.
  public var reason: Reason?

  /// Nothing limits it.
  public init() {}

  /// Decides, at a moment in milliseconds since 1970, in a place `offset` seconds east of UTC.
  public init(
    for program: String, wall: Int64, offset: Int, limits: Limits, ledger: Ledger, grants: Grants
  ) {
    let day = Day(wall: wall, offset: offset)
    let category = limits.categories[program]
    for budget in limits.budgets where budget.category == nil || budget.category == category {
      guard let minutes = budget.minutes(on: day) else { continue }
      let more = grants.minutes(on: day, offset: offset, for: budget.category)
      let used = ledger.time(on: day) {
        budget.category == nil || limits.categories[$0] == budget.category
      }
      let left = max(0, Int64(minutes + more) * 60_000 - used)
      lower(to: left, budget.category.map { .category($0) } ?? .day)
    }
    for rest in limits.rests {
      guard let left = Self.left(until: rest, wall, offset, grants) else { continue }
      lower(to: left, .rest(rest.id))
    }
  }

  private mutating func lower(to other: Int64, _ reason: Reason) {
    if let left, left <= other { return }
    (left, self.reason) = (other, reason)
  }

  /// The time until a rest begins, 0 in it; nil where it does not begin within a day.
  private static func left(
    until rest: Limits.Rest, _ wall: Int64, _ offset: Int, _ grants: Grants
  ) -> Int64? {
    guard (0..<1440).contains(rest.from), (0..<1440).contains(rest.to) else { return nil }
    let midnight = wall.minus(Day.time(wall: wall, offset: offset))
    let today = Day(wall: wall, offset: offset)
    let length = Int64((rest.to - rest.from + 1440) % 1440)
    guard length > 0 else { return nil }
    func isOn(_ day: Day) -> Bool { rest.weekdays & (1 << day.weekday) != 0 }
    for shift in -1...1 {
      let day = Day(number: today.number + shift)
      guard isOn(day) else { continue }
      let start = midnight.plus(Int64(shift) * Day.milliseconds).plus(Int64(rest.from) * 60_000)
      let end = start.plus(length * 60_000)
      guard wall < end else { continue }
      // What was granted since the last one ended is for this one.
      let isDaily = isOn(Day(number: day.number - 1))
      let since = start.minus(Day.milliseconds).plus(isDaily ? length * 60_000 : 0)
      let begins = grants.until(rest: rest.id, from: start, to: end, since: since)
      guard begins < end else { continue }
      let left = max(0, begins.minus(wall))
      return left < Day.milliseconds ? left : nil
    }
    return nil
  }
}
