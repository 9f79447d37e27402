/// What a family agreed on for a child. Each part is a record, and several may have been made apart.
public struct Limits: Sendable, Equatable {
  /// So much a day, of one category or of everything.
  public struct Budget: Sendable, Equatable {
    /// The category; nil is everything.
    public var category: String?
    /// Minutes, 0 to 1440, for each weekday from Monday.
    public var minutes: [Int]

    /// A budget.
    public init(category: String? = nil, minutes: [Int]) {
      (self.category, self.minutes) = (category, minutes)
    }

    /// The minutes of a day; nil where nothing was said.
    func minutes(on day: Day) -> Int? {
      minutes.indices.contains(day.weekday) ? min(max(minutes[day.weekday], 0), 1440) : nil
    }
  }

  /// A time of rest, such as the night.
  public struct Rest: Sendable, Equatable {
    /// Its record.
    public var id: String
    /// Minutes since midnight, 0 to 1439. Where it ends before it begins, it ends on the next day.
    public var from: Int
    /// When it ends, as `from` is counted.
    public var to: Int
    /// On which weekdays it begins, from Monday, one bit each.
    public var weekdays: Int

    /// A rest.
    public init(id: String, from: Int, to: Int, weekdays: Int = 127) {
      (self.id, self.from, self.to, self.weekdays) = (id, from, to, weekdays)
    }
  }

  /// All budgets hold; the one that is at its end first decides.
  public var budgets: [Budget]
  /// All rests hold.
  public var rests: [Rest]
  /// The category of each program that has one.
  public var categories: [String: String]

  /// What was agreed on.
  public init(budgets: [Budget] = [], rests: [Rest] = [], categories: [String: String] = [:]) {
    (self.budgets, self.rests, self.categories) = (budgets, rests, categories)
  }
}

/// What a child asks for more of.
public enum Target: Sendable, Hashable {
  /// The budget of everything, and those of all categories.
  case day
  /// The budget of a category; that of everything gives as much.
  case category(String)
  /// Time after a rest has begun.
  case rest(String)
}

/// “15 minutes more”, as a parent granted them.
public struct Grant: Sendable, Equatable {
  /// Its record.
  public var id: String
  /// The request that it answers; empty if nobody asked.
  public var request: String
  /// What it is more of.
  public var target: Target
  /// How many minutes more; none where it is not above zero, and 1,440 at most.
  public var minutes: Int
  /// When it was granted, in milliseconds since 1970; placed as uses are (`Placed.place`).
  public var at: Int64
  /// When it was asked for, placed in the same way; `at` if nobody asked.
  public var asked: Int64

  /// A grant.
  public init(
    id: String, request: String = "", target: Target, minutes: Int, at: Int64, asked: Int64? = nil
  ) {
    (self.id, self.request, self.target) = (id, request, target)
    (self.minutes, self.at, self.asked) = (minutes, at, asked ?? at)
  }

  /// The day it counts for, at an offset in seconds: that of the answer, if it came after midnight.
  func day(_ offset: Int) -> Day { Day(wall: max(at, asked), offset: offset) }
}
