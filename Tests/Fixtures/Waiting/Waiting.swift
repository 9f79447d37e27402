// The one place in which tests wait. A test waits for what happens, not for a moment of the clock.

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a test waited for, and what did not happen.
package struct NeverHappened: Error, CustomStringConvertible {
  package let description: String

  fileprivate init(_ what: String, within limit: Duration) {
    description = "This did not happen within \(limit.components.seconds) s: \(what)."
  }
}

/// Waits until a condition holds.
///
/// It looks again each few milliseconds, and gives up after two minutes: others keep the machine
/// busy. *Errors*: ``NeverHappened`` with a sentence that names what was waited for, and what the
/// condition throws. *Thread*: it blocks the caller's; a task awaits the other form.
@_disfavoredOverload
package func eventually(
  _ what: @autoclosure () -> String, within limit: Duration = .seconds(120),
  every step: Duration = .milliseconds(5), _ condition: () throws -> Bool
) throws {
  try find(what(), within: limit, every: step) { try condition() ? true : nil }
}

/// Waits until a condition holds, and leaves the thread to others meanwhile.
nonisolated(nonsending) package func eventually(
  _ what: @autoclosure () -> String, within limit: Duration = .seconds(120),
  every step: Duration = .milliseconds(5), _ condition: () async throws -> Bool
) async throws {
  try await find(what(), within: limit, every: step) { try await condition() ? true : nil }
}

/// Waits until there is something, and gives it.
@_disfavoredOverload @discardableResult
package func find<Value>(
  _ what: @autoclosure () -> String, within limit: Duration = .seconds(120),
  every step: Duration = .milliseconds(5), _ look: () throws -> Value?
) throws -> Value {
  let end = SuspendingClock.now + limit
  while true {
    // Also after the last pause: the machine may have kept this thread waiting.
    if let value = try look() { return value }
    guard SuspendingClock.now < end else { throw NeverHappened(what(), within: limit) }
    rest(step)
  }
}

/// Waits until there is something, gives it, and leaves the thread to others meanwhile.
@discardableResult
nonisolated(nonsending) package func find<Value>(
  _ what: @autoclosure () -> String, within limit: Duration = .seconds(120),
  every step: Duration = .milliseconds(5), _ look: () async throws -> Value?
) async throws -> Value {
  let end = SuspendingClock.now + limit
  while true {
    if let value = try await look() { return value }
    guard SuspendingClock.now < end else { throw NeverHappened(what(), within: limit) }
    try await Task.sleep(for: step)
  }
}

/// Lets time pass that belongs to the story of a test: a slow peer, an absence, or the time until a
/// kill that may come at any moment. The reason is for people who read the test.
package func pause(for duration: Duration, because reason: StaticString) { rest(duration) }

/// Lets time pass that belongs to the story of a test, and leaves the thread to others meanwhile.
///
/// A task that is cancelled ends it early, with an error.
nonisolated(nonsending) package func pause(
  for duration: Duration, because reason: StaticString
) async throws {
  try await Task.sleep(for: duration)
}

/// Blocks the thread.
private func rest(_ duration: Duration) {
  let (seconds, attoseconds) = duration.components
  var left = timespec(tv_sec: Int(seconds), tv_nsec: Int(attoseconds / 1_000_000_000))
  var rest = timespec()
  // A signal cuts it short.
  while nanosleep(&left, &rest) != 0, errno == EINTR { left = rest }
}
