/// A state machine as an ordinary `switch`: which state follows, and what to do.
///
/// ```swift
/// enum Door: Machine {
///   enum State { case closed, open }
///   enum Event { case push, pull }
///   typealias NextStep = Step<State, Never>
///   static func next(_ state: State, _ event: Event) throws(InvalidTransition) -> NextStep {
///     switch (state, event) {
///     case (.closed, .push): .to(.open)
///     case (.open, .pull): .to(.closed)
///     default: throw InvalidTransition(from: state, event: event)
///     }
///   }
/// }
/// ```
///
/// It is a type without values: a `StateMachine` holds a state and runs it, a `MachineModel` finds
/// all that it can do. Answer `stay` for an event that changes nothing, and throw for one that must
/// not come: then a mistake shows where it is made.
public protocol Machine: Sendable {
  /// The states, with what belongs to each as associated values.
  associatedtype State: Sendable
  /// What can happen.
  associatedtype Event: Sendable
  /// What a transition asks its surroundings to do; `Never` when it asks nothing.
  associatedtype Effect: Sendable

  /// The step from a state on an event.
  ///
  /// It must be pure: it may be called again for the same event, and is called to draw diagrams. It
  /// may run under the machine's lock, so that asking its own machine would hang.
  /// - Throws: `InvalidTransition` for an event that is not valid in that state: `send` throws it
  ///   on.
  static func next(
    _ state: State, _ event: Event
  ) throws(InvalidTransition) -> Step<State, Effect>

  /// How long a visit of a state may last, and the event that ends it; `nil` for no limit.
  ///
  /// It must be pure as well: it is asked when a visit begins, with the state's values at that
  /// time.
  static func deadline(_ state: State) -> Deadline<Event>?

  /// What reports and diagrams call a state. States of one name are one to them, whatever their
  /// values.
  static func name(ofState state: State) -> String
  /// What reports and diagrams call an event.
  static func name(ofEvent event: Event) -> String
}

extension Machine {
  /// The name of the state's case, or what it says of itself up to its values. It is found by
  /// reflection: a machine with many events a second, of which states or events hold references,
  /// names its own.
  public static func name(ofState state: State) -> String { caseName(of: state) }
  /// The name of the event's case, found as a state's is.
  public static func name(ofEvent event: Event) -> String { caseName(of: event) }

  /// No state has a deadline.
  @inlinable
  public static func deadline(_ state: State) -> Deadline<Event>? { nil }
}

/// The name of an enum's case, or of what describes itself, up to the associated values.
private func caseName(of value: some Sendable) -> String {
  // Describing a whole message would cost more than sending it.
  if !(value is any CustomStringConvertible) {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .enum, let label = mirror.children.first?.label { return label }
  }
  return String(String(describing: value).prefix { $0 != "(" })
}
