package import ReunionCore
import ReunionFlow
import ReunionStore

extension Session {
  /// What came of a push and is not staged yet.
  struct Gathered {
    var changes: [Change] = []
    var refusals: [Refusal] = []
    var byteCount = 0
    var count: Int { changes.count + refusals.count }
  }

  /// A push that is merged part by part.
  struct Merging {
    let push: IncomingPush
    let arrival: Conversation.Arrival
    var parts: ArraySlice<IncomingPush>
    var applied = Applied()
  }

  /// The peer of the conversation, once it has said hello.
  package var peer: Hello? {
    switch state.value {
    case .comparing(let meeting), .pulling(let meeting), .resuming(let meeting): meeting.peer
    case .live(let live): live.peer
    case .idle, .greeting, .renewing, .closed: nil
    }
  }

  /// Looks up what is held here, and what the other side told when it was here last.
  ///
  /// A side that has joined as a device speaks for that device alone. It could otherwise disturb
  /// what another sends, and hear and answer what another was refused.
  func lookUp(_ hello: Hello, _ mayNameBeyond: Bool) throws {
    var device = configuration.device
    if case .own(let own) = configuration.authority { device = own }
    if let device, hello.site.device != device {
      violate("The hello names another device.")
      return
    }
    // A store uses it for itself.
    guard hello.site.device != 0 else { return violate("The hello names no device.") }
    work.withLock { work in
      work.peer = hello.site
      work.whole = []
      work.audit.coming = []
      work.isFirst = true
      // Where the other side asks for all once more, what it was sent of a block went for nothing.
      if case .sending = work.block, !bugs.blockGoesOnAfterNameAll { work.block = .unasked }
    }
    beginPeerSession(hello)
    if configuration.authority != .none {
      try store.discardStaged(from: hello.site, in: configuration.space)
    }
    try store.sweep(configuration.space)
    try followBlobPolicy()
    // Before the pull, after which the other side may push.
    try tellHorizon()
    if work.withLock({ $0.takesAnew }) {
      return offer(.lookedUp(position: [], vector: VersionVector()))
    }
    if configuration.isLeaf, try store.isRenewed(hello.site, in: configuration.space) {
      // A cache asks for everything, its own changes that others wrote over too: what its peer does not
      // have any more goes here.
      work.withLock { $0.replacesOthers = true }
      return offer(.lookedUp(position: [], vector: VersionVector()))
    }
    if configuration.dialsServer,
      try store.mustRelearn(from: hello.site, in: configuration.space)
    {
      try store.relearn(from: hello.site, in: configuration.space)
      work.withLock { ($0.takesAnew, $0.relearns) = (true, true) }
      return offer(.lookedUp(position: [], vector: VersionVector()))
    }
    let pull = try store.pull(
      from: hello, in: configuration.space, isLeaf: configuration.isLeaf,
      mayNameBeyond: mayNameBeyond)
    work.withLock { $0.isFirst = pull.position.isEmpty }
    offer(.lookedUp(position: pull.position, vector: pull.vector, isBeyond: pull.isBeyond))
    beginTaps()
  }

  /// Nothing is taken any more of what an earlier session still brings of a page, or of anybody whose changes may be
  /// refused: they may have dropped some of it since. What others still bring is written over by what they sent later.
  private func beginPeerSession(_ hello: Hello) {
    let mayRefuse =
      configuration.authority != .all || configuration.rule != nil
      || configuration.allowance != nil
    guard hello.isLeaf || mayRefuse, work.withLock({ $0.peerSession == nil }) else { return }
    let number = store.beginSession(of: hello.site, in: configuration.space)
    work.withLock { $0.peerSession = number }
  }

  func endPeerSession() {
    let (number, site) = work.withLock { ($0.peerSession, $0.peer) }
    guard let number, let site else { return }
    store.endSession(number, of: site, in: configuration.space)
  }

  /// Looks up what the position is worth that the other side presents.
  func resume(from position: [UInt8], _ told: VersionVector, isBeyond: Bool) throws {
    // What this side said of itself is another's by now: a different session found it rolled back.
    guard !isRenewed else { return compareAnew() }
    let seq = try store.seq(of: store.site(in: configuration.space), in: configuration.space)
    var resumption = try store.resume(
      from: position, in: configuration.space, ownOnly: configuration.sendsOwnOnly,
      isLeaf: configuration.isLeaf && !bugs.copyBelieved, beyond: isBeyond ? told : nil,
      ofLeaf: peer?.isLeaf == true ? peer?.site.device : nil)
    if !resumption.isRolledBack, let behind = try judge(position, told, isBeyond: isBeyond) {
      resumption = behind
    }
    work.withLock { $0.block = .unasked }
    let toldSeq = store.toldSeq(
      position, in: configuration.space, ownOnly: configuration.sendsOwnOnly)
    work.withLock { $0.lostSeq = toldSeq }
    if case .at(let cursor, let ownSeq) = resumption {
      work.withLock { $0.provenSeq = ownSeq ?? 0 }
      if bugs.ownClaimBelieved { resumption = .at(cursor: cursor, ownSeq: nil) }
    }
    offer(.resumed(resumption, seq: seq))
    beginTaps()
  }

  /// Drops what a push that was broken off has left on the disk.
  func discardStaged() {
    let (site, session) = work.withLock { work in
      defer { work.stagedCount = 0 }
      return (work.stagedCount > 0 ? work.peer : nil, work.peerSession)
    }
    // What cannot be dropped now is dropped when the store is opened or the peer comes back. What a later session of
    // the peer has put aside stays.
    if let site, (try? store.checkSession(session, of: site, in: configuration.space)) != nil {
      try? store.discardStaged(from: site, in: configuration.space)
    }
    unstage()
  }

  /// Reads the part of a push that waits, once the link has room for it.
  func readOn() {
    // A cache that takes everything anew claims nothing before it knows what its peer has lost.
    guard link.queuedBytes < link.queuedBytesSoftMax,
      let effect = work.withLock({ $0.replacesOthers || $0.takesAnew ? nil : $0.waiting.take() }),
      let peer
    else { return }
    do {
      switch effect {
      case .readRefusals where !configuration.tellsRefusals:
        offer(.refusalsRead([], standing: [], upTo: nil))
      case .readRefusals(let number):
        let found = try store.refusals(
          of: peer.site, after: number, in: configuration.space,
          bytesMax: configuration.windowBytes)
        if bugs.refusalForgotten, let last = found.last {
          try store.answerRefusals(
            of: peer.site, upTo: last.number, in: configuration.space)
        }
        let standing = found.flatMap { each in
          each.cells.map {
            Change(entity: each.refusal.entity, record: each.refusal.record, cell: $0)
          }
        }
        notePlain(standing, isOver: false)
        offer(
          .refusalsRead(found.map(\.refusal), standing: standing, upTo: found.last?.number))
      case .readWindow(var reading):
        reading.goesWhole = try goesWhole()
        if try readPart(reading, for: peer) { return }
        reading.audited = takeAudited()
        let window = try store.window(
          in: configuration.space, reading,
          ofDevice: configuration.isLeaf || configuration.sendsOwnOnly
            ? store.device(in: configuration.space) : nil,
          ownOnly: configuration.sendsOwnOnly,
          toLeaf: peer.isLeaf ? peer.site.device : nil,
          bytesMax: configuration.windowBytes)
        guard try isSound() else { return }
        if let parts = try packed(window, of: reading) {
          return offer(.partsRead(parts, cursor: window.cursor))
        }
        notePlain(window.changes, isOver: window.end != nil)
        sendNames(of: window.whole)
        tellAudited(window.audited, of: reading.audited)
        offer(.windowRead(window.changes, cursor: window.cursor, end: window.end))
        if window.end != nil { audited() }
      default: break
      }
    } catch {
      fail(error)
    }
  }

  /// Notes that changes of a push go as they are; no parts follow until it is over.
  private func notePlain(_ changes: [Change], isOver: Bool) {
    work.withLock { $0.isPushUnpacked = !isOver && ($0.isPushUnpacked || !changes.isEmpty) }
  }

  /// Gives the room back that a push had on the disk.
  private func unstage() {
    let byteCount = work.withLock { work in
      defer { work.stagedByteCount = 0 }
      return work.stagedByteCount
    }
    if byteCount > 0 { configuration.allowance?.unstages(byteCount) }
  }

  /// Gathers a push, in memory up to 256 KiB and then on disk.
  func stage(_ changes: [Change], _ refusals: [Refusal]) throws {
    let byteCount = changes.reduce(64 * refusals.count) { $0 + 64 + $1.cell.value.bytes.count }
    let full: Gathered? = work.withLock { work in
      work.gathered.changes += changes
      work.gathered.refusals += refusals
      work.gathered.byteCount += byteCount
      // Of a viewer nothing is taken; it sends little, and none of it reaches the disk.
      guard work.gathered.byteCount > configuration.gatheredBytesMax,
        configuration.authority != .none
      else { return nil }
      defer { work.gathered = Gathered() }
      return work.gathered
    }
    guard let full, let peer else { return }
    if bugs.halfCatchUpShown {
      let position = try store.position(of: peer.site, in: configuration.space)
      return _ = try store.apply(
        incoming(full, from: peer, position: position), in: configuration.space,
        authority: configuration.authority)
    }
    try store.checkSession(
      work.withLock { $0.peerSession }, of: peer.site, in: configuration.space)
    var pause = Duration.zero
    if let allowance = configuration.allowance {
      guard let asked = allowance.stages(full.byteCount, full.count) else {
        let sentence = "This is more than a guest may send at once. It goes on by itself."
        return offer(.storeFailed(Array(sentence.utf8)))
      }
      pause = asked
    }
    work.withLock { work in
      work.stagedByteCount += full.byteCount
      work.stagedCount += full.count
    }
    try store.stage(full.changes, full.refusals, from: peer.site, in: configuration.space)
    guard pause > .zero else { return }
    work.withLock { $0.isResting = true }
    rest(for: pause) { $0.resumeReceiving() }
  }

  /// Applies a push, which is on disk when it is acknowledged: in one commit, or a large one of a guest's in
  /// several.
  func apply(_ arrival: Conversation.Arrival) throws {
    guard let peer, try isSound() else { return }
    let (gathered, stagedCount) = work.withLock { work in
      defer {
        work.gathered = Gathered()
        work.stagedCount = 0
      }
      return (work.gathered, work.stagedCount)
    }
    if bugs.cursorSetFirst {
      let early = incoming(
        Gathered(), from: peer, position: arrival.position, stagedCount: stagedCount)
      _ = try store.apply(early, in: configuration.space, authority: .all)
    }
    if bugs.acknowledgeBeforeCommit {
      send(.acknowledge(cursor: arrival.cursor))
    }
    var push = incoming(
      gathered, from: peer, position: arrival.position, stagedCount: stagedCount)
    push.receiver = work.withLock { $0.site }
    push.partsMayBeBeyond = work.withLock { work in
      defer { work.arePartsBeyond = false }
      return work.arePartsBeyond
    }
    push.raised = arrival.raised
    push.vector = arrival.held.told
    push.heldUpTo = arrival.held.upTo
    push.isAllNamed = arrival.isAllNamed
    push.answered = arrival.answered
    push.replacesOthers = work.withLock { work in
      defer { work.replacesOthers = false }
      return work.replacesOthers
    }
    push.isAnew = work.withLock { $0.takesAnew }
    push.isRelearnt = work.withLock { $0.relearns }
    // A server decides for itself what is gone.
    push.isFirst = work.withLock { $0.isFirst && $0.isToldOfHorizon } && !configuration.tellsHorizon
    push.peerHorizon = work.withLock { $0.horizon }
    push.whole = work.withLock { work in
      defer { work.whole = [] }
      return work.whole
    }
    push.audited = work.withLock { work in
      defer { work.audit.coming = [] }
      return work.audit.coming
    }
    if !bugs.sessionGoesOnBelow { push.soundHorizon = work.withLock { $0.judgedHorizon } }
    if configuration.followsHorizon { push.markedCursor = arrival.cursor }
    if push.replacesOthers { try renewWhatIsLost(&push) }
    if let rule = configuration.rule, configuration.authority != .none {
      for verdict in try store.judge(&push, in: configuration.space, by: rule) {
        configuration.ruledOut?(verdict.device, verdict.sentence)
      }
    }
    let parts = try store.parts(
      of: push, in: configuration.space, authority: configuration.authority,
      changesMax: configuration.allowance?.changesAtOnce() ?? .max)
    work.withLock { $0.merging = Merging(push: push, arrival: arrival, parts: parts[...]) }
    try mergePart()
  }

  /// Merges the next part of a push. Others take their turns between two, and a guest's next message
  /// waits as long as the allowance says.
  private func mergePart() throws {
    guard let part = work.withLock({ $0.merging?.parts.popFirst() }) else { return }
    var next = part
    if let allowance = configuration.allowance { next.weightMax = allowance.rest() }
    let done = try store.apply(next, in: configuration.space, authority: configuration.authority)
    let pause = configuration.allowance?.took(done.weight, next.changes.count) ?? .zero
    let merged: Merging? = work.withLock { work in
      work.merging?.applied.add(done)
      guard let merging = work.merging else { return nil }
      let isOver =
        merging.parts.isEmpty || done.comparesAnew || done.isForked || done.isOutdated
      return isOver ? merging : nil
    }
    if let merged {
      unstage()
      try finish(merged)
      return rest(for: pause) { $0.resumeReceiving() }
    }
    rest(for: pause) { session in
      do { try session.mergePart() } catch { session.fail(error) }
    }
  }

  /// Goes on after a pause; at once, but as work of its own, where there are parts left and no pause.
  private func rest(for pause: Duration, then goOn: @escaping @Sendable (Session) -> Void) {
    guard pause > .zero else {
      let isOver = work.withLock { $0.merging?.parts.isEmpty ?? true }
      return isOver ? goOn(self) : execute { goOn(self) }
    }
    let countdown = Countdown(after: pause, clock: clock) { [weak self] in
      guard let self else { return }
      self.execute { goOn(self) }
    }
    work.withLock { $0.rest = countdown }
  }

  /// Handles what came while a push was merged or others had their turns.
  private func resumeReceiving() {
    work.withLock { ($0.merging, $0.isResting) = (nil, false) }
    while let bytes = work.withLock({ work -> [UInt8]? in
      guard !work.isHeld, !work.deferred.isEmpty else { return nil }
      return work.deferred.removeFirst()
    }) { take(bytes) }
  }

  /// What follows when a push is merged.
  private func finish(_ merging: Merging) throws {
    let (push, applied) = (merging.push, merging.applied)
    guard !isRenewed else { return compareAnew() }
    guard !applied.isOutdated else { return endOutdated() }
    work.withLock { ($0.takesAnew, $0.relearns, $0.isFirst) = (false, false, false) }
    if push.replacesOthers || push.isAnew { readOn() }
    guard !applied.isForked else {
      work.withLock {
        $0.lostSeq = max($0.lostSeq, push.vector[store.site(in: configuration.space)])
      }
      offer(.foundForked)
      return
    }
    // What was not merged is not acknowledged.
    guard merging.parts.isEmpty || !applied.comparesAnew else { return compareAnew() }
    work.withLock { $0.appliedCursor = merging.arrival.cursor }
    offer(.applied(cursor: merging.arrival.cursor, refusedCount: applied.refusedCount))
    configuration.standing?.applied(self)
    work.withLock { $0.audit.brought = push.audited }
    if applied.repairedCount > 0 { configuration.repaired?(applied.repairedCount) }
    if !applied.fuller.isEmpty { took(applied.fuller) }
    if applied.comparesAnew { return compareAnew() }
    try followHorizon()
    guard fetchesBlobs else { return }
    let isFirst = work.withLock { work in
      defer { work.hasLookedForBlobs = true }
      return !work.hasLookedForBlobs
    }
    // A deletion that was taken back leaves a record, whose blobs were nobody's wish.
    let isTakenBack = push.mayTakeBack && !bugs.takenBackWithoutBlobs
    if isFirst || isTakenBack { try fetchMissingBlobs() } else { try fetchBlobs(applied.wanted) }
  }

  /// Issues anew what a peer that went back has lost of this store's changes. It lets go of what others
  /// wrote over them, so that it may not say any more that it holds them.
  private func renewWhatIsLost(_ push: inout IncomingPush) throws {
    let site = store.site(in: configuration.space)
    let seq = try store.seq(of: site, in: configuration.space)
    guard seq > push.vector[site], !bugs.lostChangesClaimed else { return }
    try store.mintIncarnation(
      after: site, keeping: push.vector[site], in: configuration.space, found: push.peer,
      isForked: false)
    push.provenSeq = 0
    push.receiver = store.site(in: configuration.space)
  }

  /// A push of which nothing is claimed yet.
  private func incoming(
    _ gathered: Gathered, from peer: Hello, position: [UInt8], stagedCount: Int = 0
  ) -> IncomingPush {
    var push = IncomingPush(
      peer: peer.site, isLeaf: peer.isLeaf, helloSeq: peer.seq, changes: gathered.changes,
      refused: gathered.refusals, stagedCount: stagedCount, raised: VersionVector(),
      vector: VersionVector(), position: position,
      provenSeq: work.withLock { $0.provenSeq })
    push.session = work.withLock { $0.peerSession }
    push.bringer = ObjectIdentifier(self)
    push.isBelieved = configuration.believesPeer
    push.isServers = configuration.dialsServer
    push.feedsCache = configuration.isLeaf
    push.sentDevice =
      configuration.isLeaf || configuration.sendsOwnOnly
      ? store.device(in: configuration.space) : nil
    return push
  }
}
