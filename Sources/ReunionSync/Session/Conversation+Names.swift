public import ReunionCore

extension Conversation {
  /// The name of the state's case.
  package static func name(ofState state: State) -> String {
    switch state {
    case .idle: "idle"
    case .greeting: "greeting"
    case .comparing: "comparing"
    case .pulling: "pulling"
    case .resuming: "resuming"
    case .live: "live"
    case .renewing: "renewing"
    case .closed: "closed"
    }
  }

  /// What happened, and of a message its kind.
  package static func name(ofEvent event: Event) -> String { event.description }
}

extension Conversation.Event: CustomStringConvertible {
  /// What happened, and of a message its kind: what a report and a diagram show.
  package var description: String {
    switch self {
    case .opened: "opened"
    case .received(let message): "received \(message.kind)"
    case .lookedUp: "lookedUp"
    case .resumed(let resumption, _):
      switch resumption {
      case .at: "resumed"
      case .rolledBack: "resumed, rolled back"
      case .incomparable: "resumed, incomparable"
      case .behind: "resumed, behind"
      }
    case .committed: "committed"
    case .took: "took"
    case .refusalsRead: "refusalsRead"
    case .partsRead: "partsRead"
    case .windowRead(_, _, let end): end == nil ? "windowRead" : "windowRead, end"
    case .applied: "applied"
    case .foundForked: "foundForked"
    case .renewed: "renewed"
    case .storeFailed: "storeFailed"
    case .beat: "beat"
    case .violated: "violated"
    case .greetingExpired: "greetingExpired"
    case .stop: "stop"
    case .linkClosed: "linkClosed"
    }
  }
}

extension Message {
  fileprivate var kind: String {
    switch self {
    case .features: "features"
    case .hello: "hello"
    case .pull(let pull): pull.isBeyond ? "pull beyond" : "pull"
    case .changes: "changes"
    case .pushEnd: "pushEnd"
    case .acknowledge: "acknowledge"
    case .refused: "refused"
    case .ping: "ping"
    case .pong: "pong"
    case .want: "want"
    case .blob: "blob"
    case .lack: "lack"
    case .have: "have"
    case .bye: "bye"
    case .fragment: "fragment"
    case .later: "later"
    case .nameAll: "name all"
    case .presence: "presence"
    case .standing: "standing"
    case .part: "part"
    case .horizon: "horizon"
    case .behind: "behind"
    case .whole: "whole"
    case .reached: "reached"
    case .audit: "audit"
    case .unknown: "unknown"
    }
  }
}

/// What tells two live conversations apart for a model of the machine: not what they hold, but what
/// they may do next.
extension Conversation.Live: CustomStringConvertible {
  /// The parts of the state that decide which events do what.
  package var description: String { "Live \(phase) of \(terms)" }
}

extension Conversation.Meeting: CustomStringConvertible {
  /// What is known is of no matter to a model of the machine; what may be said is.
  package var description: String { "Meeting \(phase) of \(terms)" }
}
