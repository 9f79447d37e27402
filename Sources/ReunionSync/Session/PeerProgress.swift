package import ReunionCore
import ReunionFlow
import ReunionStore

/// How far the other side of a session has come with what stands here, in this side's arrivals.
///
/// Pure. What it has on its disk its acknowledgements say; that it has the blobs as well, its word.
package struct PeerProgress: Hashable, Sendable {
  /// The arrival up to which it has everything on its disk.
  package private(set) var changes: UInt64 = 0
  /// The one up to which it has all blobs that records name as well, but for those that are missing.
  package private(set) var blobs: UInt64 = 0
  /// Blobs that it lacks.
  package private(set) var missing: [BlobHash] = []
  private var told: StandingUpdate?

  /// Nothing is known of it.
  package init() {}

  /// Hears what the other side says of itself.
  package mutating func hear(_ update: StandingUpdate) { told = update }

  /// Looks at how far the session is.
  package mutating func look(at session: SessionProgress) {
    changes = max(changes, session.held)
    guard let told, let speaker = told.speaker else { return }
    // What it brought since may name blobs that it lacks.
    guard speaker.changes >= session.applied else { return }
    guard speaker.blobs >= speaker.changes else {
      (blobs, missing) = (0, [])
      return
    }
    let upTo =
      told.acknowledged >= session.acknowledged
      ? session.held : min(told.acknowledged, session.held)
    if upTo >= blobs { (blobs, missing) = (upTo, speaker.missing) }
  }
}

/// How far a session is.
package struct SessionProgress: Hashable, Sendable {
  /// Our arrival up to which the other side has everything on its disk.
  package var held: UInt64
  /// Our last push that it acknowledged, and its last push that is on the disk here, by their numbers.
  package var acknowledged: UInt64
  package var applied: UInt64

  /// Takes its parts as they are.
  package init(held: UInt64, acknowledged: UInt64, applied: UInt64) {
    self.held = held
    self.acknowledged = acknowledged
    self.applied = applied
  }
}

extension Session {
  /// How far it is; nil unless changes flow, and while it is not known what the other side refused: before its
  /// first push, and while one is merged. *Thread*: the session's.
  package var progress: SessionProgress? {
    let (applied, isMerging) = work.withLock { ($0.appliedCursor, $0.merging != nil) }
    guard !isMerging, case .live(let live) = state.value, live.hasCaughtUp else { return nil }
    return SessionProgress(
      held: live.provenCursor, acknowledged: live.acknowledgedCursor, applied: applied)
  }

  /// The last push of the other side that is on the disk here, by its number; 0 for none in this session.
  package var appliedCursor: UInt64 { work.withLock { $0.appliedCursor } }

  /// Whether the other side has on its disk a change that stands here at an arrival. *Thread*: any.
  package func isHeld(_ dot: Dot, at arrival: UInt64) -> Bool {
    guard case .live(let live) = state.value else { return false }
    // What others wrote it may not have sent.
    let sendsAll = !configuration.sendsOwnOnly && !configuration.isLeaf
    let isSent = sendsAll || dot.site.device == store.device(in: configuration.space)
    return isSent && live.provenCursor >= arrival || live.isTold(dot)
  }
}
