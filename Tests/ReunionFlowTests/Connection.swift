import ReunionFlow

/// A sample machine: a connection that must come up within 10 s.
enum Connection: Machine {
  enum State: Equatable { case idle, connecting(attempt: Int), online, failed, orphan }
  enum Event: Equatable { case connect, progress, opened, closed, timedOut, giveUp }
  enum Effect: Equatable { case open(attempt: Int), close }

  static func next(
    _ state: State, _ event: Event
  ) throws(InvalidTransition) -> Step<State, Effect> {
    switch (state, event) {
    case (.idle, .connect): .to(.connecting(attempt: 1), .open(attempt: 1))
    case (.connecting(let attempt), .progress): .stay(.connecting(attempt: attempt))
    case (.connecting, .opened): .to(.online)
    case (.connecting, .closed): .to(.idle)
    case (.connecting(let attempt), .timedOut):
      attempt < 2
        ? .to(.connecting(attempt: attempt + 1), .close, .open(attempt: attempt + 1))
        : .to(.failed, .close)
    case (.online, .closed): .to(.idle)
    case (.online, .giveUp): .to(.failed, .close)
    default: throw InvalidTransition(from: state, event: event)
    }
  }

  static func deadline(_ state: State) -> Deadline<Event>? {
    guard case .connecting = state else { return nil }
    return Deadline(after: .seconds(10), send: .timedOut)
  }
}
