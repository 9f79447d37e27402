#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The clock of a run, so that a test can have its own.
package struct RunClock: Sendable {
  /// Milliseconds since 1970.
  package var now: @Sendable () -> Int64
  /// Waits for this many milliseconds.
  package var sleep: @Sendable (Int64) -> Void

  package init(
    now: @escaping @Sendable () -> Int64, sleep: @escaping @Sendable (Int64) -> Void
  ) {
    self.now = now
    self.sleep = sleep
  }

  /// The machine's.
  package static let system = RunClock(
    now: {
      var time = timespec()
      clock_gettime(CLOCK_REALTIME, &time)
      return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    },
    sleep: { usleep(useconds_t(clamping: $0 * 1000)) })
}

/// The machine and the process, for the LOCKEDBY column.
enum Machine {
  static var name: String {
    var bytes = [CChar](repeating: 0, count: 256)
    guard gethostname(&bytes, bytes.count - 1) == 0 else { return "unknown" }
    return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
