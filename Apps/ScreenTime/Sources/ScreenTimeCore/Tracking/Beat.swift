/// What an agent sees at one moment. All times are in milliseconds.
public struct Beat: Sendable, Equatable {
  /// Since 1970 in UTC, by a clock that anybody may set.
  public var wall: Int64
  /// Since the machine started, without the time that it slept.
  public var awake: Int64
  /// Since the machine started, with it.
  public var boot: Int64
  /// Which start of the machine that is: a number that another start does not have.
  public var bootID: UInt64
  /// Seconds east of UTC here and now.
  public var offset: Int
  /// What has the focus; empty where that cannot be seen.
  public var program: String
  /// Since the last input of a person.
  public var idle: Int64
  /// Whether the screen is locked, or somebody else sits at the machine.
  public var isLocked: Bool

  /// A moment.
  public init(
    wall: Int64, awake: Int64, boot: Int64, bootID: UInt64, offset: Int, program: String,
    idle: Int64 = 0, isLocked: Bool = false
  ) {
    self.wall = wall
    self.awake = awake
    self.boot = boot
    self.bootID = bootID
    self.offset = offset
    self.program = program
    self.idle = idle
    self.isLocked = isLocked
  }
}
