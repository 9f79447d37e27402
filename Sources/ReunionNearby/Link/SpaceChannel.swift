import Reunion
import ReunionBluetooth
import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync

/// One space and one peer: performs what the gate decides, and has the connection come and go with it.
///
/// *Thread*: any; its work runs on a serial queue.
final class SpaceChannel: PeerTransport {
  /// What is told of a connection.
  enum News: Sendable {
    /// A link would open now.
    case ready
    /// None would.
    case away
    /// The two cannot share the space.
    case refused(String)
  }

  /// What the serial queue has for itself.
  private final class Inside {
    var gate = PeerGate()
    var link: PeerLink?
    /// What came while the gate was open and no link was there yet.
    var early: [[UInt8]] = []
  }

  private static let earlyBytesMax = 65_536

  let space: SpaceID
  private let peer: VerifiedPeer
  private let directory: MemberDirectory
  private let store: Store
  private let clock: any FlowClock
  private let seededBugs: SeededBugs
  private let queue = SerialQueue(Inside())
  private let termsNow = Lock<PeerGate.Terms?>(nil)
  private let subscriptions = Lock<[SignalSubscription]>([])
  private let news = Lock<(@Sendable (News) -> Void)?>(nil)

  init(
    _ space: SpaceID, to peer: VerifiedPeer, directory: MemberDirectory, store: Store,
    clock: any FlowClock, seededBugs: SeededBugs
  ) {
    self.seededBugs = seededBugs
    queue.run { $0.gate.seededBugs = seededBugs }
    self.space = space
    self.peer = peer
    self.directory = directory
    self.store = store
    self.clock = clock
  }

  /// What both sides may do, while a link is open.
  var terms: PeerGate.Terms? { termsNow.withLock { $0 } }

  /// Begins; news come from now on, on the serial queue.
  func begin(isServed: Signal<Bool>, _ tell: @escaping @Sendable (News) -> Void) {
    news.withLock { $0 = tell }
    let space = space
    let watching = [
      isServed.observe { [weak self] in self?.take(.served($0)) },
      directory.changes.observe { [weak self] in if $0 == space { self?.take(.membersChanged) } },
      peer.listen { [weak self] event in self?.take(event) },
    ]
    subscriptions.withLock { $0 = watching }
  }

  /// Ends: nothing more is told.
  func end() {
    news.withLock { $0 = nil }
    let watching = subscriptions.withLock { subscriptions in
      defer { subscriptions = [] }
      return subscriptions
    }
    for each in watching { each.cancel() }
    take(.linkClosed)
  }

  private func take(_ event: StreamEvent) {
    switch event {
    case .opened: take(.reached)
    case .closed: take(.lost)
    case .drained(let isUrgent): queue.run { $0.link?.drained(isUrgent: isUrgent) }
    case .received(let bytes):
      guard let (space, message) = try? SpaceMessage.read(bytes), space == self.space else {
        return
      }
      queue.run { [weak self] in self?.hear(message, $0) }
    }
  }

  private func take(_ event: PeerGate.Event) {
    queue.run { [weak self] in self?.next(event, $0) }
  }

  // On the serial queue.

  private func hear(_ message: SpaceMessage, _ inside: Inside) {
    switch message {
    case .standing(let standing):
      let message = SpaceMessage.Standing.signed(
        standing.device, as: peer.id, to: peer.own, about: space)
      // Nobody honest signs wrongly: there is nobody to tell.
      guard
        standing.key.hasSigned(message, standing.signature)
          || seededBugs.signatureNotChecked
      else { return }
      grant(standing)
    case .members(let founder, let statements): merge(statements, of: founder, inside)
    default: break
    }
    next(.heard(message), inside)
  }

  private func next(_ event: PeerGate.Event, _ inside: Inside) {
    guard let members = try? directory.members(of: space) else { return }
    let own = PeerGate.Own(key: directory.key.publicKey, list: members.list)
    let effects = inside.gate.next(event, own)
    termsNow.withLock { $0 = inside.gate.terms }
    for effect in effects { perform(effect, inside, members.list) }
  }

  private func perform(_ effect: PeerGate.Effect, _ inside: Inside, _ list: MemberList?) {
    switch effect {
    case .stand: stand(inside.gate, list)
    case .say(let message): say(message)
    case .tellMembers:
      guard let list else { return }
      // The founder's come first, so that each part can be judged when it comes.
      var rest = list.statements[...]
      while !rest.isEmpty {
        say(.members(founder: list.founder, Array(rest.prefix(64))))
        rest = rest.dropFirst(64)
      }
    case .open:
      inside.link?.report(.opened)
      tell(.ready)
    case .close(let reason):
      inside.early = []
      // A session that ended by itself is begun again by the connection, after a wait.
      guard !reason.isEmpty else { return }
      inside.link.take()?.report(.closed(LinkFailure(reason)))
      tell(.away)
    case .deliver(let bytes):
      if let link = inside.link {
        link.report(.received(Array(bytes)))
      } else if inside.early.reduce(0, { $0 + $1.count }) < Self.earlyBytesMax {
        inside.early.append(Array(bytes))
      }
    case .refuse(let sentence): tell(.refused(sentence))
    }
  }

  private func tell(_ news: News) { self.news.withLock { $0 }?(news) }

  private func say(_ message: SpaceMessage) {
    peer.stream(message.bytes(about: space), isUrgent: true)
  }

  private func stand(_ gate: PeerGate, _ list: MemberList?) {
    let device = directory.device(in: space)
    let message = SpaceMessage.Standing.signed(device, as: peer.own, to: peer.id, about: space)
    guard let signature = try? directory.key.sign(message) else { return }
    say(
      .standing(
        SpaceMessage.Standing(
          number: gate.number, after: gate.after, heard: gate.theirs?.number ?? 0,
          isServed: gate.isServed,
          digest: list?.digest ?? SpaceMessage.Standing.noDigest, key: directory.key.publicKey,
          device: device, signature: signature)))
  }

  /// Admits a device that this one was told to admit, now that it has said who it is.
  private func grant(_ standing: SpaceMessage.Standing) {
    try? directory.change(space) { members in
      guard let role = members.grants[peer.id], var list = members.list else { return }
      members.grants[peer.id] = nil
      guard list.member(standing.key)?.role != role else { return }
      // A member that may change only its own records could claim the number of another who wrote
      // here.
      let isKnown = list.statements.contains {
        $0.subject == standing.key && $0.device == standing.device
      }
      let hasWritten = try store.vector(of: space).entries.contains {
        $0.site.device == standing.device
      }
      guard role > .add || isKnown || !hasWritten else { return }
      if try list.set(standing.key, device: standing.device, to: role, by: directory.key) {
        members.list = list
      }
    }
  }

  /// Takes in what the other side says of members.
  private func merge(_ statements: [MemberStatement], of founder: DeviceKey, _ inside: Inside) {
    try? directory.change(space) { members in
      if var list = members.list {
        guard list.founder == founder else {
          let sentence =
            "Both devices have founded the space. Forget its members on one of the two, and admit it."
          return tell(.refused(sentence))
        }
        list.merge(statements)
        members.list = list
      } else {
        // A device that has no list takes that of the peer it was told to sync with, if that peer
        // is in it.
        var list = MemberList(of: space, founder: founder)
        list.merge(statements)
        if let key = inside.gate.theirs?.key, list.member(key) != nil { members.list = list }
      }
    }
  }

  // What the link asks.

  var messageBytesMax: Int { VerifiedPeer.streamMessageBytesMax - SpaceMessage.headBytesMax }

  func attach(_ link: PeerLink) {
    queue.run { inside in
      inside.link = link
      guard inside.gate.isOpen else { return }
      link.report(.opened)
      for message in inside.early { link.report(.received(message)) }
      inside.early = []
    }
  }

  func detach(_ link: PeerLink) {
    queue.run { [weak self] inside in
      guard inside.link === link else { return }
      inside.link = nil
      self?.next(.linkClosed, inside)
    }
  }

  func send(_ message: [UInt8], of link: PeerLink) {
    let isUrgent = !link.isBlob(message)
    queue.run { [weak self] inside in
      guard let self, inside.link === link, inside.gate.isOpen else { return }
      peer.stream(
        SpaceMessage.message(inside.gate.number, message[...]).bytes(about: space),
        isUrgent: isUrgent)
    }
  }

  func pause(_ isPaused: Bool, of link: PeerLink) { peer.pauseStream(isPaused) }
}
