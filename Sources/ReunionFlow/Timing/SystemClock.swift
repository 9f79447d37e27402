import Dispatch

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The clock of the machine: one timer of the operating system for all alarms of the process.
///
/// *Thread*: any. Actions run one at a time on one serial queue of the clock's own: an action that
/// takes long delays the ones behind it, so start work there and do not do it there.
/// *Cost*: scheduling and cancelling are O(log n) over a heap and hold nothing after a cancel.
public final class SystemClock: FlowClock {
  /// The one system clock of the process.
  public static let shared = SystemClock()

  private let alarms = AlarmQueue()
  private let timer: Lock<(source: any DispatchSourceTimer, armed: Moment?)>

  private init() {
    let source = DispatchSource.makeTimerSource(queue: DispatchQueue(label: "reunion.clock"))
    timer = Lock((source, nil))
    source.setEventHandler { [weak self] in self?.fire() }
    source.activate()
  }

  /// The time since the machine started, without the time that it slept.
  public var now: Moment {
    Moment(nanoseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds))
  }

  /// The time of day in milliseconds since 1970 UTC, as the operating system has it.
  public var wallMilliseconds: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    let milliseconds = Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    return UInt64(clamping: milliseconds)
  }

  /// Runs an action on the clock's queue at a moment; see `FlowClock.schedule(at:_:)`.
  public func schedule(
    at moment: Moment, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let (alarm, isFirst) = alarms.add(at: moment, action)
    if isFirst { arm() }
    return alarm
  }

  private func fire() {
    timer.withLock { $0.armed = nil }
    while let due = alarms.takeDue(by: now) { due.action() }
    arm()
  }

  /// Sets the timer to the first alarm, unless it goes off by then anyway and will look again.
  private func arm() {
    timer.withLock { timer in
      guard let first = alarms.firstMoment else { return }
      if let armed = timer.armed, armed <= first { return }
      timer.armed = first
      let nanoseconds = UInt64(clamping: first.nanoseconds)
      timer.source.schedule(
        deadline: DispatchTime(uptimeNanoseconds: nanoseconds), leeway: .nanoseconds(0))
    }
  }
}

extension FlowClock where Self == SystemClock {
  /// The one system clock of the process.
  public static var system: SystemClock { .shared }
}
