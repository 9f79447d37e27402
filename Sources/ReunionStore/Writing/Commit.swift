public import ReunionCore
import ReunionFlow

/// What one commit changed in one space, whoever made the change: this device, a peer, or the store
/// itself.
///
/// ```swift
/// let watching = store.observeCommits { commit in
///   guard commit.space == space, let ids = commit.changed(Photo.self) else { return }
///   print("Photos that changed:", ids.count)
/// }
/// try store.write(in: space) { try $0.update(photo) { $0.caption = "Port" } }
/// watching.cancel()
/// ```
/// It says which records and not how they changed: fetch them for that. To follow what a query
/// finds, use `Store.live(_:)`, which compares for you.
public struct Commit: Hashable, Sendable {
  /// The space in which all of it happened.
  public let space: SpaceID
  /// The space's highest arrival number after the commit.
  ///
  /// It counts what came into the space on this device: each record that changes gets the next
  /// number. Another device counts otherwise, so that numbers of two devices cannot be compared. A
  /// commit that changed only the device's own lists, such as that of conflicts, has the number of
  /// the commit before.
  public let arrival: UInt64
  /// Which records changed, and which fields of them.
  let touches: Touches
  /// What the server refused of this device's changes. They are taken back in this very commit: a
  /// fetch shows the records as they were before, or without the new ones. Empty for all commits
  /// but those of a sync.
  public internal(set) var refused: [RefusedChange] = []

  init(space: SpaceID, arrival: UInt64, touches: Touches = Touches()) {
    self.space = space
    self.arrival = arrival
    self.touches = touches
  }

  /// This and another that follows at once, as one.
  func followed(by next: Commit?) -> Commit {
    guard let next else { return self }
    var touches = touches
    touches.formUnion(next.touches)
    var both = Commit(space: space, arrival: next.arrival, touches: touches)
    both.comparesAnew = comparesAnew || next.comparesAnew
    both.horizon = next.horizon ?? horizon
    return both
  }

  /// The numbers of the entities of which records changed, those of the library's own entities too.
  ///
  /// It is empty if only the version vector rose, or if only the device's own lists changed, such
  /// as that of conflicts.
  public var entities: Set<UInt32> { Set(touches.byEntity.keys) }

  /// The records of an entity that changed: created, edited, deleted or brought back. The same id
  /// may come twice.
  ///
  /// - Returns: nil if more than 4,096 changed, and then all that you show of the entity may be
  ///   old. An empty array if none did.
  public func changed<E: Entity>(_: E.Type) -> [RecordID]? {
    guard let touched = touches.byEntity[E.schema.number] else { return [] }
    return touched.records
  }

  /// Whether less of a site is held than was said, because it was given up, or a peer lacks what it
  /// had sent: what sessions believe holds no longer, and all is compared.
  package internal(set) var comparesAnew = false
  /// The records that changed since an audit had found them to differ: others may lack them as well.
  package internal(set) var repaired: [RecordName] = []
  /// Whether it has the arrival number of the commit before although records show otherwise now, so
  /// that the number of a snapshot does not tell whether it shows this.
  package internal(set) var keepsArrival = false
  /// Up to which arrival what was deleted goes from now on; nil where that stays as it was.
  package internal(set) var horizon: UInt64?
  /// The push that it took whole, where there is nothing in it that its sender lacks.
  package internal(set) var taken: TakenPush?

  /// A push of which there is nothing to tell its sender.
  package struct TakenPush: Hashable, Sendable {
    /// The session that brought it. Another one with the same site may be that of a copy.
    package let bringer: ObjectIdentifier
    /// The arrival number before it.
    package let after: UInt64
  }
}

/// The observers of commits, or of other events of a store.
final class Observers<Event: Sendable>: Sendable {
  private struct State {
    var last: UInt64 = 0
    var bodies: [(number: UInt64, body: @Sendable (Event) -> Void)] = []
  }

  private let state = Lock(State())

  func add(_ body: @escaping @Sendable (Event) -> Void) -> SignalSubscription {
    let number = state.withLock { state in
      state.last += 1
      state.bodies.append((state.last, body))
      return state.last
    }
    return SignalSubscription { [weak self] in
      self?.state.withLock { $0.bodies.removeAll { $0.number == number } }
    }
  }

  func tell(_ event: Event) {
    for observer in state.withLock({ $0.bodies }) { observer.body(event) }
  }
}
