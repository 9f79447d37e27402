/// One transition that a machine has made, as `StateMachine.transitions` tells it.
///
/// It holds the states and the event with their values. `MachineModel.Edge` is the same by names
/// alone.
public struct MachineTransition<M: Machine>: Sendable, CustomStringConvertible {
  /// The state before.
  public let from: M.State
  /// The event that led on.
  public let event: M.Event
  /// The state after.
  public let to: M.State
  /// The number of the visit of `to`, counted from 0 for the first state; a step that stays keeps
  /// it.
  public let visit: UInt64
  @inlinable
  init(from: M.State, event: M.Event, to: M.State, visit: UInt64) {
    self.from = from
    self.event = event
    self.to = to
    self.visit = visit
  }

  /// The transition in one line, with the values of the states and the event.
  public var description: String { "\(from) —\(event)→ \(to)" }
}
