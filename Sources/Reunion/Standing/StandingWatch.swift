import ReunionCore
package import ReunionFlow
import ReunionStore
package import ReunionSync

/// What stands where of a space, as this replica hears it: from the server and from peers.
///
/// *Thread*: any; its work runs where sessions work, one piece at a time.
package final class StandingWatch: Sendable {
  private struct Side {
    let session: Session
    /// The device at the other end; nil for a server.
    let peer: UInt64?
    var heard: StandingUpdate?
    /// The blobs that others lack and this device's records name.
    var own: Set<BlobHash> = []
    var told: StandingUpdate?
    /// Whether it may say that it has something: a leaf may forget it.
    var counts: Bool { peer == nil || session.peer?.isLeaf == false }
    let watching: SignalSubscription
  }

  private struct State {
    var sides: [ObjectIdentifier: Side] = [:]
    var receipts: [ObjectIdentifier: WeakReceipt] = [:]
    /// What was refused since the last receipt and no receipt stands for: the next one may.
    var refused: [(change: RefusedChange, at: Moment)] = []
    /// Whether the app has asked for the whole.
    var isShown = false
    /// The devices that the server told of last, and when.
    var devices: [Standing.Device] = []
    /// Up to which arrival here a server has everything, and what of that is on the disk.
    var sent: UInt64 = 0
    var kept: UInt64 = 0
    var keptAt: Moment?
    var keeping: Countdown?
    var isLookDue = false
    var due: Countdown?
    var toldAt: Moment?
  }

  private struct WeakReceipt {
    weak let receipt: Receipt?
  }

  /// How long what changes is gathered, the time between two tellings, and between two times at which what is
  /// known goes to the disk.
  private static let (patience, pause, keepPause) = (
    Duration.milliseconds(50), Duration.seconds(1), Duration.seconds(60)
  )
  /// How long a refusal waits for a receipt that is of it, and how many do.
  private static let (refusalPatience, refusalsMax) = (Duration.seconds(60), 64)

  private let space: SpaceID
  private let store: Store
  private let clock: any FlowClock
  private let execute: Session.Executor
  private let state = Lock(State())
  private let observations = Lock<[SignalSubscription]>([])
  private let shown = Variable(Standing())

  package init(
    of space: SpaceID, in store: Store, clock: any FlowClock, execute: @escaping Session.Executor
  ) {
    self.space = space
    self.store = store
    self.clock = clock
    self.execute = execute
    let sent = try? store.keptStanding(of: space).sent
    state.withLock { ($0.sent, $0.kept) = (sent ?? 0, sent ?? 0) }
    let commits = store.observeCommits { [weak self] commit in
      guard let self, commit.space == self.space else { return }
      noticed(commit)
    }
    let blobs = store.blobs.observeArrivals { [weak self] _ in self?.stir() }
    let losses = store.blobs.observeLosses { [weak self] _ in self?.stir() }
    observations.withLock { $0 = [commits, blobs, losses] }
  }

  /// What a session does with it; `peer` is the device at its other end, nil for a server's.
  package func tap(of peer: UInt64?) -> StandingTap {
    StandingTap(
      began: { [weak self] in self?.begin($0, peer) },
      heard: { [weak self] in self?.hear($1, from: $0) },
      applied: { [weak self] _ in self?.stir() },
      // A session may end on another thread than its own.
      ended: { [weak self] session in
        guard let self else { return }
        execute { self.end(session) }
      })
  }

  /// All of it, from now on.
  func all() -> Signal<Standing> {
    state.withLock { $0.isShown = true }
    stir()
    return shown.signal.distinct()
  }

  /// A receipt for all that this device has written so far.
  package func receipt() throws -> Receipt {
    let own = try store.ownChanges(in: space)
    return receipt(for: own.dots, at: own.arrival, isOwn: true, blobs: nil)
  }

  /// A receipt that is looked at while somebody keeps it.
  func receipt(
    for dots: [Dot], at arrival: UInt64, isOwn: Bool, blobs: Set<BlobHash>?
  ) -> Receipt {
    let receipt = Receipt(dots, at: arrival, isOwn: isOwn, blobs: blobs, by: self)
    // It has heard what was refused of it before anybody looks where it is.
    while let refused = enter(receipt) { receipt.hear(refused) }
    stirLook()
    return receipt
  }

  /// Has a receipt looked at, unless something of it was refused lately: then gives that, once.
  private func enter(_ receipt: Receipt) -> RefusedChange? {
    let now = clock.now
    return state.withLock { state in
      state.refused.removeAll { $0.at.duration(to: now) >= Self.refusalPatience }
      guard let index = state.refused.firstIndex(where: { receipt.covers($0.change) }) else {
        state.receipts[ObjectIdentifier(receipt)] = WeakReceipt(receipt: receipt)
        return nil
      }
      return state.refused.remove(at: index).change
    }
  }

  /// Ends what is waited for: the replica is closed.
  func close() {
    keep()
    for receipt in receipts() { execute { receipt.close() } }
  }

  private func receipts() -> [Receipt] {
    state.withLock { state in
      state.receipts = state.receipts.filter { $0.value.receipt != nil }
      return state.receipts.values.compactMap(\.receipt)
    }
  }

  // What happens.

  private func begin(_ session: Session, _ peer: UInt64?) {
    let key = ObjectIdentifier(session)
    let watching = session.state.observe { [weak self] _ in self?.stirLook() }
    state.withLock { state in
      if state.sides[key] == nil {
        state.sides[key] = Side(session: session, peer: peer, watching: watching)
      }
      state.sides[key]?.told = nil
    }
    stir()
  }

  private func hear(_ update: StandingUpdate, from session: Session) {
    let key = ObjectIdentifier(session)
    let missing = Set(update.replicas.flatMap(\.missing))
    let device = store.device(in: space)
    guard let namers = try? store.namers(of: missing, in: space) else { return }
    let own = Set(namers.filter { $0.value.contains(device) }.keys)
    state.withLock { state in
      guard state.sides[key] != nil else { return }
      state.sides[key]?.heard = update
      state.sides[key]?.own = own
      if state.sides[key]?.peer == nil { state.devices = devices(of: update) }
    }
    look()
  }

  private func devices(of update: StandingUpdate) -> [Standing.Device] {
    let now = store.options.wallMilliseconds() / 1000
    return update.replicas.compactMap { replica in
      guard replica.device != 0 else { return nil }
      return Standing.Device(
        id: replica.device, heardSeconds: replica.silentSeconds.map { now - min($0, now) },
        hasAll: update.speaker.map { replica.has($0.changes) } ?? false)
    }
  }

  private func end(_ session: Session) {
    state.withLock { $0.sides[ObjectIdentifier(session)] = nil }
    stir()
  }

  private func noticed(_ commit: Commit) {
    stir()
    guard !commit.refused.isEmpty else { return }
    let now = clock.now
    for change in commit.refused {
      let concerned = state.withLock { state in
        let concerned = state.receipts.values.compactMap(\.receipt).filter { $0.covers(change) }
        if concerned.isEmpty {
          state.refused = state.refused.suffix(Self.refusalsMax - 1) + [(change, now)]
        }
        return concerned
      }
      if !concerned.isEmpty { execute { for receipt in concerned { receipt.hear(change) } } }
    }
  }

  // What is told.

  /// Sees to it that the others hear how far this replica has come, at most once a second.
  private func stir() {
    let now = clock.now
    state.withLock { state in
      guard state.due == nil, !state.sides.isEmpty || state.isShown else { return }
      let wait = state.toldAt.map { Self.pause - $0.duration(to: now) } ?? .zero
      state.due = Countdown(after: max(wait, Self.patience), clock: clock) { [weak self] in
        guard let self else { return }
        execute { self.tell() }
      }
    }
  }

  private func tell() {
    let sides = state.withLock { state in
      (state.due, state.toldAt) = (nil, clock.now)
      return state.sides
    }
    // What is on the disk by now is in what is read next.
    let acknowledged = sides.mapValues(\.session.appliedCursor)
    if !sides.isEmpty, let own = try? store.standing(in: space) {
      for (key, side) in sides {
        let update = StandingUpdate(acknowledged: acknowledged[key] ?? 0, replicas: [own])
        guard update != side.told else { continue }
        guard side.session.tell(.standing(update)) else {
          stir()
          continue
        }
        state.withLock { $0.sides[key]?.told = update }
      }
    }
    look()
    if state.withLock({ $0.isShown }) { show() }
  }

  // What is known.

  private func stirLook() {
    let isFirst = state.withLock { state in
      defer { state.isLookDue = true }
      let isWanted = !state.receipts.isEmpty || state.sides.values.contains { $0.peer == nil }
      return !state.isLookDue && isWanted
    }
    if isFirst { execute { [weak self] in self?.look() } }
  }

  private func look() {
    let sides = state.withLock { state in
      state.isLookDue = false
      for side in state.sides.values {
        guard side.peer == nil, let progress = side.session.progress else { continue }
        // A server that went back has less than before.
        state.sent = progress.held
      }
      return state.sides
    }
    for receipt in receipts() {
      for side in sides.values { look(at: receipt, side) }
    }
    keepNowAndThen()
  }

  private func look(at receipt: Receipt, _ side: Side) {
    guard let session = side.session.progress, side.counts else { return }
    let isHeld =
      bugs.reachToldBeforeDisk || session.held >= receipt.arrival && receipt.isOwn
      || !receipt.dots.isEmpty
        && receipt.dots.allSatisfy { side.session.isHeld($0, at: receipt.arrival) }
    guard isHeld else {
      guard !bugs.reachKeptAfterRollback else { return }
      if let peer = side.peer { return receipt.hear(peer: peer, has: false) }
      return receipt.hear(isOnServer: false, devices: [])
    }
    // What it said before it had all of this says nothing of the blobs.
    guard let heard = side.heard, let speaker = heard.speaker,
      heard.acknowledged >= min(receipt.arrival, session.acknowledged),
      speaker.changes >= session.applied
    else { return }
    let wanted = receipt.blobs ?? side.own
    // Of a record that names no blobs nobody need have any, as devices do not that fetch previews alone.
    let wantsNone = receipt.blobs?.isEmpty == true
    let isWhole =
      wantsNone
      || speaker.blobs >= speaker.changes && !speaker.missing.contains(where: wanted.contains)
    if let peer = side.peer { return receipt.hear(peer: peer, has: isWhole) }
    let arrival = receipt.isOwn ? heard.arrival : speaker.changes
    // A server that has them and says nowhere knows this device by another number.
    let isKnown = arrival > 0 || receipt.dots.isEmpty
    let devices = heard.replicas.filter {
      isKnown && $0.device != 0
        && (wantsNone ? $0.changes >= arrival : $0.has(arrival, wanted.contains))
    }
    receipt.hear(isOnServer: isWhole, devices: Set(devices.map(\.device)))
  }

  private var bugs: SeededBugs { store.options.seededBugs }

  private func show() {
    let (sides, devices, sent) = state.withLock { ($0.sides, $0.devices, $0.sent) }
    let server = sides.values.first { $0.peer == nil }
    guard
      let unsent = try? store.unsent(
        after: sent, in: space, recordsMax: Standing.recordsMax)
    else { return }
    var standing = Standing(
      isServerThere: server?.heard != nil, recordCount: unsent.recordCount,
      byteCount: unsent.byteCount,
      devices: devices)
    let missing = Set(server?.heard?.speaker?.missing ?? []).intersection(server?.own ?? [])
    standing.blobCount = missing.count
    standing.byteCount += missing.reduce(0) { sum, hash in
      sum + ((try? store.blobs.byteCount(of: hash)) ?? 0)
    }
    if shown.value != standing { shown.value = standing }
  }

  /// Keeps up to where the server has all: at once, and at most once a minute.
  private func keepNowAndThen() {
    let now = clock.now
    let isDue = state.withLock { state in
      guard state.kept != state.sent, state.keeping == nil else { return false }
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

  private func keep() {
    let now = clock.now
    let sent = state.withLock { state -> UInt64? in
      state.keeping = nil
      guard state.kept != state.sent else { return nil }
      (state.kept, state.keptAt) = (state.sent, now)
      return state.sent
    }
    // What cannot be written is found out again.
    if let sent { try? store.keepStanding(of: space) { $0.sent = sent } }
  }
}
