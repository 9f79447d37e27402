import CAllocations
import Foundation

/// Measures in CPU time, since the machine may be busy with other things.
package enum Measure {
  /// Which CPU time counts: this thread's, or that of all threads of the process.
  package enum Scope { case thread, process }

  /// The CPU nanoseconds of ours and of a peer for one operation. Each closure does `operations` of
  /// them. They are medians over rounds in which both run in turn, after one round to warm up.
  package static func pair(
    operations: Int, rounds: Int = 9, scope: Scope = .process,
    ours: () throws -> Void, peer: () throws -> Void
  ) rethrows -> (ours: Double, peer: Double) {
    try ours()
    try peer()
    var own: [Double] = []
    var others: [Double] = []
    for _ in 0..<rounds {
      own.append(try nanoseconds(scope, ours) / Double(operations))
      others.append(try nanoseconds(scope, peer) / Double(operations))
    }
    return (median(own), median(others))
  }

  /// The CPU nanoseconds that a closure takes, once.
  package static func nanoseconds(
    _ scope: Scope = .process, _ body: () throws -> Void
  ) rethrows -> Double {
    let start = time(scope)
    try body()
    return time(scope) - start
  }

  /// The milliseconds that a closure takes by the clock: for what waits for disks and other processes.
  package static func wallMilliseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = ContinuousClock.now
    try body()
    return (ContinuousClock.now - start) / .milliseconds(1)
  }

  /// The heap allocations that a closure makes, on all threads; `nil` if nothing counts them.
  package static func allocations(_ body: () -> Void) -> Int? { heap(body)?.count }

  /// The bytes that a closure leaves allocated, on all threads; `nil` if nothing counts them.
  package static func heldBytes(_ body: () -> Void) -> Int? { heap(body)?.bytes }

  package static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2)
      ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }

  private static func heap(_ body: () -> Void) -> (count: Int, bytes: Int)? {
    guard allocations_can_count() else { return nil }
    allocations_start()
    body()
    allocations_stop()
    return (Int(allocations_count()), Int(allocations_held_bytes()))
  }

  private static func time(_ scope: Scope) -> Double {
    var time = timespec()
    clock_gettime(scope == .thread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}

/// Keeps the compiler from removing what a benchmark computes.
@inline(never) package func keep<Value>(_ value: Value) { withExtendedLifetime(value) {} }
