/// A value that one thread at a time may touch.
///
/// *Thread*: any. The lock is not recursive, and no caller's code may run while it is held: take
/// what must be called or released out of it, and do that afterwards.
/// *Cost*: one allocation for its life, about 5 ns for an uncontended `withLock`.
package final class Lock<Value>: @unchecked Sendable {
  private let handle = LockHandle()
  // The lock is what makes access exclusive; checking that again costs as much as the lock.
  @exclusivity(unchecked) private var value: Value

  /// Makes an open lock around a value.
  package init(_ value: Value) { self.value = value }

  /// Runs a closure that has the value for itself, and returns what the closure returns.
  package func withLock<Success, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Success
  ) throws(Failure) -> Success {
    handle.acquire()
    defer { handle.release() }
    return try body(&value)
  }
}
