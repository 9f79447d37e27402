/// One transition that a machine has made.
public struct Transition<M: Machine>: Sendable, CustomStringConvertible {
  /// The state before.
  public let from: M.State
  /// The event that led on.
  public let event: M.Event
  /// The state after.
  public let to: M.State
  /// The number of the visit of `to`, counted from 0 for the first state.
  public let visit: UInt64
  /// When it happened, on the machine's clock.
  public let moment: Moment

  /// The transition in one line.
  public var description: String { "\(moment): \(from) —\(event)→ \(to)" }
}
