import Dispatch
import ReunionCore
package import ReunionFlow
import ReunionStore
package import ReunionSync

/// The sessions of a server: the replica that is always on.
///
/// *Thread*: any. The sessions' work runs on a serial queue for each space, where waiting for the disk
/// is fine: a large push in one space keeps nobody waiting in another.
final class Relay: Sendable {
  private struct Peer {
    let device: Access.Device
    let space: ServedSpace
    let session: Session
    let connection: WebSocketConnection
    let presence: PresenceTap
    let standing: StandingTap?
    let observation: SignalSubscription
  }

  private let store: Store
  private let guests: GuestLedger
  private let blobRole: Role
  /// Whether there may be several spaces: then nobody has the whole say about the store.
  private let isShared: Bool
  private let rule: TransactionRule?
  private let tell: @Sendable (String) -> Void
  private let scheduling: RelayScheduling
  private let blocks: Blocks
  private let presence: PresenceRooms
  private let presenceRole: Role
  private let standing: StandingRooms
  private let queues = SpaceQueues()
  private let audits: Audits
  private let peers = Lock<[ObjectIdentifier: Peer]>([:])

  /// `tell` gets a sentence for the host where the store found that it went back.
  init(
    store: Store, blocks: Blocks, guests: GuestLedger, roles: Roles = Roles(),
    isShared: Bool = false, rule: TransactionRule? = nil,
    scheduling: RelayScheduling = RelayScheduling(),
    tell: @escaping @Sendable (String) -> Void
  ) {
    self.store = store
    self.tell = tell
    self.scheduling = scheduling
    self.blocks = blocks
    self.guests = guests
    blobRole = roles.blobs
    presenceRole = roles.presence
    self.isShared = isShared
    self.rule = rule
    let queues = queues
    presence = PresenceRooms(clock: scheduling.clock, bugs: store.options.seededBugs) { space in
      Self.executor(of: space, scheduling, queues)
    }
    let auditing = DispatchQueue(label: "reunion.relay.audits", qos: .utility)
    audits = Audits(clock: scheduling.clock) { reading in
      if let execute = scheduling.execute {
        execute(reading)
      } else {
        auditing.async(execute: reading)
      }
    }
    standing = StandingRooms(store, clock: scheduling.clock) { space in
      Self.executor(of: space, scheduling, queues)
    }
  }

  /// The least roles that may do what not every role may.
  struct Roles {
    /// To exchange blobs over a session.
    var blobs = Role.admin
    /// To be seen by others while connected.
    var presence = Role.view
  }

  /// The most sessions of one device and space; a browser has one for all of its tabs.
  static let sessionsMax = 8

  /// The number of sessions that a device has in a space.
  func sessionCount(of device: UInt64, in space: SpaceID) -> Int {
    peers.withLock { peers in
      peers.values.count { $0.device.number == device && $0.space.id == space }
    }
  }

  /// Notes that the memberships of those who are connected are used.
  func noteUse() {
    let peers = peers.withLock { Array($0.values) }
    for (_, peers) in Dictionary(grouping: peers, by: \.space.id) {
      peers.first?.space.access.use(Set(peers.map(\.device)))
    }
  }

  /// The number of replicas that are connected.
  var replicaCount: Int { peers.withLock { $0.count } }

  /// Starts a session with a device that has shown its token; of the space, or of its members.
  func welcome(
    _ device: Access.Device, to space: SpaceID, of served: ServedSpace,
    over connection: WebSocketConnection
  ) {
    let mayHaveBlobs = device.isReplica && device.role >= blobRole
    var configuration = Session.Configuration(
      space: space, authority: device.role.authority(of: device.number),
      device: device.isReplica && device.role >= .edit ? nil : device.number,
      servesBlobs: mayHaveBlobs, fetchesBlobs: mayHaveBlobs && device.role >= .edit)
    if served.isOwn || device.role == .add {
      configuration.allowance = allowance(of: device, in: served, from: connection.remoteAddress)
    }
    // A WebSocket is fast, and a browser pays for every message.
    configuration.messageBytesSoftMax = 64 * 1024
    configuration.features = .all.withoutParts.withoutBehind
    configuration.blocks = blocks
    configuration.servesNamedBlobsOnly = true
    configuration.tellsHorizon = true
    configuration.audits = audits
    configuration.repaired = { [tell] count in
      tell(HostNotices.repaired(count, with: Access.text(of: device.number)))
    }
    configuration.believesPeer =
      !isShared || store.options.seededBugs.editorBelieved
    if space == served.id { configuration.rule = rule }
    configuration.ruledOut = { [tell] device, sentence in
      tell("Refused a change of the device \(Access.text(of: device)): \(sentence)")
    }
    configuration.failed = { [tell] error in
      let isFull = (error as? StoreError)?.code == .diskFull
      tell(isFull ? HostNotices.fullDisk : "A session ended, since the store failed: \(error)")
    }
    let tap = presence.tap(space, device: device.number, isSeen: device.role >= presenceRole)
    configuration.presence = tap
    if space == served.id { configuration.standing = standing.tap(served, device) }
    let session = Session(
      link: connection, store: store, configuration: configuration, clock: scheduling.clock,
      execute: executor(of: space))
    let key = ObjectIdentifier(session)
    let observation = session.state.observe { [weak self] state in
      guard case .closed(let ending) = state, let self else { return }
      leave(key)
      if ending.code == .renewed, !ending.isTheirs, let text = ending.text { tell(text) }
    }
    peers.withLock {
      $0[key] = Peer(
        device: device, space: served, session: session, connection: connection, presence: tap,
        standing: configuration.standing,
        observation: observation)
    }
    session.start()
    // It may have been put out between its request and now.
    endRevoked()
  }

  /// What a guest may bring, and how long it waits for more.
  private func allowance(
    of device: Access.Device, in served: ServedSpace, from address: String
  ) -> Session.Allowance {
    let isOne = store.options.seededBugs.allowanceOfAll
    let (guest, pool) = (
      served.guest(device), isOne ? "all" : served.pool(from: address)
    )
    var allowance = Session.Allowance(
      rest: { [guests] in guests.rest(of: guest, in: pool) },
      changesAtOnce: { [weak self] in
        max(20, Self.sentAtOnceMax / max(1, self?.replicaCount ?? 1))
      },
      took: { [weak self, guests] weight, changeCount in
        guests.took(weight, from: guest, in: pool)
        return self?.pause(after: weight, changeCount) ?? .zero
      })
    allowance.stages = { [guests] byteCount, changeCount in
      guests.stages(byteCount, by: guest, in: pool).map {
        Self.pause(afterStaging: byteCount, changeCount, beside: $0)
      }
    }
    allowance.unstages = { [guests] in guests.unstages($0, by: guest, in: pool) }
    allowance.takesBlob = { [guests] byteCount in
      (try? guests.begin(byteCount: byteCount, by: guest)) != nil
    }
    return allowance
  }

  /// How long a guest that brought this much is not heard: about forty times what it costs to look
  /// at it and to bring it to everyone. So a guest that adds without end leaves the others their
  /// share.
  private func pause(after weight: Weight, _ changeCount: Int) -> Duration {
    let seconds =
      Double(changeCount) * Self.lookSeconds
      + Double(replicaCount) * (Self.turnSeconds + Double(weight.bytes) * Self.relaySeconds)
    return .milliseconds(Int(min(4, seconds) * 1000))
  }

  /// The same for what is only put aside, which is read and written to the disk: half a second for the
  /// quarter of a megabyte that is written at once, and as above for each change. The guests who do so at
  /// once share that pace: what fills the log of the disk keeps every writer of the server waiting.
  private static func pause(
    afterStaging byteCount: Int, _ changeCount: Int, beside guestCount: Int
  ) -> Duration {
    let seconds = Double(changeCount) * lookSeconds + Double(byteCount) * stageSeconds
    return .milliseconds(Int(min(8, seconds * Double(guestCount)) * 1000))
  }

  /// Seconds a byte.
  private static let stageSeconds = 2e-6

  /// Seconds a change, seconds a session, and seconds a byte and session.
  private static let (lookSeconds, turnSeconds, relaySeconds) = (4e-4, 1e-3, 6e-7)

  /// Of a guest's changes, how many are sent to others before somebody else's are: about 20 ms of work.
  private static let sentAtOnceMax = 10_000

  /// Asks everybody who is connected to come back, not all at once.
  func sayFarewell() {
    let peers = peers.withLock { Array($0.values) }
    let later = Message.later(Self.later(sessionCount: peers.count)).encoded()
    for peer in peers { peer.connection.send(later) }
  }

  /// When everybody is to come back. To begin a session takes a server a millisecond or two.
  static func later(sessionCount: Int) -> Later {
    Later(
      milliseconds: UInt64(2 * sessionCount),
      sentence: Array("The server stops, and is expected back.".utf8))
  }

  /// Ends the sessions of devices that were put out.
  func endRevoked() {
    let sentence = "The host has ended this device's membership."
    for peer in peers.withLock({ Array($0.values) })
    where !peer.space.access.isMember(peer.device) {
      let bye = Bye(code: .notAllowed, sentence: Array(sentence.utf8))
      peer.presence.ended(peer.session)
      peer.standing?.ended(peer.session)
      standing.membersChanged()
      peer.connection.send(Message.bye(bye).encoded())
      peer.connection.close(code: 4401, reason: sentence)
    }
  }

  /// Tells everyone in a space that a blob has arrived which a record there names: replicas fetch it, pages
  /// show it. Whoever hears of the record later finds the blob here.
  func announce(_ hash: BlobHash, in space: SpaceID) {
    guard (try? store.blobs.byteCountNamed(of: hash, in: space)) != 0 else { return }
    for peer in peers.withLock({ $0.values.filter { $0.space.id == space } }) {
      peer.session.announce([hash])
    }
  }

  /// Waits until the work that is under way is on disk.
  func drain() {
    queues.drain()
    standing.keep()
  }

  private func executor(of space: SpaceID) -> Session.Executor {
    Self.executor(of: space, scheduling, queues)
  }

  private static func executor(
    of space: SpaceID, _ scheduling: RelayScheduling, _ queues: SpaceQueues
  ) -> Session.Executor {
    if let execute = scheduling.execute { return execute }
    let queue = queues[space]
    return { work in queue.async(execute: work) }
  }

  private func leave(_ key: ObjectIdentifier) {
    _ = peers.withLock { $0.removeValue(forKey: key) }
  }
}

/// What the sessions of a server get their time and their turns from.
package struct RelayScheduling: Sendable {
  /// The time of the sessions.
  package var clock: any FlowClock = .system
  /// What runs their work one piece at a time; nil for a queue for each space.
  package var execute: Session.Executor?
  /// What writes the bytes of uploads, in order; nil for a queue of their own.
  package var write: Session.Executor?

  /// The system's clock, and queues.
  package init() {}
}
