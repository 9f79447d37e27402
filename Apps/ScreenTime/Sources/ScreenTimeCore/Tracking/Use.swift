/// One stretch of use: a program had the focus, and a person was there. It lies within one day.
public struct Use: Sendable, Equatable {
  /// Why it ended.
  public enum Ending: String, Sendable, CaseIterable {
    /// It goes on, as far as is known.
    case open
    case program, idle, locked, slept, midnight
    /// Another zone, or summer time began or ended.
    case zone
    /// The clock was set.
    case clock
    /// The agent or the machine ended without a word. At most a heartbeat of it is lost.
    case crash
    /// The agent was stopped for longer than two heartbeats. At most one of them is counted.
    case gap
    /// The agent ended as it was asked to.
    case stopped
  }

  /// Counts the uses of one device, from 1. The order in which they happened, whatever clocks say.
  public let number: Int
  /// What had the focus; empty where that cannot be seen.
  public let program: String
  /// When it began by the device's clock, in milliseconds since 1970.
  public let start: Int64
  /// Seconds east of UTC, there and then.
  public let offset: Int
  /// How long it lasted so far, in milliseconds of a clock that nobody can set.
  public internal(set) var length: Int64
  /// Why it ended, or that it goes on.
  public internal(set) var ending: Ending

  /// A use as it is kept.
  public init(
    number: Int, program: String, start: Int64, offset: Int, length: Int64 = 0,
    ending: Ending = .open
  ) {
    self.number = number
    self.program = program
    self.start = start
    self.offset = offset
    self.length = length
    self.ending = ending
  }

  /// A use that an agent left open when it crashed: it ends where it was last seen, and nothing is added.
  public func closedAfterCrash() -> Use {
    var use = self
    if use.ending == .open { use.ending = .crash }
    return use
  }
}
