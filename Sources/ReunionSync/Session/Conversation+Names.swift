import ReunionCore

extension Conversation.Event: CustomStringConvertible {
  /// What happened, and of a message its kind: what a report and a diagram show.
  public var description: String {
    switch self {
    case .opened: "opened"
    case .received(let message): "received \(message.kind)"
    case .compared(_, let peerIsForked): peerIsForked ? "compared, forked" : "compared"
    case .committed: "committed"
    case .pushed: "pushed"
    case .applied: "applied"
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
    case .hello: "hello"
    case .pull: "pull"
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
    case .unknown: "unknown"
    }
  }
}
