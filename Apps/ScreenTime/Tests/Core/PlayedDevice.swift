@testable import ScreenTimeCore

/// A machine, its person and its agent, in true time. What was really used is summed up beside the agent,
/// from the state of the world alone.
struct PlayedDevice {
  /// What was really used in one stretch.
  struct Truth {
    var program: String
    /// When it began, in true time, and by the device's clock.
    var start: Int64
    var shown: Int64
    var offset: Int
    var length: Int64
  }

  let name: String
  let pace: Tracker.Pace
  let bug: TrackerBug?
  var program = "editor"
  /// Wall clock minus true time.
  var shift: Int64 = 0
  var offset: Int
  var boot: Int64 = 1_000_000
  var awake: Int64 = 1_000_000
  var bootID: UInt64 = 1
  /// Since when nobody touches it, on the clock `awake`; nil while somebody does.
  var awaySince: Int64?
  var isLocked = false
  var isAsleep = false
  var isStopped = false
  var tracker: Tracker?
  var nextBeat: Int64 = 0
  /// What the agent has kept, which a crash leaves.
  var kept: [Int: Use] = [:]
  var truth: [Truth] = []
  /// The use of the last stretch cannot go on: something cut it.
  var isCut = true

  init(_ name: String, pace: Tracker.Pace, offset: Int, bug: TrackerBug?) {
    (self.name, self.pace, self.offset, self.bug) = (name, pace, offset, bug)
  }

  var idle: Int64 { awaySince.map { awake - $0 } ?? 0 }
  private var isWatched: Bool { !isAsleep && !isStopped && tracker != nil }
  private var isUsed: Bool { isWatched && !isLocked && idle < pace.idleAfter }

  /// How long nothing changes by itself, at most.
  func calm(at now: Int64) -> Int64 {
    var calm: Int64 = 3_600_000
    if isWatched { calm = min(calm, max(nextBeat - now, 1)) }
    if isUsed {
      if awaySince != nil { calm = min(calm, pace.idleAfter - idle) }
      calm = min(calm, Day.milliseconds - Day.time(wall: now + shift, offset: offset))
    }
    return calm
  }

  /// Lets time pass in which nothing changes by itself.
  mutating func pass(_ time: Int64, from now: Int64) {
    if isUsed { note(time, now) } else { isCut = true }
    boot += time
    if !isAsleep { awake += time }
  }

  private mutating func note(_ time: Int64, _ now: Int64) {
    let shown = now + shift
    if !isCut, let last = truth.last, last.program == program, last.offset == offset,
      last.shown + last.length == shown,
      Day(wall: last.shown, offset: offset) == Day(wall: shown, offset: offset)
    {
      truth[truth.count - 1].length += time
    } else {
      truth.append(
        Truth(program: program, start: now, shown: shown, offset: offset, length: time))
    }
    isCut = false
  }

  private func look(at now: Int64) -> Beat {
    Beat(
      wall: now + shift, awake: awake, boot: boot, bootID: bootID, offset: offset,
      program: program, idle: idle, isLocked: isLocked)
  }

  /// The agent looks, if it runs.
  mutating func beat(at now: Int64) {
    guard isWatched, var tracker else { return }
    keep(tracker.take(look(at: now)))
    self.tracker = tracker
    // While somebody is away, it looks more often. It also looks at the moment from which they
    // count as away.
    let away = idle >= pace.idleAfter || isLocked
    var wait = away ? min(2000, pace.heartbeat) : pace.heartbeat
    if awaySince != nil, !away { wait = min(wait, pace.idleAfter - idle) }
    nextBeat = now + wait
  }

  private mutating func keep(_ uses: [Use]) { for use in uses { kept[use.number] = use } }

  /// The agent starts behind what it has kept.
  mutating func start(at now: Int64) {
    for (number, use) in kept { kept[number] = use.closedAfterCrash() }
    tracker = Tracker(pace: pace, next: (kept.keys.max() ?? 0) + 1)
    tracker?.bug = bug
    beat(at: now)
  }

  /// The agent ends as it is asked to.
  mutating func stop(at now: Int64) {
    if isWatched, var tracker { keep(tracker.stop(look(at: now))) }
    tracker = nil
  }
}
