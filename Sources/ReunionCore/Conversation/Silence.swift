extension Conversation {
  /// How long nothing has come from the other side, in heartbeats; and what breaks our own silence: a push or a
  /// blob may be minutes on its way, and the ping of its sender waits behind it.
  struct Silence: Hashable, Sendable {
    /// The heartbeats since something was last heard.
    var beats = 0
    /// Whether something but pings and pongs was heard since the last heartbeat.
    private(set) var isTakingIn = false

    mutating func heard(_ message: Message) {
      beats = 0
      switch message {
      case .ping, .pong: break
      default: isTakingIn = true
      }
    }

    /// What to say at a heartbeat; nil where the other side has fallen silent.
    mutating func beat() -> [Effect]? {
      beats += 1
      guard beats < Conversation.beatsUntilClose else { return nil }
      if beats == Conversation.beatsUntilPing { return [.send(.ping(UInt32(beats)))] }
      defer { isTakingIn = false }
      return isTakingIn ? [.send(.pong(0))] : []
    }
  }
}

extension Conversation.Ending {
  /// Nothing has come for too long.
  static let silent = Self(sentence: Conversation.sentence("The other side has fallen silent."))
}
