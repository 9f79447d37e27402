import Reunion
import ReunionBluetooth
import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync

/// One space and one peer: performs what the gate decides, and has the connection come and go with it.
///
/// *Thread*: any; its work runs on a strand.
final class PeerDoor: PeerPasser {
  /// What is told of a connection.
  enum News: Sendable {
    /// A link would open now.
    case ready
    /// None would.
    case away
    /// The two cannot share the space.
    case refused(String)
  }

  /// What the strand has for itself.
  private final class Inside {
    var gate = PeerGate()
    var link: PeerLink?
    /// What came while the gate was open and no link was there yet.
    var early: [[UInt8]] = []
  }

  private static let earlyBytesMax = 65_536

  let space: SpaceID
  private let peer: VerifiedPeer
  private let desk: MemberDesk
  private let store: Store
  private let clock: any FlowClock
  private let seededBugs: SeededBugs
  private let strand = Strand(Inside())
  private let termsNow = Lock<PeerGate.Terms?>(nil)
  private let subscriptions = Lock<[SignalSubscription]>([])
  private let news = Lock<(@Sendable (News) -> Void)?>(nil)

  init(
    _ space: SpaceID, to peer: VerifiedPeer, desk: MemberDesk, store: Store,
    clock: any FlowClock, seededBugs: SeededBugs
  ) {
    self.seededBugs = seededBugs
    strand.run { $0.gate.seededBugs = seededBugs }
    self.space = space
    self.peer = peer
    self.desk = desk
    self.store = store
    self.clock = clock
  }

  /// What both sides may do, while a link is open.
  var terms: PeerGate.Terms? { termsNow.withLock { $0 } }

  /// Begins; news come from now on, on the strand.
  func begin(isServed: Signal<Bool>, _ tell: @escaping @Sendable (News) -> Void) {
    news.withLock { $0 = tell }
    let space = space
    let watching = [
      isServed.observe { [weak self] in self?.take(.served($0)) },
      desk.changes.observe { [weak self] in if $0 == space { self?.take(.membersChanged) } },
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

  private func take(_ event: PassageEvent) {
    switch event {
    case .opened: take(.reached)
    case .closed: take(.lost)
    case .drained(let isUrgent): strand.run { $0.link?.drained(isUrgent: isUrgent) }
    case .passed(let bytes):
      guard let (space, word) = try? PeerWord.read(bytes), space == self.space else { return }
      strand.run { [weak self] in self?.hear(word, $0) }
    }
  }

  private func take(_ event: PeerGate.Event) {
    strand.run { [weak self] in self?.next(event, $0) }
  }

  // On the strand.

  private func hear(_ word: PeerWord, _ inside: Inside) {
    switch word {
    case .standing(let standing):
      let message = PeerWord.Standing.signed(
        standing.device, as: peer.id, to: peer.own, about: space)
      // Nobody honest signs wrongly: there is nobody to tell.
      guard
        standing.key.hasSigned(message, standing.signature)
          || seededBugs.signatureNotChecked
      else { return }
      grant(standing)
    case .book(let founder, let statements): merge(statements, of: founder, inside)
    default: break
    }
    next(.heard(word), inside)
  }

  private func next(_ event: PeerGate.Event, _ inside: Inside) {
    guard let members = try? desk.members(of: space) else { return }
    let own = PeerGate.Own(key: desk.key.publicKey, book: members.book)
    let effects = inside.gate.next(event, own)
    termsNow.withLock { $0 = inside.gate.terms }
    for effect in effects { perform(effect, inside, members.book) }
  }

  private func perform(_ effect: PeerGate.Effect, _ inside: Inside, _ book: MemberBook?) {
    switch effect {
    case .stand: stand(inside.gate, book)
    case .say(let word): say(word)
    case .tellBook:
      guard let book else { return }
      // The founder's come first, so that each part can be judged when it comes.
      var rest = book.statements[...]
      while !rest.isEmpty {
        say(.book(founder: book.founder, Array(rest.prefix(64))))
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

  private func say(_ word: PeerWord) { peer.pass(word.bytes(about: space), isUrgent: true) }

  private func stand(_ gate: PeerGate, _ book: MemberBook?) {
    let device = desk.device(in: space)
    let message = PeerWord.Standing.signed(device, as: peer.own, to: peer.id, about: space)
    guard let signature = try? desk.key.sign(message) else { return }
    say(
      .standing(
        PeerWord.Standing(
          number: gate.number, after: gate.after, heard: gate.theirs?.number ?? 0,
          isServed: gate.isServed,
          digest: book?.digest ?? PeerWord.Standing.noDigest, key: desk.key.publicKey,
          device: device, signature: signature)))
  }

  /// Admits a device that this one was told to admit, now that it has said who it is.
  private func grant(_ standing: PeerWord.Standing) {
    try? desk.change(space) { members in
      guard let role = members.grants[peer.id], var book = members.book else { return }
      members.grants[peer.id] = nil
      guard book.member(standing.key)?.role != role else { return }
      // A member that may change only its own records could claim the number of another who wrote
      // here.
      let isKnown = book.statements.contains {
        $0.subject == standing.key && $0.device == standing.device
      }
      let hasWritten = try store.vector(of: space).entries.contains {
        $0.site.device == standing.device
      }
      guard role > .add || isKnown || !hasWritten else { return }
      if try book.set(standing.key, device: standing.device, to: role, by: desk.key) {
        members.book = book
      }
    }
  }

  /// Takes in what the other side says of members.
  private func merge(_ statements: [MemberStatement], of founder: DeviceKey, _ inside: Inside) {
    try? desk.change(space) { members in
      if var book = members.book {
        guard book.founder == founder else {
          let sentence =
            "Both devices have founded the space. Forget its members on one of the two, and admit it."
          return tell(.refused(sentence))
        }
        book.merge(statements)
        members.book = book
      } else {
        // A device that has no book takes that of the peer it was told to sync with, if that peer
        // is in it.
        var book = MemberBook(of: space, founder: founder)
        book.merge(statements)
        if let key = inside.gate.theirs?.key, book.member(key) != nil { members.book = book }
      }
    }
  }

  // What the link asks.

  var messageBytesMax: Int { VerifiedPeer.passageBytesMax - PeerWord.headBytesMax }

  func attach(_ link: PeerLink) {
    strand.run { inside in
      inside.link = link
      guard inside.gate.isOpen else { return }
      link.report(.opened)
      for message in inside.early { link.report(.received(message)) }
      inside.early = []
    }
  }

  func detach(_ link: PeerLink) {
    strand.run { [weak self] inside in
      guard inside.link === link else { return }
      inside.link = nil
      self?.next(.linkClosed, inside)
    }
  }

  func pass(_ message: [UInt8], of link: PeerLink) {
    let isUrgent = !link.isBlob(message)
    strand.run { [weak self] inside in
      guard let self, inside.link === link, inside.gate.isOpen else { return }
      peer.pass(
        PeerWord.message(inside.gate.number, message[...]).bytes(about: space), isUrgent: isUrgent)
    }
  }

  func pause(_ isPaused: Bool, of link: PeerLink) { peer.pausePassage(isPaused) }
}
