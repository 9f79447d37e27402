/// What a selector answers: the next state, and the effects to perform once it is reached.
///
/// ```swift
/// enum State: Equatable { case waiting(Int), done }
/// let again: Step<State, String> = .stay(.waiting(2))               // the deadline runs on
/// let anew: Step<State, String> = .to(.waiting(0))                  // the deadline starts over
/// let end: Step<State, String> = .to(.done, "close", "say goodbye")
/// print(again.isVisit, anew.isVisit, end.effects)                   // false true, both effects
/// ```
public struct Step<State: Sendable, Effect: Sendable>: Sendable {
  /// The next state.
  public let state: State
  /// What to do then, in order, after everybody was told of the state.
  public let effects: [Effect]
  /// True when the step starts a new visit, with a deadline of its own.
  public let isVisit: Bool

  @inlinable
  init(state: State, effects: [Effect], isVisit: Bool) {
    self.state = state
    self.effects = effects
    self.isVisit = isVisit
  }

  /// A step that leaves the state, if only to enter it again: its deadline starts over.
  @inlinable
  public static func to(_ state: State, _ effects: Effect...) -> Step {
    Step(state: state, effects: effects, isVisit: true)
  }

  /// A step that leaves the state, with effects that are computed as a list.
  @inlinable
  public static func to(_ state: State, performing effects: [Effect]) -> Step {
    Step(state: state, effects: effects, isVisit: true)
  }

  /// A step within a visit: the associated values may change, and the deadline runs on.
  @inlinable
  public static func stay(_ state: State, _ effects: Effect...) -> Step {
    Step(state: state, effects: effects, isVisit: false)
  }

  /// A step within a visit, with effects that are computed as a list.
  @inlinable
  public static func stay(_ state: State, performing effects: [Effect]) -> Step {
    Step(state: state, effects: effects, isVisit: false)
  }
}

extension Step: Equatable where State: Equatable, Effect: Equatable {}
