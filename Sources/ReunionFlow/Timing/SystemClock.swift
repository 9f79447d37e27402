import Dispatch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The clock of the machine: one timer of the operating system for all alarms of the process.
///
/// ```swift
/// let late = Countdown(after: .seconds(30), clock: .system) { print("Still nothing.") }
/// print(SystemClock.shared.wallMilliseconds / 1000, "seconds since 1970")
/// ```
///
/// *Thread*: any. Actions run one at a time on one serial queue of the clock's own: an action that
/// takes long delays the ones behind it, so start work there and do not do it there.
/// *Cost*: scheduling and cancelling are O(log n) over a heap and hold nothing after a cancel.
public final class SystemClock: FlowClock {
  /// The one system clock of the process.
  public static let shared = SystemClock()

  /// What waits on this clock, in nanoseconds since the machine started, less the time it slept.
  public let timeline: FlowTimeline

  private init() {
    let timer = WakeTimer()
    let timeline = FlowTimeline(timer)
    self.timeline = timeline
    timer.start {
      while let due = timeline.takeDue(by: timeline.now) { due.run() }
      timeline.wakeAgain()
    }
  }

  /// The time of day in milliseconds since 1970 UTC, as the operating system has it.
  public var wallMilliseconds: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let milliseconds = Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    return UInt64(clamping: milliseconds)
  }
}

/// The timer of the operating system, which goes off at the earliest moment that it was set to.
final class WakeTimer: Sendable {
  private let state: Lock<(source: any DispatchSourceTimer, armed: Moment?)>

  init() {
    let queue = DispatchQueue(label: "reunion.clock")
    state = Lock((DispatchSource.makeTimerSource(queue: queue), nil))
  }

  /// The time line of `DispatchTime`.
  var now: Moment {
    #if canImport(Darwin)
      Moment(nanoseconds: Int64(clamping: clock_gettime_nsec_np(CLOCK_UPTIME_RAW)))
    #else
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return Moment(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    #endif
  }

  func start(_ fired: @escaping @Sendable () -> Void) {
    state.withLock { timer in
      timer.source.setEventHandler { [self] in
        state.withLock { $0.armed = nil }
        fired()
      }
      timer.source.activate()
    }
  }

  /// Sets it, unless it goes off by then anyway and will look again.
  func set(_ moment: Moment) {
    state.withLock { state in
      if let armed = state.armed, armed <= moment { return }
      state.armed = moment
      let nanoseconds = UInt64(clamping: moment.nanoseconds)
      state.source.schedule(
        deadline: DispatchTime(uptimeNanoseconds: nanoseconds), leeway: .nanoseconds(0))
    }
  }
}

extension FlowClock where Self == SystemClock {
  /// The one system clock of the process.
  public static var system: SystemClock { .shared }
}
