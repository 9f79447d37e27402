/// A use where it belongs on the calendar.
public struct Placed: Sendable, Equatable {
  /// Which of the child's devices it is of.
  public var device: String
  /// Its record. A device that was put back to an earlier state uses numbers again.
  public var record: String
  /// The use itself.
  public var use: Use
  /// When it began, in milliseconds since 1970: as its device says, or as it arrived.
  public var start: Int64
  /// Whether its device's clock was ahead: it would have begun more than five minutes after it arrived
  /// somewhere else.
  public var isMarked: Bool

  /// Places a use that was first seen elsewhere at a moment, in milliseconds since 1970; nil where it was
  /// never elsewhere. Without a `record`, its number stands for that.
  public init(_ use: Use, of device: String, record: String? = nil, arrived: Int64?) {
    self.device = device
    self.record = record ?? "\(use.number)"
    self.use = use
    (start, isMarked) = Self.place(use.start, arrived: arrived)
  }

  /// A moment that a clock said, or that of its arrival where the clock was ahead; and whether it was.
  public static func place(_ moment: Int64, arrived: Int64?) -> (moment: Int64, isMarked: Bool) {
    guard let arrived, moment.minus(arrived) > ahead else { return (moment, false) }
    return (arrived, true)
  }

  /// The day it counts for.
  public var day: Day { Day(wall: start, offset: use.offset) }

  /// Clocks that differ by less, in milliseconds, are believed.
  public static let ahead: Int64 = 300_000
}
