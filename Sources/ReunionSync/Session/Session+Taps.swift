package import ReunionCore
import ReunionFlow

/// What a program does with messages of which the conversation makes nothing: what devices show while they are
/// connected, and how far replicas have come.
///
/// *Thread*: the session's, one call at a time.
package struct SessionTap<Heard: Sendable>: Sendable {
  /// What is sent from now on is heard. It comes once more where the two sides begin anew.
  package var began: @Sendable (Session) -> Void
  /// The other side says something.
  package var heard: @Sendable (Session, Heard) -> Void
  /// A push of the other side is on the disk here, also one that brought nothing.
  package var applied: @Sendable (Session) -> Void
  /// The link is closed.
  package var ended: @Sendable (Session) -> Void

  /// Takes its parts as they are.
  package init(
    began: @escaping @Sendable (Session) -> Void,
    heard: @escaping @Sendable (Session, Heard) -> Void,
    applied: @escaping @Sendable (Session) -> Void = { _ in },
    ended: @escaping @Sendable (Session) -> Void
  ) {
    self.began = began
    self.heard = heard
    self.applied = applied
    self.ended = ended
  }
}

/// What hears and tells what devices show. None of it is kept.
package typealias PresenceTap = SessionTap<PresenceUpdate>
/// What hears and tells how far replicas have come.
package typealias StandingTap = SessionTap<StandingUpdate>

extension Session {
  /// Sends an encoded update, which may be the same for many sessions. Returns false if the link is too slow
  /// for it just now. *Thread*: any.
  package func show(_ messages: [[UInt8]]) -> Bool {
    guard hasRoomToShow else { return false }
    for message in messages { link.send(message) }
    return true
  }

  /// Sends a message that may wait. Returns false if the link is too slow for it just now. *Thread*: any.
  package func tell(_ message: Message) -> Bool {
    guard hasRoomToShow else { return false }
    send(message)
    return true
  }

  /// Whether little waits for the link: whatever waits goes first, and may take it seconds. *Thread*: any.
  package var hasRoomToShow: Bool { link.queuedBytes < link.queuedBytesSoftMax / 4 }

  /// Tells that what is sent is heard, once both sides know what the other holds.
  func beginTaps() {
    let (presence, standing) = (configuration.presence, configuration.standing)
    guard presence != nil || standing != nil else { return }
    // After what the conversation says first.
    execute {
      guard case .live = self.state.value else { return }
      let features = self.work.withLock { $0.features }
      if features.takesPresence { presence?.began(self) }
      if features.takesStanding { standing?.began(self) }
    }
  }

  /// Hears what the conversation has no use for.
  func hear(_ message: Message) {
    switch message {
    case .features(let features): work.withLock { $0.features = features }
    case .presence(let update):
      guard case .live = state.value else { return }
      configuration.presence?.heard(self, update)
    case .standing(let update):
      guard case .live = state.value else { return }
      configuration.standing?.heard(self, update)
    case .whole(let names): takeNames(names)
    case .reached(let reached): hear(reached)
    case .audit(let step): hear(step)
    case .horizon(let arrival):
      do { try hear(ofHorizon: arrival) } catch { fail(error) }
    default: break
    }
  }

  func endTaps() {
    configuration.presence?.ended(self)
    configuration.standing?.ended(self)
  }
}
