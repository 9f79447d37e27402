public import ReunionCore
import ReunionFlow

/// What a commit changed.
public struct Commit: Hashable, Sendable {
  /// The space.
  public let space: SpaceID
  /// The space's highest arrival number now.
  public let arrival: UInt64
  /// Which records changed, and which fields of them.
  let touches: Touches
  /// What the server refused of this device's changes, and has been taken back with this commit.
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
    return both
  }

  /// The entities of which records changed; none where only the vector rose, or what
  /// the device keeps to itself changed, such as its list of conflicts.
  public var entities: Set<UInt32> { Set(touches.byEntity.keys) }

  /// The records of an entity that changed, deleted ones too and perhaps some twice; nil where there are
  /// more than 4,096.
  public func changed<E: Entity>(_: E.Type) -> [RecordID]? {
    guard let touched = touches.byEntity[E.schema.number] else { return [] }
    return touched.records
  }

  /// Whether less of a site is held than was said, because it was given up, or a peer lacks what it had
  /// sent: what sessions believe holds no longer, and all is compared.
  package internal(set) var comparesAnew = false
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
