package import ReunionCore
import ReunionFlow

/// What a program does with what devices show while they are connected. None of it is kept.
///
/// *Thread*: the session's, one call at a time.
package struct PresenceTap: Sendable {
  /// What is sent from now on is heard. It comes once more where the two sides begin anew.
  package var began: @Sendable (Session) -> Void
  /// The other side shows something.
  package var heard: @Sendable (Session, PresenceUpdate) -> Void
  /// The link is closed.
  package var ended: @Sendable (Session) -> Void

  /// Takes its parts as they are.
  package init(
    began: @escaping @Sendable (Session) -> Void,
    heard: @escaping @Sendable (Session, PresenceUpdate) -> Void,
    ended: @escaping @Sendable (Session) -> Void
  ) {
    self.began = began
    self.heard = heard
    self.ended = ended
  }
}

extension Session {
  /// Sends an encoded update, which may be the same for many sessions. Returns false if the link is too slow
  /// for it just now. *Thread*: any.
  package func show(_ messages: [[UInt8]]) -> Bool {
    guard hasRoomToShow else { return false }
    for message in messages { link.send(message) }
    return true
  }

  /// Whether little waits for the link: whatever waits goes first, and may take it seconds. *Thread*: any.
  package var hasRoomToShow: Bool { link.queuedBytes < link.queuedBytesSoftMax / 4 }

  /// Tells that what is sent is heard, once both sides know what the other holds.
  func beginPresence() {
    guard let presence = configuration.presence else { return }
    // After what the conversation says first.
    execute {
      guard case .live = self.state.value, self.work.withLock({ $0.features.takesPresence }) else {
        return
      }
      presence.began(self)
    }
  }

  /// Hears what the conversation has no use for.
  func hear(_ message: Message) {
    switch message {
    case .features(let features): work.withLock { $0.features = features }
    case .presence(let update):
      guard case .live = state.value else { return }
      configuration.presence?.heard(self, update)
    default: break
    }
  }
}
