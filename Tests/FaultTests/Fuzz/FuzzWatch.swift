import Foundation
import Glibc
import Waiting

/// Knows which input is being read, and says it when that ends the process or never ends.
///
/// For a process of its own, in which one thread reads inputs.
struct FuzzWatch {
  /// What a signal's handler may look at: it may call almost nothing.
  private struct State {
    var seed: UInt64 = 0
    var round: UInt64 = 0
    var line: UnsafeMutablePointer<UInt8>
    var lineBytes = 0
  }

  /// For how long one input may be read: no promise of speed, but longer than any that ends.
  static let secondsMax: UInt64 = 30
  /// By how much one input may raise what the process holds.
  static let growthBytesMax = 64 << 20

  nonisolated(unsafe) private static var state = State(
    line: .allocate(capacity: 256))

  /// Begins to watch the inputs of a target. Each input may take `secondsMax`.
  static func begin(_ name: String, secondsMax: UInt64 = secondsMax) {
    let head = [UInt8]("\nfuzz: trap in \(name) at seed ")
    for (index, byte) in head.enumerated() { state.line[index] = byte }
    state.lineBytes = head.count
    for signal in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGABRT, SIGFPE] {
      Glibc.signal(signal) { number in
        FuzzWatch.writeSeed()
        Glibc.signal(number, SIG_DFL)
        raise(number)
      }
    }
    Thread.detachNewThread {
      var (round, since) = (UInt64.max, UInt64(0))
      while true {
        pause(for: .seconds(1), because: "an input is given seconds, and this counts them")
        if round != state.round { (round, since) = (state.round, 0) } else { since += 1 }
        guard since >= secondsMax else { continue }
        fail("hang in \(name) at seed \(state.seed)")
      }
    }
  }

  static func read(_ seed: UInt64) {
    state.seed = seed
    state.round &+= 1
  }

  /// Says what is wrong, and ends the process.
  static func fail(_ sentence: String) -> Never {
    FileHandle.standardError.write(Data("\nfuzz: \(sentence)\n".utf8))
    _exit(1)
  }

  /// The most that the process has held so far.
  ///
  /// `getrusage` is quick, and tells of the process that started this one where that held more: then the
  /// system's own file is read.
  static var peakBytes: Int { isParentLarger ? peakOfStatus : peakOfUsage }

  private static let isParentLarger = peakOfUsage > peakOfStatus + 1 << 20
  private static let status = open("/proc/self/status", O_RDONLY | O_CLOEXEC)

  private static var peakOfUsage: Int {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Int(usage.ru_maxrss) << 10
  }

  private static var peakOfStatus: Int {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 2_048) { text in
      text[max(0, pread(status, text.baseAddress, text.count - 1, 0))] = 0
      guard let start = text.baseAddress, let place = strstr(start, "VmHWM:") else { return 0 }
      return strtol(place + 6, nil, 10) << 10
    }
  }

  /// Has an allocation fail that is far beyond any input, so that it traps and is seen.
  static func limitMemory(toGrowBy bytes: Int) {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
      let pages = text.split(separator: " ").first.flatMap({ Int($0) })
    else { return }
    var limit = rlimit(
      rlim_cur: rlim_t(pages * Int(getpagesize()) + bytes), rlim_max: rlim_t.max)
    setrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit)
  }

  /// Writes the line with the seed's digits: no allocation, no lock.
  private static func writeSeed() {
    var digits: (UInt8, Int) = (0, 0)
    var seed = state.seed
    var divisor: UInt64 = 1
    while seed / divisor >= 10 { divisor *= 10 }
    while divisor > 0 {
      digits.0 = UInt8(truncatingIfNeeded: seed / divisor) + UInt8(ascii: "0")
      state.line[state.lineBytes + digits.1] = digits.0
      digits.1 += 1
      seed %= divisor
      divisor /= 10
    }
    state.line[state.lineBytes + digits.1] = UInt8(ascii: "\n")
    _ = write(2, state.line, state.lineBytes + digits.1 + 1)
  }
}
