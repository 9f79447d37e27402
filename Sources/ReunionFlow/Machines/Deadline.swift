/// How long a machine may visit a state: afterwards it gets an event.
///
/// It starts when the state is entered and vanishes when the state is left; one that comes late
/// never hits a later visit.
public struct Deadline<Event: Sendable>: Sendable {
  /// The time from entering the state.
  public let after: Duration
  /// The event to send then.
  public let event: Event

  /// Makes a deadline.
  @inlinable
  public init(after: Duration, send event: Event) {
    self.after = after
    self.event = event
  }
}

extension Deadline: Equatable where Event: Equatable {}
