#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Whether Ctrl-C was pressed, or the process was asked to end. The second time it ends at once.
enum StopSignal {
  // Written by the signal's handler and read between statements: a byte, which is written whole.
  nonisolated(unsafe) private static var isAsked: sig_atomic_t = 0

  static var wasSent: Bool { isAsked != 0 }

  static func watch() {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      signal(number) { number in
        StopSignal.isAsked = 1
        signal(number, SIG_DFL)
      }
    }
  }
}
