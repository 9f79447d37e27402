/// A state machine as an ordinary `switch`: which state follows, and what is to be done.
///
/// ```swift
/// enum Door: Machine {
///   enum State { case closed, open }
///   enum Event { case push, pull }
///   enum Effect { case ring }
///   static func next(_ state: State, _ event: Event) throws(InvalidTransition)
///     -> Step<State, Effect>
///   {
///     switch (state, event) {
///     case (.closed, .push): .to(.open, .ring)
///     case (.open, .pull): .to(.closed)
///     default: throw InvalidTransition(from: state, event: event)
///     }
///   }
/// }
/// ```
public protocol Machine: Sendable {
  /// The states, with what belongs to each as associated values.
  associatedtype State: Sendable
  /// What can happen.
  associatedtype Event: Sendable
  /// What a transition asks its surroundings to do; `Never` when it asks nothing.
  associatedtype Effect: Sendable

  /// The step from a state on an event; throws for an event that is not valid in that state.
  ///
  /// It must be pure: it may be called again for the same event, and is called to draw diagrams.
  static func next(
    _ state: State, _ event: Event
  ) throws(InvalidTransition) -> Step<State, Effect>

  /// How long a visit of a state may last, and the event that ends it; `nil` for no limit.
  static func deadline(_ state: State) -> Deadline<Event>?
}

extension Machine {
  /// No state has a deadline.
  @inlinable
  public static func deadline(_ state: State) -> Deadline<Event>? { nil }
}
