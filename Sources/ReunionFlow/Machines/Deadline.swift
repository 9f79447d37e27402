/// How long a machine may visit a state: afterwards it gets an event.
///
/// ```swift
/// enum Event { case giveUp }
/// let deadline = Deadline(after: .seconds(10), send: Event.giveUp)
/// ```
///
/// It starts when the state is entered and vanishes when the state is left; one that comes late
/// never hits a later visit. A step within the visit (`Step.stay`) lets it run on. If its event is
/// not valid any more when it comes, it goes to `StateMachine.rejected`.
public struct Deadline<Event: Sendable>: Sendable {
  /// The time from entering the state, on the machine's clock. Zero or less is over as soon as that
  /// clock runs its actions, never within the send that entered the state.
  public let after: Duration
  /// The event to send then.
  public let event: Event

  /// Makes a deadline; nothing runs until a machine enters a state that has it.
  @inlinable
  public init(after: Duration, send event: Event) {
    self.after = after
    self.event = event
  }
}

extension Deadline: Equatable where Event: Equatable {}
