extension Conversation {
  /// Both sides while changes flow: what each holds, what is on its way, and what is unanswered.
  package struct Live: Hashable, Sendable {
    /// How we introduced ourselves.
    package let ours: Hello
    /// How the other side introduced itself.
    package let peer: Hello
    /// Whether a push of the other side has been applied since the link opened: what it held then
    /// is held here.
    package internal(set) var hasCaughtUp = false
    /// Our arrival number up to which the other side has everything on its disk.
    package internal(set) var acknowledgedCursor: UInt64 = 0
    /// Our arrival number up to which everything was sent, with the end of its push.
    package internal(set) var endedCursor: UInt64
    /// Our arrival number from which pushes go on: all up to there is held at the other side.
    let resumedCursor: UInt64
    /// What the two sides are to each other.
    package let terms: Terms
    /// What the other side holds, by its word and its acknowledgements. When it has applied what we sent, it
    /// holds all that stood here at `reading.vectorAfter` as well.
    var held: Held
    var theirSites: SiteNumbers
    var ourSites: SiteNumbers

    /// From where the next part of a push is read.
    var reading: Reading
    var push = Push()
    /// The pushes that the other side has not answered, the oldest first.
    var unanswered: [Unanswered] = []
    /// The pushes of the other side that are applied and not yet acknowledged, because their refusals
    /// go first.
    var owed: [UInt64] = []
    /// The pushes of the other side that are being applied and take something of ours back.
    var takingBack: [UInt64] = []
    /// Whether nothing has arrived here yet that a position could name: the other side gets one when its first
    /// push has.
    var isPositionOwed = false
    /// Whether a refusal has come in for the push that is coming in.
    var isRefused = false
    /// Where our pushes began, until the other side's first one has come.
    private var start: Start?
    /// Whether we told what is held beyond the other side's position, and no more.
    let namedBeyond: Bool
    /// Whether we were asked to take all anew.
    private let isOursOld: Bool
    /// Whether the next push to end names all that the other side holds.
    var isAllNamed: Bool
    /// The number of the last refusal that the other side acknowledged and has not proved taken back: its
    /// next push does, whose position names the commit that did.
    var refusalsAcknowledged: Int64 = 0
    /// The number of the last refusal that went out in this session.
    var refusalsSent: Int64 = 0
    /// Whether there may be refusals to send.
    var areRefusalsDue = true
    /// Bytes of the push that is coming in.
    var incomingBytes: UInt64 = 0
    /// How long nothing was heard.
    var silence = Silence()

    /// What decides which events do what, as a number: for models of the machine.
    package var phase: Int {
      [
        push.awaited == .refusals, push.awaited == .window, push.isDirty, push.isGreeted,
        push.isTold, push.isOwed, push.owedCount > 0, silence.isTakingIn,
        owed.count > push.owedCount, areRefusalsDue, hasCaughtUp, !unanswered.isEmpty,
        start != nil, namedBeyond, isOursOld, isPositionOwed,
      ].reduce(silence.beats) { $0 * 2 + ($1 ? 1 : 0) }
    }

    /// Our arrival number up to which everything was sent.
    package var sentCursor: UInt64 { reading.after }

    /// Our arrival number up to which the other side has everything on its disk, as its position, its
    /// acknowledgements and, where nothing is on its way, what it lacks prove.
    package var provenCursor: UInt64 {
      let isAnswered = push.isGreeted && push.awaited == .nothing && unanswered.isEmpty
      return max(resumedCursor, isAnswered ? reading.after : acknowledgedCursor)
    }

    /// Whether the other side says that it holds a change; of those that are sent whatever it says, no word counts.
    package func isTold(_ dot: Dot) -> Bool {
      (dot.site != ours.site || reading.ownSeq == nil) && held.told.covers(dot)
    }

    /// The meeting once more, where the other side may still ask us to pull again: until its first push.
    var meetingAnew: Meeting? {
      guard let start else { return nil }
      var meeting = Meeting(ours: ours, peer: peer, terms: terms, namesBeyond: false)
      meeting.theirSites = theirSites
      meeting.start = start
      meeting.isOursOld = isOursOld
      return meeting
    }

    init(_ meeting: Meeting, _ start: Start) {
      ours = meeting.ours
      peer = meeting.peer
      terms = meeting.terms
      held = start.held
      resumedCursor = start.cursor
      endedCursor = start.cursor
      self.start = meeting.namedBeyond || meeting.terms.takesBehind ? start : nil
      namedBeyond = meeting.namedBeyond
      isOursOld = meeting.isOursOld
      isAllNamed = !meeting.namedBeyond
      theirSites = meeting.theirSites
      ourSites = meeting.ourSites
      reading = Reading(
        after: start.cursor, vectorAfter: start.held.upTo, ownSeq: start.ownSeq)
    }
  }

  /// What an event leads to while changes flow.
  enum Onward {
    /// It is not valid now.
    case invalid
    case going([Effect])
    /// Changes flow no longer.
    case over(State, [Effect])
  }
}

extension Conversation.Live {
  typealias Effect = Conversation.Effect

  mutating func next(_ event: Conversation.Event) -> Conversation.Onward {
    switch event {
    case .committed:
      return .going(pushAgain())
    case .took(let after, let upTo):
      guard isIdle, reading.after == after else { return .going(pushAgain()) }
      // A push that tells nothing new would not be sent.
      (reading.after, endedCursor) = (upTo, upTo)
      return .going([])
    case .refusalsRead(let refusals, let standing, let upTo):
      return sendRefusals(refusals, standing, upTo)
    case .windowRead(let changes, let cursor, let end):
      return send(changes, cursor, end)
    case .partsRead(let parts, let cursor):
      guard push.awaited == .window else { return .invalid }
      push.isTold = true
      reading.after = cursor
      return .going(parts.map { .send(.part($0)) } + [readOn()])
    case .applied(let cursor, let refusedCount):
      return .going(applied(cursor, refusedCount))
    case .foundForked:
      return .over(.renewing, [.renew(beyond: nil)])
    case .beat:
      guard let effects = silence.beat() else {
        return .over(.closed(.silent), [.close])
      }
      return .going(effects)
    case .received(let message):
      silence.heard(message)
      return receive(message)
    default: return .invalid
    }
  }

  private mutating func receive(_ message: Message) -> Conversation.Onward {
    switch message {
    case .changes(let changes):
      var byteCount: UInt64 = 0
      for change in changes { byteCount += 64 + UInt64(change.cell.value.bytes.count) }
      return stage(changes, [], byteCount)
    case .part(let part):
      guard terms.trustsPeer, terms.features.takesParts else {
        return violated("This side takes no part of a block.")
      }
      start = nil
      return .going([.stagePart(part)])
    case .refused(let refusals):
      guard terms.trustsPeer else { return violated("A guest cannot refuse changes.") }
      isRefused = true
      return stage([], refusals, UInt64(refusals.count) * 64)
    case .pushEnd(let end): return arrive(end)
    case .acknowledge(let cursor): return .going(acknowledged(cursor))
    case .want, .blob, .lack, .have: return .going([.blob(message)])
    case .later(let later): return .going([.later(later.bounded)])
    case .ping(let number): return .going([.send(.pong(number))])
    case .pong, .fragment, .presence, .standing, .horizon, .whole, .reached, .audit, .unknown:
      return .going([])
    default: return .invalid
    }
  }

  // What comes in.

  private mutating func stage(
    _ changes: [Change], _ refusals: [Refusal], _ byteCount: UInt64
  ) -> Conversation.Onward {
    incomingBytes += byteCount
    // What it tells rests on what it knows: it asks for no more than that.
    start = nil
    guard incomingBytes <= terms.pushBytesMax else {
      return violated("The other side sent more in one push than it may.")
    }
    return .going([.stage(changes, refusals)])
  }

  private mutating func arrive(_ end: PushEnd) -> Conversation.Onward {
    incomingBytes = 0
    var raised = VersionVector()
    for entry in end.raised {
      let site: Site
      switch entry.site {
      case .new(let new):
        guard theirSites.count < Conversation.sitesMax, theirSites.add(new) else {
          return violated("A push names a site twice.")
        }
        site = new
      case .known(let number):
        guard let known = theirSites[number] else { return violated("A push names no site.") }
        site = known
      }
      guard entry.seq <= Dot.seqMax else { return violated("A number is over its limit.") }
      raised.raise(site, to: entry.seq)
    }
    held.told.merge(raised)
    if isRefused { takingBack.append(end.cursor) }
    isRefused = false
    start = nil
    // What one without a position names counts with the next.
    defer { (refusalsAcknowledged, isAllNamed) = (0, isAllNamed && end.position.isEmpty) }
    return .going([
      .apply(
        Conversation.Arrival(
          cursor: end.cursor, position: end.position, raised: raised, held: held,
          answered: refusalsAcknowledged, isAllNamed: isAllNamed))
    ])
  }

  private mutating func applied(_ cursor: UInt64, _ refusedCount: Int) -> [Effect] {
    let isPositionOwed = isPositionOwed && !hasCaughtUp && !ours.isLeaf
    hasCaughtUp = true
    if isPositionOwed { push.isOwed = true }
    let index = takingBack.firstIndex(of: cursor)
    if let index {
      takingBack.remove(at: index)
      push.isOwed = true
    }
    guard refusedCount > 0 || !owed.isEmpty else {
      return [.send(.acknowledge(cursor: cursor))]
        + (index == nil && !isPositionOwed ? [] : pushAgain())
    }
    owed.append(cursor)
    areRefusalsDue = areRefusalsDue || refusedCount > 0
    return pushAgain()
  }

  // What goes out.

  /// Whether no push is under way, and none is owed.
  private var isIdle: Bool {
    push.awaited == .nothing && push.isGreeted && !push.isDirty && !push.isOwed && owed.isEmpty
      && !areRefusalsDue
  }

  /// Begins a push, now or when the one under way has ended.
  private mutating func pushAgain() -> [Effect] {
    guard push.awaited != .nothing else { return beginPush() }
    push.isDirty = true
    return []
  }

  /// Begins a push: what was refused goes first.
  mutating func beginPush() -> [Effect] {
    push.isDirty = false
    push.isTold = false
    push.owedCount = owed.count
    guard areRefusalsDue else { return [readOn()] }
    push.awaited = .refusals
    return [.readRefusals(after: refusalsSent)]
  }

  private mutating func readOn() -> Effect {
    push.awaited = .window
    var reading = reading
    reading.held = held.told
    return .readWindow(reading)
  }

  private mutating func sendRefusals(
    _ refusals: [Refusal], _ standing: [Change], _ upTo: Int64?
  ) -> Conversation.Onward {
    guard push.awaited == .refusals else { return .invalid }
    guard let upTo else {
      areRefusalsDue = false
      return .going([readOn()])
    }
    refusalsSent = upTo
    push.isTold = true
    return .going(
      messages(of: standing) + [.send(.refused(refusals)), .readRefusals(after: upTo)])
  }

  private mutating func send(
    _ changes: [Change], _ cursor: UInt64, _ end: Conversation.WindowEnd?
  ) -> Conversation.Onward {
    guard push.awaited == .window else { return .invalid }
    reading.after = cursor
    var effects = messages(of: changes)
    push.isTold = push.isTold || !changes.isEmpty
    guard let end else { return .going(effects + [readOn()]) }
    (reading.after, endedCursor) = (end.cursor, end.cursor)
    for dot in end.raised where dot.site == ours.site {
      if let ownSeq = reading.ownSeq { reading.ownSeq = max(ownSeq, dot.seq) }
    }
    let isNews = end.raised.contains { !held.told.covers($0) }
    // One that tells the other side nothing new is not sent, so that two that are equal fall silent.
    if push.isTold || push.isOwed || isNews || !push.isGreeted {
      guard unanswered.count < terms.unansweredMax else {
        return violated("The other side answers no push.")
      }
      reading.vectorAfter = end.cursor
      isPositionOwed = end.position.isEmpty
      unanswered.append(
        Conversation.Unanswered(cursor: end.cursor, raised: end.raised, refusals: refusalsSent))
      effects.append(.send(.pushEnd(tell(end))))
      push.isOwed = false
    }
    push.isGreeted = true
    push.awaited = .nothing
    for cursor in owed.prefix(push.owedCount) {
      effects.append(.send(.acknowledge(cursor: cursor)))
    }
    owed.removeFirst(push.owedCount)
    push.owedCount = 0
    if push.isDirty { effects += beginPush() }
    return .going(effects)
  }

  private mutating func tell(_ end: Conversation.WindowEnd) -> PushEnd {
    var raised: [PushEnd.Raised] = []
    // What it said itself that it holds is no news.
    for dot in end.raised where !held.told.covers(dot) {
      if let number = ourSites.number(of: dot.site) {
        raised.append(PushEnd.Raised(site: .known(number), seq: dot.seq))
      } else {
        _ = ourSites.add(dot.site)
        raised.append(PushEnd.Raised(site: .new(dot.site), seq: dot.seq))
      }
    }
    return PushEnd(cursor: end.cursor, position: end.position, raised: raised)
  }

  private mutating func acknowledged(_ cursor: UInt64) -> [Effect] {
    guard let index = unanswered.firstIndex(where: { $0.cursor == cursor }) else { return [] }
    var raised = VersionVector()
    for push in unanswered[...index] {
      for dot in push.raised { raised.raise(dot.site, to: dot.seq) }
    }
    held.upTo = max(held.upTo, cursor)
    // What stood here says as much.
    held.told.remove(coveredBy: raised)
    refusalsAcknowledged = max(refusalsAcknowledged, unanswered[index].refusals)
    acknowledgedCursor = max(acknowledgedCursor, cursor)
    unanswered.removeFirst(index + 1)
    return [.acknowledged(raised: raised.entries)]
  }

  /// The changes in messages that end at the size that the terms say.
  private func messages(of changes: [Change]) -> [Effect] {
    var effects: [Effect] = []
    var start = 0
    var byteCount = 0
    for index in changes.indices {
      let size = 80 + changes[index].cell.value.bytes.count
      if byteCount + size > terms.messageBytesSoftMax, index > start {
        effects.append(.send(.changes(Array(changes[start..<index]))))
        start = index
        byteCount = 0
      }
      byteCount += size
    }
    if start < changes.count { effects.append(.send(.changes(Array(changes[start...])))) }
    return effects
  }

  private func violated(_ text: StaticString) -> Conversation.Onward {
    var state = Conversation.State.idle
    let effects = Conversation.end(&state, .protocolError, Conversation.sentence(text))
    return .over(state, effects)
  }
}
