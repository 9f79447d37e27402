/// Makes uses of heartbeats. Durations come from the clock that nobody can set; the wall clock only
/// says where on the day they lie.
///
/// Between two heartbeats the program of the first had the focus: an agent brings one whenever that
/// changes, and otherwise at least one in each `Pace.heartbeat`. So a use is wrong by less than a
/// heartbeat, and only where a crash, a sleep or a stop cut it.
public struct Tracker: Sendable {
  /// How often there is a heartbeat, and from when on nobody is there. In milliseconds.
  public struct Pace: Sendable {
    /// The longest time between two.
    public var heartbeat: Int64
    /// Without input for so long, nobody is there. The time until then counts.
    public var idleAfter: Int64

    /// A pace.
    public init(heartbeat: Int64 = 15_000, idleAfter: Int64 = 120_000) {
      self.heartbeat = heartbeat
      self.idleAfter = idleAfter
    }
  }

  /// The pace of this device.
  public let pace: Pace
  private var next: Int
  private var last: Beat?
  private var open: Use?
  #if SEEDED_BUGS
    var bug: TrackerBug?
  #endif

  /// Begins after the uses that this device has kept: `next` is the number of the first new one.
  public init(pace: Pace = Pace(), next: Int = 1) {
    (self.pace, self.next) = (pace, next)
  }

  /// Takes a heartbeat, and gives the uses that are new or changed, in the order of their numbers.
  /// They are to be kept before the next.
  public mutating func take(_ beat: Beat) -> [Use] {
    var changed: [Use] = []
    if let last { credit(from: last, to: beat, &changed) }
    last = beat
    if open == nil, isPresent(beat) {
      begin(beat.program, at: beat.wall, beat.offset)
      keep(&changed)
    }
    return changed
  }

  /// The agent ends: the open use is closed after a last heartbeat.
  public mutating func stop(_ beat: Beat) -> [Use] {
    var changed = take(beat)
    close(.stopped, &changed)
    last = nil
    return changed
  }

  /// Gives the open use up, as it was deleted elsewhere: the next heartbeat begins another.
  public mutating func dropOpenUse() { open = nil }

  private func isPresent(_ beat: Beat) -> Bool {
    !beat.isLocked && (beat.idle < pace.idleAfter || seeded(.countsIdle))
  }

  /// Adds the time between two heartbeats to the open use, and ends it where something cut it.
  private mutating func credit(from last: Beat, to beat: Beat, _ changed: inout [Use]) {
    guard open != nil else { return }
    let isSameBoot = beat.bootID == last.bootID && beat.awake >= last.awake
    guard isSameBoot else { return close(.crash, &changed) }
    var awake = beat.awake.minus(last.awake)
    let asleep = max(0, beat.boot.minus(last.boot).minus(awake))
    if seeded(.countsSleep) { awake += asleep }
    if seeded(.trustsWall) { awake = max(0, beat.wall.minus(last.wall)) }
    let isGap = awake > 2 * pace.heartbeat
    // Nobody knows what was later than that.
    var present = seeded(.countsGaps) || seeded(.countsSleep) ? awake : min(awake, pace.heartbeat)
    let leaves = beat.idle >= pace.idleAfter && !seeded(.countsIdle)
    if leaves {
      // From the last input on they were there for `idleAfter`, and not since.
      present = min(present, max(0, awake.minus(beat.idle.minus(pace.idleAfter))))
    }
    add(present, &changed)
    let shift = beat.wall.minus(last.wall).minus(beat.boot.minus(last.boot))
    let isSet = shift.magnitude > 2000
    let ending: Use.Ending? =
      if asleep > 1000 && !seeded(.countsSleep) {
        .slept
      } else if isSet && !seeded(.trustsWall) && !seeded(.ignoresSetClock) {
        .clock
      } else if beat.offset != last.offset && !seeded(.ignoresZone) {
        .zone
      } else if isGap {
        .gap
      } else if beat.isLocked {
        .locked
      } else if leaves {
        .idle
      } else if beat.program != last.program {
        .program
      } else {
        nil
      }
    if let ending { close(ending, &changed) } else { keep(&changed) }
  }

  /// Adds a time to the open use, and begins another at each midnight that it passes.
  private mutating func add(_ time: Int64, _ changed: inout [Use]) {
    var left = time
    while let use = open, !seeded(.ignoresMidnight) {
      let end = use.start.plus(use.length)
      let start = Day.time(wall: use.start, offset: use.offset)
      let untilMidnight = max(0, Day.milliseconds - start - use.length)
      guard left >= untilMidnight else { break }
      open?.length += untilMidnight
      left -= untilMidnight
      close(.midnight, &changed)
      begin(use.program, at: end.plus(untilMidnight), use.offset)
    }
    open?.length += left
  }

  /// Whether a test has that bug switched on.
  private func seeded(_ bug: TrackerBug) -> Bool {
    #if SEEDED_BUGS
      self.bug == bug
    #else
      false
    #endif
  }

  private mutating func begin(_ program: String, at wall: Int64, _ offset: Int) {
    open = Use(number: next, program: program, start: wall, offset: offset)
    next += 1
  }

  private mutating func close(_ ending: Use.Ending, _ changed: inout [Use]) {
    open?.ending = ending
    keep(&changed)
    open = nil
  }

  private func keep(_ changed: inout [Use]) {
    guard let open else { return }
    changed.removeAll { $0.number == open.number }
    changed.append(open)
  }
}

/// A bug that a test switches on, and must catch.
enum TrackerBug: CaseIterable, Sendable {
  case countsSleep, countsIdle, countsGaps, trustsWall, ignoresMidnight, ignoresZone
  case ignoresSetClock
}
