#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The CPU time that this process has used, in milliseconds.
func cpuMilliseconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
}

/// Times of one kind, in milliseconds.
struct Times {
  private var all: [Double] = []

  mutating func add<Value>(_ body: () throws -> Value) rethrows -> Value {
    let start = cpuMilliseconds()
    defer { all.append(cpuMilliseconds() - start) }
    return try body()
  }

  /// "mean 1.250, p95 2.100, most 3.000 ms of CPU"
  var line: String {
    let sorted = all.sorted()
    guard let most = sorted.last else { return "none" }
    let mean = sorted.reduce(0, +) / Double(sorted.count)
    let p95 = sorted[(sorted.count - 1) * 95 / 100]
    return "mean \(said(mean)), p95 \(said(p95)), most \(said(most)) ms of CPU"
  }

  private func said(_ value: Double) -> String {
    let thousandths = Int((value * 1000).rounded())
    return "\(thousandths / 1000)." + "\(thousandths % 1000 + 1000)".dropFirst()
  }
}
