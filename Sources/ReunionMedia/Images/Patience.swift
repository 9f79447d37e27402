#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How long a host waits for its worker: while that one computes, and not longer than `span` while it does not.
///
/// Computing is what a picture costs, and the worker itself bounds it. Where others keep the processor busy, a picture
/// takes longer by no fault of its own; a worker that hangs computes nothing. For one thread at a time.
final class Patience {
  /// A host waits at most this many spans, even for a worker that goes on.
  static let spansMax = 10

  private let span: UInt64
  private let now: () -> UInt64
  /// Nanoseconds that the worker has computed; nil where the system does not tell.
  private let computed: () -> UInt64?
  private let end: UInt64
  private var deadline: UInt64
  private var last: UInt64?

  /// Begins to wait. `now` is in nanoseconds of a clock that only goes forward.
  init(
    seconds: Int, now: @escaping () -> UInt64 = Patience.monotonic,
    computed: @escaping () -> UInt64?
  ) {
    // Half a year at most, so that ten of them are a number.
    span = UInt64(min(max(1, seconds), 1 << 24)) * 1_000_000_000
    self.now = now
    self.computed = computed
    let began = now()
    end = began + UInt64(Self.spansMax) * span
    deadline = began + span
    last = computed()
  }

  /// For how many nanoseconds to wait before the next look; 0 where the wait is over.
  func left() -> UInt64 {
    let now = now()
    if now >= deadline, now < end, let computed = computed(), last.map({ $0 < computed }) ?? false {
      last = computed
      deadline = min(now + span, end)
    }
    return deadline > now ? deadline - now : 0
  }

  /// Waits for another process.
  convenience init(seconds: Int, of process: pid_t) {
    self.init(seconds: seconds) { Self.computed(by: process) }
  }

  static func monotonic() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return nanoseconds(time)
  }

  private static func computed(by process: pid_t) -> UInt64? {
    #if canImport(Glibc)
      var clock = clockid_t()
      var time = timespec()
      guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
        return nil
      }
      return nanoseconds(time)
    #else
      return nil
    #endif
  }

  private static func nanoseconds(_ time: timespec) -> UInt64 {
    UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
