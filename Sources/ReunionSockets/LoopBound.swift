/// A value that only the thread of one event loop may touch, in a box that any thread may carry.
///
/// *Thread*: carrying is free; reading `value` anywhere but on the loop's thread traps, because it
/// would be a data race. The last reference may be dropped anywhere.
package final class LoopBound<Value>: @unchecked Sendable {
  private let held: Value
  private let loop: EventLoop

  package init(_ value: Value, on loop: EventLoop) {
    held = value
    self.loop = loop
  }

  /// The value; on the loop's thread only.
  package var value: Value {
    precondition(loop.isCurrent, "A value of an event loop was used on another thread.")
    return held
  }
}
