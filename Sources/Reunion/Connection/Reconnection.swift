package import ReunionFlow

/// The decisions of a connection that reconnects: when to open a link, when to wait, when to give up.
///
/// A pure machine without clock or randomness: waits are deadlines of the state, and the event brings
/// the chance that spreads them.
package enum Reconnection: Machine {
  package typealias State = Connection.State

  /// What happens to the connection.
  package enum Event: Hashable, Sendable {
    /// The program wants it.
    case connect
    /// The link is open.
    case opened
    /// The conversation is live.
    case established
    /// The link or the conversation ended; `chance` from 0 to 1 spreads the wait. The other side wants
    /// this one back after `later` at the earliest.
    case lost(reason: String, chance: Double, later: Duration = .zero)
    /// The other side wants this one back after `later` at the earliest; heard once the link had ended.
    case asked(reason: String, chance: Double, later: Duration)
    /// The other side refused this device.
    case refused(reason: String)
    /// The wait is over.
    case retry
    /// The network is back: do not wait any longer.
    case networkReturned
    /// Opening the link, or the handshake, took too long.
    case timeout
    /// The program does not want it any more.
    case disconnect
  }

  /// What the shell must do.
  package enum Effect: Hashable, Sendable {
    /// Make a link and start a session on it.
    case open
    /// End the session.
    case close
  }

  /// How waits grow: full jitter from 0.5 s to 30 s.
  static let backoff = Backoff(initial: .milliseconds(500), cap: .seconds(30))

  /// How long a state may last.
  package static func deadline(_ state: State) -> Deadline<Event>? {
    switch state {
    case .connecting, .handshaking: Deadline(after: .seconds(10), send: .timeout)
    case .waiting(_, let delay, _): Deadline(after: delay, send: .retry)
    case .idle, .online, .blocked: nil
    }
  }

  /// The step from a state on an event; see the type.
  package static func next(
    _ state: State, _ event: Event
  ) throws(InvalidTransition) -> Step<State, Effect> {
    switch (state, event) {
    case (.idle, .connect), (.blocked, .connect): return .to(.connecting(attempt: 0), .open)
    case (.connecting, .connect), (.handshaking, .connect), (.online, .connect),
      (.waiting, .connect):
      return .stay(state)
    case (.connecting(let attempt), .opened): return .to(.handshaking(attempt: attempt))
    case (.handshaking, .established): return .to(.online)
    case (.online, .established): return .stay(state)
    case (.connecting(let attempt), .lost(let reason, let chance, let later)),
      (.handshaking(let attempt), .lost(let reason, let chance, let later)):
      return .to(wait(attempt: attempt, reason: reason, chance: chance, later: later))
    case (.online, .lost(let reason, let chance, let later)):
      return .to(wait(attempt: 0, reason: reason, chance: chance, later: later))
    case (.connecting(let attempt), .timeout), (.handshaking(let attempt), .timeout):
      let reason = "There was no answer in 10 s."
      return .to(wait(attempt: attempt, reason: reason, chance: 0.5), .close)
    case (.connecting, .refused(let reason)), (.handshaking, .refused(let reason)),
      (.online, .refused(let reason)):
      return .to(.blocked(reason: reason))
    case (.waiting(let attempt, let delay, _), .asked(let reason, let chance, let later)):
      return .to(
        .waiting(attempt: attempt, delay: max(delay, later + later * chance), reason: reason))
    case (_, .asked): return .stay(state)
    case (.waiting(let attempt, _, _), .retry), (.waiting(let attempt, _, _), .networkReturned):
      return .to(.connecting(attempt: attempt + 1), .open)
    case (_, .networkReturned): return .stay(state)
    case (.idle, .disconnect): return .stay(state)
    case (.waiting, .disconnect), (.blocked, .disconnect): return .to(.idle)
    case (.connecting, .disconnect), (.handshaking, .disconnect), (.online, .disconnect):
      return .to(.idle, .close)
    // A link that ends while it is being closed may report both: there is nothing left to lose.
    default: throw InvalidTransition(from: state, event: event)
    }
  }

  private static func wait(
    attempt: Int, reason: String, chance: Double, later: Duration = .zero
  ) -> State {
    let delay = backoff.ceiling(attempt: attempt) * max(chance, 0.05)
    return .waiting(
      attempt: attempt, delay: max(delay, later + later * chance), reason: reason)
  }
}
