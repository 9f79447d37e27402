import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync

/// Tells those in a space what stands where, as its replicas say how far they have come.
///
/// *Thread*: any; its work runs on the queue of the space. *Cost*: at most once a second, and where something
/// changed: a look at each blob that the space names, a handful of rows for each listener, and a message to each.
final class StandingRoom: Sendable {
  private struct Listener {
    let session: Session
    let device: Access.Device
    /// Of several sessions of one device the last one speaks for it.
    let number: UInt64
    var progress = PeerProgress()
    var told: StandingUpdate?

    /// Whether what it says of itself counts: it has all that it is sent, and may edit.
    var counts: Bool { device.isReplica && device.role >= .edit && session.peer?.isLeaf == false }
  }

  private struct State {
    var listeners: [ObjectIdentifier: Listener] = [:]
    var comeCount: UInt64 = 0
    var standings: Standings
    var kept: Standings
    var keptAt: Moment?
    var keeping: Countdown?
    /// What this store says of itself; nil where something came since.
    var own: ReplicaStanding?
    /// How often something came.
    var arrivalCount: UInt64 = 0
    var due: Countdown?
    var toldAt: Moment?
  }

  /// How long what changes is gathered, the time between two tellings, and between two times at which what is
  /// known goes to the disk.
  private static let (patience, pause, keepPause) = (
    Duration.milliseconds(50), Duration.seconds(1), Duration.seconds(60)
  )

  private let space: SpaceID
  private let access: Access
  private let store: Store
  private let clock: any FlowClock
  private let execute: Session.Executor
  private let state: Lock<State>

  init(
    _ served: ServedSpace, in store: Store, clock: any FlowClock,
    execute: @escaping Session.Executor
  ) {
    space = served.id
    access = served.access
    self.store = store
    self.clock = clock
    self.execute = execute
    // What cannot be read is heard again.
    let kept = Standings(kept: (try? store.keptStanding(of: served.id).replicas) ?? [])
    state = Lock(State(standings: kept, kept: kept))
  }

  /// Whoever says how far it has come is told how far others have.
  func hear(_ update: StandingUpdate, from session: Session, _ device: Access.Device) {
    let key = ObjectIdentifier(session)
    state.withLock { state in
      // While nobody listened, what came was not looked at.
      if state.listeners.isEmpty { state.own = nil }
      state.comeCount += 1
      var listener =
        state.listeners[key]
        ?? Listener(session: session, device: device, number: state.comeCount)
      listener.progress.hear(update)
      state.listeners[key] = listener
    }
    stir()
  }

  /// Forgets a session whose link is closed.
  func end(_ session: Session) {
    state.withLock { $0.listeners[ObjectIdentifier(session)] = nil }
  }

  /// Whether somebody is told.
  var isHeard: Bool { state.withLock { !$0.listeners.isEmpty } }

  /// A push of a listener is on the disk, or somebody may not come any more.
  func changed() { if isHeard { stir() } }

  /// Something arrived in the store, or is gone from it.
  func arrived() {
    state.withLock { state in
      state.own = nil
      state.arrivalCount += 1
    }
    changed()
  }

  /// Keeps on the disk what is known. *Thread*: one that may wait.
  func keep() {
    let news = state.withLock { state -> Standings? in
      state.keeping = nil
      guard state.standings != state.kept else { return nil }
      (state.kept, state.keptAt) = (state.standings, clock.now)
      return state.standings
    }
    // What cannot be written is heard again.
    if let news { try? store.keepStanding(of: space) { $0.replicas = news.kept } }
  }

  private func stir() {
    let now = clock.now
    state.withLock { state in
      guard state.due == nil else { return }
      let wait = state.toldAt.map { Self.pause - $0.duration(to: now) } ?? .zero
      state.due = Countdown(after: max(wait, Self.patience), clock: clock) { [weak self] in
        guard let self else { return }
        execute { self.tell() }
      }
    }
  }

  private func tell() {
    let now = clock.now
    let listeners = state.withLock { state in
      (state.due, state.toldAt) = (nil, now)
      return state.listeners
    }
    guard !listeners.isEmpty else { return }
    // A store that fails ends the sessions by itself.
    guard let own = try? ownStanding() else { return }
    let replicas = look(at: listeners, own)
    let isBehind = tell(listeners, replicas)
    keepNowAndThen(now)
    // One that has heard all acknowledges it sooner or later, and nothing else says so.
    if isBehind { stir() }
  }

  /// At once, and at most once a minute.
  private func keepNowAndThen(_ now: Moment) {
    let isDue = state.withLock { state in
      guard state.standings != state.kept, state.keeping == nil else { return false }
      let wait = state.keptAt.map { Self.keepPause - $0.duration(to: now) } ?? .zero
      guard wait > .zero else { return true }
      state.keeping = Countdown(after: wait, clock: clock) { [weak self] in
        guard let self else { return }
        execute { self.keep() }
      }
      return false
    }
    if isDue { keep() }
  }

  private func ownStanding() throws -> ReplicaStanding {
    let (known, count) = state.withLock { ($0.own, $0.arrivalCount) }
    if let known { return known }
    let own = try store.standing(in: space)
    // What came meanwhile is looked at the next time.
    state.withLock { if $0.arrivalCount == count { $0.own = own } }
    return own
  }

  /// Looks how far those have come that are connected, and gives what is told of all.
  private func look(
    at listeners: [ObjectIdentifier: Listener], _ own: ReplicaStanding
  ) -> [ReplicaStanding] {
    let seconds = store.options.wallMilliseconds() / 1000
    return state.withLock { state in
      let sessions = listeners.filter { $0.value.counts }.sorted {
        $0.value.number < $1.value.number
      }
      for (key, listener) in sessions {
        guard let progress = listener.session.progress else { continue }
        state.listeners[key]?.progress.look(at: progress)
        guard let looked = state.listeners[key]?.progress else { continue }
        state.standings.look(at: looked, of: listener.device.number, at: seconds)
      }
      state.standings.forget { !access.mayHold($0) }
      return state.standings.told(own, at: seconds)
    }
  }

  /// Tells each what it has not been told; true where a replica is behind, or a link too slow.
  private func tell(
    _ listeners: [ObjectIdentifier: Listener], _ replicas: [ReplicaStanding]
  ) -> Bool {
    // What is acknowledged by now is in the arrivals that are read next.
    let acknowledged = listeners.mapValues(\.session.appliedCursor)
    let keys = Array(listeners.keys)
    // Whoever may edit may write under another number than the one that it joined under.
    let devices = keys.map { listeners[$0]?.session.peer?.site.device ?? 0 }
    guard let arrivals = try? store.arrivals(ofDevices: devices, in: space),
      let namers = try? store.namers(of: Set(replicas.flatMap(\.missing)), in: space)
    else { return false }
    var isBehind = false
    for ((key, device), arrival) in zip(zip(keys, devices), arrivals) {
      guard let listener = listeners[key] else { continue }
      let isLeaf = listener.session.peer?.isLeaf != false
      let update = StandingUpdate(
        acknowledged: acknowledged[key] ?? 0, arrival: arrival,
        replicas: replicas.filter { $0.device != listener.device.number }.map { replica in
          if listener.counts { return replica }
          return isLeaf
            ? replica.told { namers[$0]?.contains(device) ?? false } : replica.withoutSilence
        })
      if listener.counts, replicas.isBehind(listener.device.number) { isBehind = true }
      guard listener.told.map({ !$0.saysTheSame(as: update) }) ?? true else { continue }
      guard listener.session.tell(.standing(update)) else {
        isBehind = true
        continue
      }
      state.withLock { $0.listeners[key]?.told = update }
    }
    return isBehind
  }
}

extension ReplicaStanding {
  /// What of it a page is told: of blobs those that its own records name.
  fileprivate func told(_ isOwn: (BlobHash) -> Bool) -> ReplicaStanding {
    var standing = withoutSilence
    standing.missing = missing.filter(isOwn)
    return standing
  }

  /// The same, without when somebody was there.
  fileprivate var withoutSilence: ReplicaStanding {
    var standing = self
    standing.silentSeconds = nil
    return standing
  }
}

extension [ReplicaStanding] {
  /// Whether a device lacks changes that stand here: it may have said already that it has them.
  fileprivate func isBehind(_ device: UInt64) -> Bool {
    guard let own = first, let replica = first(where: { $0.device == device }) else { return false }
    return replica.changes < own.changes
  }
}

extension StandingUpdate {
  /// Whether it differs in nothing but in how long replicas were silent.
  fileprivate func saysTheSame(as other: StandingUpdate) -> Bool {
    acknowledged == other.acknowledged && arrival == other.arrival
      && replicas.map(\.withoutSilence) == other.replicas.map(\.withoutSilence)
  }
}
