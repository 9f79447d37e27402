import Foundation

/// The CPU time of a process so far, of all its threads, in milliseconds.
func cpuMilliseconds(of process: pid_t) throws -> Double {
  var clock = clockid_t()
  var time = timespec()
  guard clock_getcpuclockid(process, &clock) == 0, clock_gettime(clock, &time) == 0 else {
    throw CocoaError(.fileReadNoSuchFile)
  }
  return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
}
