package import ReunionCore
package import ReunionFlow
package import ReunionStore

/// One conversation of two replicas over a link: the thin shell around `Conversation`.
///
/// *Thread*: all work of a session runs on its executor, one piece at a time; `start` and `stop` may
/// be called from anywhere. *Durability*: what the other side acknowledges is on its disk, and what
/// we acknowledge is on ours.
package final class Session: Sendable {
  /// Runs work later, in order, one piece at a time; for instance on a serial queue.
  package typealias Executor = @Sendable (@escaping @Sendable () -> Void) -> Void

  /// What the shell holds beside the machine's state.
  struct Work {
    /// What came of a push since its last part was staged.
    var gathered = Gathered()
    /// How many changes and refusals of it are staged on the disk.
    var stagedCount = 0
    /// Whether changes of the push that goes out went as they are.
    var isPushUnpacked = false
    /// Whether a part among them may bring changes of this side's own that it did not make.
    var arePartsBeyond = false
    /// The bytes that they are counted as.
    var stagedByteCount = 0
    /// The site under which this side said hello.
    var site: Site?
    /// The site that said hello.
    var peer: Site?
    /// The number of this session, once a page has said hello, or anybody whose changes may be refused.
    var peerSession: UInt64?
    /// Up to which own change its position proves that it holds everything.
    var provenSeq: UInt64 = 0
    /// Whether the next push replaces what others wrote.
    var replacesOthers = false
    /// Whether the next push is all that there is, since what is held may be older than what is gone there.
    var takesAnew = false
    /// Whether there was nothing of the other side's past to go on from.
    var isFirst = false
    /// Whether it comes from a server that may have gone back.
    var relearns = false
    /// What the push that is coming in brings whole.
    var whole: Set<RecordName> = []
    /// Up to where deletes are gone at the other side, until that is followed.
    var horizon: UInt64?
    /// Whether deletes are gone there.
    var isToldOfHorizon = false
    /// Up to which arrivals of others it holds all.
    var reached: [Reached] = []
    /// Up to where they were gone here when it was seen that the other side lacks none of them.
    var judgedHorizon: UInt64 = 0
    /// How many own changes the other side is known to have met.
    var lostSeq: UInt64 = 0
    /// What is read when the link has room again.
    var waiting: Conversation.Effect?
    /// The last push of the other side that is on the disk here, by its number.
    var appliedCursor: UInt64 = 0
    /// The push that is being merged, part by part; messages that come meanwhile wait.
    var merging: Merging?
    /// Whether others have their turns, after a part of a guest's push was staged.
    var isResting = false
    var deferred: [[UInt8]] = []
    var rest: Countdown?
    /// Whether messages that come wait.
    var isHeld: Bool { merging != nil || isResting }
    /// What the other side takes beside what everybody takes.
    var features = Features.none
    /// What a newcomer is sent of a block.
    var block = SentBlock.unasked
    /// The fragments of a message that came so far.
    var fragments: [UInt8] = []
    var audit = Audit()
    var blobs = BlobExchange()
    var wishes = BlobWishes()
    /// Beats while blobs wait for another session.
    var blobBeat: Pendulum?
    /// Offers blobs again that could not be read.
    var unreadBeat: Pendulum?
    var heartbeat: Pendulum?
    var observations: [SignalSubscription] = []
    var hasLookedForBlobs = false
    /// Which blobs this device fetches.
    var blobPolicy = BlobPolicy.all
  }

  /// What a peer may send in one push that may change only its own records, and one that may change
  /// none.
  package static let guestPushBytesMax: UInt64 = 24 * 1024 * 1024
  static let viewerPushBytesMax: UInt64 = 1024 * 1024

  let link: any Link
  let store: Store
  let configuration: Configuration
  let work = Lock(Work())
  let inflow = Lock(Inflow())
  let clock: any FlowClock
  let execute: Executor
  private let machine: StateMachine<Conversation>
  private let recording: SignalSubscription?
  private let laterNode = Variable<Later?>(nil)

  /// Makes a session; nothing happens before `start`.
  package init(
    link: any Link, store: Store, configuration: Configuration, clock: any FlowClock,
    execute: @escaping Executor
  ) {
    self.link = link
    self.store = store
    self.configuration = configuration
    self.clock = clock
    self.execute = execute
    work.withLock { $0.blobs.order = configuration.blobOrder }
    let performer = Performer()
    let machine = StateMachine<Conversation>(.idle, clock: clock) { effect, _ in
      performer.session?.perform(effect)
    }
    recording = configuration.record.map { machine.transitions.observe($0) }
    self.machine = machine
    performer.session = self
  }

  /// The state of the conversation.
  package var state: Signal<Conversation.State> { machine.state }

  /// Starts the link and the conversation, once. The link keeps the session alive.
  package func start() {
    link.start { event in
      switch event {
      case .received(let bytes):
        // Inside the lock, so that the last word to the link is the latest.
        self.inflow.withLock {
          if $0.came(byteCount: bytes.count) { self.link.pauseReceiving(true) }
        }
        self.execute { self.take(bytes) }
      case .drained where !self.waitsForRoom: break
      default: self.execute { self.handle(event) }
      }
    }
  }

  /// Whether something goes out once the link has room: it is kept before one looks for that room. *Thread*: any.
  private var waitsForRoom: Bool { work.withLock { $0.waiting != nil || $0.wishes.first != nil } }

  /// Handles a message, or keeps it until the push before it is merged.
  func take(_ bytes: [UInt8]) {
    let waits = work.withLock { work in
      if work.isHeld { work.deferred.append(bytes) }
      return work.isHeld
    }
    guard !waits else { return }
    receive(bytes)
    inflow.withLock { if $0.handled(byteCount: bytes.count) { link.pauseReceiving(false) } }
  }

  /// When the other side wants this one back; nil where it did not say.
  package var later: Signal<Later?> { laterNode.signal }

  /// Says farewell and closes the link.
  package func stop(_ sentence: String = "This device goes away and will be back.") {
    execute { self.offer(.stop(.goingAway, Array(sentence.utf8))) }
  }

  /// Tells the other side that blobs have arrived here.
  package func announce(_ hashes: [BlobHash]) {
    execute {
      if case .live = self.machine.state.value { self.send(.have(hashes)) }
    }
  }

  /// Fetches a blob next, whatever the order of blobs says: somebody asked for it.
  package func fetch(_ blob: BlobReference) {
    execute {
      do {
        guard self.fetchesBlobs else { return }
        self.work.withLock { $0.blobs.ask(for: blob) }
        if case .live = self.machine.state.value { try self.fetchNext() }
      } catch {
        self.fail(error)
      }
    }
  }

  private func handle(_ event: LinkEvent) {
    switch event {
    case .opened: open()
    case .received(let bytes): take(bytes)
    case .drained:
      readOn()
      sendBlobPieces()
    case .closed(let failure):
      offer(.linkClosed(Array((failure?.description ?? "").utf8)))
      finish()
    }
  }

  private func open() {
    do {
      let site = store.site(in: configuration.space)
      let seq = try store.seq(of: site, in: configuration.space)
      let hello = Hello(
        space: configuration.space, site: site, isLeaf: configuration.isLeaf, seq: seq)
      work.withLock { $0.site = site }
      // A session that was stopped meanwhile observes nothing.
      if machine.offer(.opened(hello, terms)) { observe() }
    } catch {
      fail(error)
    }
  }

  private var terms: Conversation.Terms {
    let pushBytesMax: UInt64 =
      switch configuration.authority {
      case .all: .max
      case .own: Self.guestPushBytesMax
      case .none: Self.viewerPushBytesMax
      }
    return Conversation.Terms(
      trustsPeer: configuration.authority == .all, believesPeer: configuration.believesPeer,
      pushBytesMax: pushBytesMax,
      messageBytesSoftMax: min(configuration.messageBytesSoftMax, link.messageBytesMax),
      features: configuration.features)
  }

  private func observe() {
    let space = configuration.space
    let commits = store.observeCommits { [weak self] commit in
      guard commit.space == space, let self, !self.bugs.commitNotNoticed else { return }
      self.execute { self.committed(commit) }
    }
    let losses = store.blobs.observeLosses { [weak self] _ in
      guard let self else { return }
      // What cannot be read now is asked for at the next session.
      self.execute { if case .live = self.machine.state.value { try? self.fetchMissingBlobs() } }
    }
    let heartbeat = Pendulum(every: .seconds(5), clock: clock) { [weak self] _ in
      guard let self else { return }
      guard case .live = self.machine.state.value, self.isBehind else {
        return self.execute {
          self.offer(.beat)
          self.beatAudit()
        }
      }
      // At once: the executor may be what is busy.
      self.send(.pong(0))
    }
    let observations = [commits, losses] + blobObservations()
    work.withLock {
      $0.observations = observations
      $0.heartbeat = heartbeat
    }
  }

  /// Whether what came is still being taken in.
  private var isBehind: Bool {
    inflow.withLock { $0.isBehind } || work.withLock { $0.isHeld }
  }

  private func finish() {
    let (heartbeat, observations) = work.withLock { work in
      defer {
        work.heartbeat = nil
        work.observations = []
        work.gathered = Gathered()
        work.waiting = nil
        work.fragments = []
        work.merging = nil
        work.isResting = false
        work.deferred = []
        work.rest = nil
      }
      return (work.heartbeat, work.observations)
    }
    discardStaged()
    endPeerSession()
    endBlobs()
    endTaps()
    endAudit(nil)
    work.withLock { $0.audit = Audit() }
    heartbeat?.cancel()
    for observation in observations { observation.cancel() }
  }

  /// A store with another incarnation than the one that was introduced comes again under it; so does
  /// one that heard of another's, since what it sends to whom rests on the numbers of the old one.
  private func committed(_ commit: Commit) {
    let isOver = commit.comparesAnew && !bugs.renewedSiteTakesOn
    guard !isRenewed, !isOver else { return compareAnew() }
    if commit.horizon != nil {
      do {
        guard try isSound() else { return }
        if case .live = machine.state.value { try tellHorizon() }
      } catch {
        return fail(error)
      }
    }
    if !commit.repaired.isEmpty, case .live = machine.state.value { sendOn(commit.repaired) }
    if let taken = commit.taken, taken.bringer == ObjectIdentifier(self),
      case .live = machine.state.value
    {
      offer(.took(after: taken.after, upTo: commit.arrival))
      return goOnAuditing()
    }
    offer(.committed)
  }

  /// Whether this store writes under another site than the one that said hello here.
  var isRenewed: Bool {
    let site = work.withLock { $0.site }
    return site != nil && site != store.site(in: configuration.space) && !bugs.renewedSiteTakesOn
  }

  /// Ends the session, so that the next one compares everything.
  func compareAnew() {
    let sentence = "A device went back to an earlier state; everything is compared again."
    offer(.stop(.renewed, Array(sentence.utf8)))
  }

  private func receive(_ bytes: [UInt8]) {
    do {
      var message = try Message(decoding: bytes)
      if case .fragment(let isLast, let part) = message {
        guard let whole = try assemble(part, isLast: isLast) else {
          return offer(.received(message))
        }
        message = whole
      }
      guard configuration.takes(message) else { return refuse(message) }
      try machine.send(.received(message))
      hear(message)
    } catch let error as WireError {
      violate(error.description)
    } catch {
      violate("A message came out of turn.")
    }
  }

  private func refuse(_ message: Message) {
    // A side that asks for a blob is told that the blob comes from elsewhere.
    if case .want(let hash, _) = message { return send(.lack(hash)) }
    violate("This side may not send that.")
  }

  var bugs: SeededBugs { store.options.seededBugs }

  func offer(_ event: Conversation.Event) { _ = machine.offer(event) }

  /// Ends the session, because the other side sent what no replica sends.
  func violate(_ sentence: String) { offer(.violated(Array(sentence.utf8))) }

  /// Ends the session, because the store failed. What failed is told here alone: its words may name
  /// folders of this machine.
  func fail(_ error: any Error) {
    if (error as? StoreError)?.code == .stagedLost {
      let sentence = "A part of what was sent came too late, or is gone: it is sent again."
      return offer(.stop(.goingAway, Array(sentence.utf8)))
    }
    if let error = error as? StoreError, error.code != .closed { configuration.failed?(error) }
    offer(.storeFailed(Array(Self.sentence(of: error).utf8)))
  }

  /// What the other side is told of a failure of the store.
  package static func sentence(of error: any Error) -> String {
    let isFull = (error as? StoreError)?.code == .diskFull
    return (isFull ? "The disk of a replica is full." : "A replica could not use its disk.")
      + " Nothing is lost: what was not taken stays where it is, and goes when "
      + (isFull ? "there is room." : "the disk works again.")
  }

  func send(_ message: Message) {
    for part in message.encodedParts(linkBytesMax: link.messageBytesMax) { link.send(part) }
  }

  private func perform(_ effect: Conversation.Effect) {
    do {
      switch effect {
      case .send(let message): send(message)
      case .lookUp(let hello, let mayNameBeyond): try lookUp(hello, mayNameBeyond)
      case .resume(let position, let told, let isBeyond):
        try resume(from: position, told, isBeyond: isBeyond)
      case .takeAnew: work.withLock { $0.takesAnew = true }
      case .readRefusals, .readWindow:
        work.withLock { $0.waiting = effect }
        readOn()
      case .stage(let changes, let refusals): try stage(changes, refusals)
      case .stagePart(let part): try stage(part)
      case .apply(let arrival): try apply(arrival)
      case .acknowledged: break
      case .renew(let ownSeq):
        // As work of its own, since it may be long.
        execute { self.renew(keeping: ownSeq) }
      case .blob(let message): try handleBlob(message)
      case .later(let later): laterNode.value = later
      case .close:
        link.close()
        finish()
      }
    } catch {
      fail(error)
    }
  }

  private func renew(keeping ownSeq: UInt64?) {
    let (site, peer, lostSeq) = work.withLock { ($0.site, $0.peer, $0.lostSeq) }
    do {
      if let site {
        try store.mintIncarnation(
          after: site, keeping: ownSeq, in: configuration.space, found: peer ?? site,
          lostSeq: lostSeq, isProven: ownSeq != nil)
      }
      offer(.renewed)
    } catch {
      fail(error)
    }
  }
}

/// Lets the machine's effects reach a session that is made after the machine.
///
/// Unchecked: it is set once, by the session's initializer, before the machine is sent any event.
private final class Performer: @unchecked Sendable {
  weak var session: Session?
}
