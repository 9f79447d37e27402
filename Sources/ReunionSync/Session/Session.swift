public import ReunionCore
public import ReunionFlow
public import ReunionStore

/// One conversation of two replicas over a link: the thin shell around `Conversation`.
///
/// *Thread*: all work of a session runs on its executor, one piece at a time; `start` and `stop` may
/// be called from anywhere. *Durability*: what the other side acknowledges is on its disk, and what
/// we acknowledge is on ours.
public final class Session: Sendable {
  /// Runs work later, in order, one piece at a time; for instance on a serial queue.
  public typealias Executor = @Sendable (@escaping @Sendable () -> Void) -> Void

  /// What the other side may do, and what is exchanged.
  public struct Configuration: Sendable {
    /// The space that the session is about.
    public var space: SpaceID
    /// Whether this side is a leaf.
    public var isLeaf: Bool
    /// What the other side may change here.
    public var authority: Authority
    /// Whether the other side may have blobs over the link.
    public var servesBlobs: Bool
    /// Whether this side fetches the blobs that it lacks.
    public var fetchesBlobs: Bool
    /// The size at which a message of changes ends and the next begins.
    package var messageBytesSoftMax = Message.bytesSoftMax
    /// Bytes of changes that are gathered in memory before they are staged on disk.
    package var gatheredBytesMax = 256 * 1024

    /// Makes a configuration; by default two full replicas that trust each other.
    public init(
      space: SpaceID, isLeaf: Bool = false, authority: Authority = .all,
      servesBlobs: Bool = true, fetchesBlobs: Bool = true
    ) {
      self.space = space
      self.isLeaf = isLeaf
      self.authority = authority
      self.servesBlobs = servesBlobs
      self.fetchesBlobs = fetchesBlobs
    }
  }

  /// What the shell holds beside the machine's state.
  struct Work {
    var gathered: [Change] = []
    var gatheredBytes = 0
    /// The site under which this side said hello.
    var site: Site?
    /// The site that said hello.
    var peer: Site?
    /// Bytes of the push that is coming in, staged ones included.
    var pushBytes = 0
    /// How many changes of it are staged.
    var stagedCount = 0
    /// The push that is going out.
    var push: OutgoingPush?
    /// The ends of pushes that the other side has not answered, the oldest first.
    var unanswered: [PushEnd] = []
    var blobs = BlobExchange()
    var heartbeat: Pendulum?
    var observations: [Subscription] = []
    var hasLookedForBlobs = false
  }

  /// Bytes that may wait in the link before pushes and blobs pause.
  static let queuedBytesSoftMax = 256 * 1024
  /// What a peer that does not have the whole say may send in one push.
  static let guestPushBytesMax = 64 * 1024 * 1024

  let link: any Link
  let store: Store
  let configuration: Configuration
  let work = Lock(Work())
  private let inflow = Lock(Inflow())
  private let clock: any FlowClock
  private let execute: Executor
  private let machine: StateMachine<Conversation>

  /// Makes a session; nothing happens before `start`.
  public init(
    link: any Link, store: Store, configuration: Configuration, clock: any FlowClock,
    execute: @escaping Executor
  ) {
    self.link = link
    self.store = store
    self.configuration = configuration
    self.clock = clock
    self.execute = execute
    let performer = Performer()
    machine = StateMachine(.idle, clock: clock) { effect, _ in performer.session?.perform(effect) }
    performer.session = self
  }

  /// Where the conversation stands.
  public var state: Signal<Conversation.State> { machine.state }

  /// Starts the link and the conversation. Call it once; the link keeps the session alive.
  public func start() {
    link.start { event in
      guard case .received(let bytes) = event else {
        self.execute { self.handle(event) }
        return
      }
      // Inside the lock, so that the last word to the link is the latest.
      self.inflow.withLock { if $0.came(byteCount: bytes.count) { self.link.pauseReceiving(true) } }
      self.execute {
        self.handle(event)
        self.inflow.withLock {
          if $0.handled(byteCount: bytes.count) { self.link.pauseReceiving(false) }
        }
      }
    }
  }

  /// Says farewell and closes the link.
  public func stop(_ sentence: String = "This device goes away and will be back.") {
    execute { self.offer(.stop(sentence)) }
  }

  /// Tells the other side that blobs have arrived here.
  public func announce(_ hashes: [BlobHash]) {
    execute {
      if case .live = self.machine.state.value { self.send(.have(hashes)) }
    }
  }

  private func handle(_ event: LinkEvent) {
    switch event {
    case .opened: open()
    case .received(let bytes): receive(bytes)
    case .drained:
      continuePush()
      sendBlobPieces()
    case .closed(let failure):
      offer(.linkClosed(failure?.description))
      finish()
    }
  }

  private func open() {
    do {
      let site = store.site
      let seq = try store.vector(of: configuration.space)[site]
      let hello = Hello(
        space: configuration.space, site: site, isLeaf: configuration.isLeaf, seq: seq)
      work.withLock { $0.site = site }
      offer(.opened(hello))
      observe()
    } catch {
      offer(.storeFailed("\(error)"))
    }
  }

  private func observe() {
    let space = configuration.space
    let commits = store.observeCommits { [weak self] commit in
      guard commit.space == space, let self else { return }
      self.execute { self.offer(.committed) }
    }
    let losses = store.blobs.observeLosses { [weak self] _ in
      guard let self else { return }
      // What cannot be read now is asked for at the next session.
      self.execute { if case .live = self.machine.state.value { try? self.fetchMissingBlobs() } }
    }
    let heartbeat = Pendulum(every: .seconds(5), clock: clock) { [weak self] _ in
      guard let self, !self.inflow.withLock({ $0.isPaused }) else { return }
      self.execute { self.offer(.beat) }
    }
    work.withLock {
      $0.observations = [commits, losses]
      $0.heartbeat = heartbeat
    }
  }

  private func finish() {
    let (heartbeat, observations) = work.withLock { work in
      defer {
        work.heartbeat = nil
        work.observations = []
        work.gathered = []
        work.push = nil
        work.unanswered = []
      }
      return (work.heartbeat, work.observations)
    }
    discardStaged()
    heartbeat?.cancel()
    for observation in observations { observation.cancel() }
  }

  private func receive(_ bytes: [UInt8]) {
    do {
      let message = try Message(decoding: bytes)
      try machine.send(.received(message))
      if case .acknowledge(let cursor) = message { answered(cursor) }
    } catch let error as WireError {
      offer(.violated(error.description))
    } catch {
      offer(.violated("A message came out of turn."))
    }
  }

  func offer(_ event: Conversation.Event) { _ = machine.offer(event) }

  func send(_ message: Message) {
    if case .pushEnd(let end) = message { work.withLock { $0.unanswered.append(end) } }
    link.send(message.encoded())
  }

  /// Each push is answered once, in order, by what was refused of it and an acknowledgement.
  private func answered(_ cursor: UInt64) {
    work.withLock { work in
      guard let index = work.unanswered.firstIndex(where: { $0.cursor == cursor }) else { return }
      work.unanswered.removeFirst(index + 1)
    }
  }

  private func perform(_ effect: Conversation.Effect) {
    do {
      switch effect {
      case .send(let message): send(message)
      case .compare(let hello): try compare(hello)
      case .push(let cursor, let vector): try push(after: cursor, lacking: vector)
      case .stage(let changes): try stage(changes)
      case .apply(let end): try apply(end)
      case .takeBack(let refusals): try takeBack(refusals)
      case .mintIncarnation: try mintIncarnation()
      case .blob(let message): try handleBlob(message)
      case .close:
        link.close()
        finish()
      }
    } catch {
      offer(.storeFailed("\(error)"))
    }
  }

  /// Only one whose word stands here may say what stands: a guest cannot undo others' work.
  private func takeBack(_ refusals: [Refusal]) throws {
    guard configuration.authority == .all else {
      offer(.violated("A guest cannot refuse changes."))
      return
    }
    let sent = work.withLock { $0.unanswered.first?.vector } ?? VersionVector()
    try store.takeBack(refusals, sent: sent, in: configuration.space)
  }

  private func mintIncarnation() throws {
    let (site, peer) = work.withLock { ($0.site, $0.peer) }
    guard configuration.authority == .all, let site, let peer else { return }
    try store.mintIncarnation(after: site, found: peer)
  }

  /// The peer of the conversation, once it has said hello.
  var peer: Hello? {
    switch machine.state.value {
    case .comparing(let peer), .pulling(let peer): peer
    case .live(let live): live.peer
    case .idle, .greeting, .closed: nil
    }
  }
}

/// Lets the machine's effects reach a session that is made after the machine.
private final class Performer: @unchecked Sendable {
  weak var session: Session?
}
