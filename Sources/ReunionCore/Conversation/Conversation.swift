/// The decisions of a session: what to send next, and what to do with what was received.
///
/// Pure: it reads no store, no clock and no link, and holds all state of a session. What must be
/// looked up or written comes back as an effect, and its result as an event. The same source decides
/// on a server, in an app, and, compiled to WebAssembly, in a browser.
/// Source: `docs/protocol.md` §2.
package enum Conversation: Sendable {
  /// What the two sides are to each other; it stays as it is while the link is open.
  package struct Terms: Hashable, Sendable {
    /// Whether the other side has the whole say here: it may change everything, and say what stands.
    package var trustsPeer: Bool
    /// Whether its word alone shows that this store went back to an earlier state.
    package var believesPeer: Bool
    /// What the other side may send in one push, in bytes.
    package var pushBytesMax: UInt64
    /// The size at which a message of changes ends and the next begins.
    package var messageBytesSoftMax: Int
    /// How many pushes may wait for their acknowledgement.
    package var unansweredMax: Int
    /// What this side takes beside what everybody takes, which it says before its hello.
    package var features: Features

    /// Makes terms; by default those of two full replicas that trust each other.
    package init(
      trustsPeer: Bool = true, believesPeer: Bool = true, pushBytesMax: UInt64 = .max,
      messageBytesSoftMax: Int = Message.bytesSoftMax, unansweredMax: Int = 4096,
      features: Features = .all
    ) {
      self.trustsPeer = trustsPeer
      self.believesPeer = trustsPeer && believesPeer
      self.pushBytesMax = pushBytesMax
      self.messageBytesSoftMax = messageBytesSoftMax
      self.unansweredMax = unansweredMax
      self.features = features
    }

    /// Whether the other side may say that what is held here is too old.
    var takesBehind: Bool { trustsPeer && features.takesHorizon }
  }

  /// Where the conversation stands.
  package indirect enum State: Hashable, Sendable {
    /// The link is not open yet.
    case idle
    /// Our hello is on its way; the other's is awaited, and what it takes is heard before it.
    case greeting(ours: Hello, Terms, theirs: Features = .none)
    /// What is held, and where the other's pushes resume, is being looked up.
    case comparing(Meeting)
    /// Our pull is on its way; the other's is awaited.
    case pulling(Meeting)
    /// Whether the other's position is one of ours is being looked up.
    case resuming(Meeting)
    /// Both know what the other holds; changes flow.
    case live(Live)
    /// This store went back to an earlier state, and takes a new incarnation.
    case renewing
    /// Over.
    case closed(Ending)
  }

  /// What is known of both sides before changes flow.
  package struct Meeting: Hashable, Sendable {
    /// How we introduced ourselves.
    package var ours: Hello
    /// How the other side introduced itself.
    package var peer: Hello
    /// What the two sides are to each other.
    package var terms: Terms
    /// Whether both sides know pulls that name what is held beyond a position.
    package var namesBeyond: Bool
    /// Whether we told what is held beyond the other side's position, and no more.
    var namedBeyond = false
    /// Whether the other side takes all anew where what it holds is older than what is gone here.
    var takesHorizon = false
    /// Whether it was asked to.
    var isTheirsOld = false
    /// Whether it asked us.
    var isOursOld = false
    /// Where our pushes begin, if the other side has pulled and asks us to name all.
    var start: Start?
    /// Whether we asked the other side to name all: what else comes until then is of no use.
    var awaitsAll = false
    /// How long nothing has come since.
    var silence = Silence()
    /// Whether nothing of the other side's pull has come.
    var isEmpty = true

    /// What decides which events do what, as a number: for models of the machine.
    package var phase: Int {
      [
        namesBeyond, namedBeyond, start != nil, awaitsAll, isEmpty, isBeyond, isTheirsOld,
        isOursOld,
        silence.isTakingIn,
      ]
      .reduce(silence.beats) { $0 * 2 + ($1 ? 1 : 0) }
    }
    /// Whether the other side holds all that its position names, and told the rest.
    var isBeyond = false
    /// What the other side says that it holds.
    var told = VersionVector()
    /// The numbers of the sites that it named.
    var theirSites = SiteNumbers()
    /// The numbers of the sites that we named.
    var ourSites = SiteNumbers()
  }

  /// Where pushes to the other side begin.
  struct Start: Hashable, Sendable {
    var cursor: UInt64
    var ownSeq: UInt64?
    var held: Held
  }

  /// Why a conversation is over.
  package struct Ending: Hashable, Sendable {
    /// Why, where either side said so; nil where the link just closed.
    package var code: Bye.Code?
    /// Whether the other side said it.
    package var isTheirs: Bool
    /// One sentence in UTF-8 for a person; empty if there is none.
    package var sentence: [UInt8]

    /// Makes an ending.
    package init(code: Bye.Code? = nil, isTheirs: Bool = false, sentence: [UInt8] = []) {
      self.code = code
      self.isTheirs = isTheirs
      self.sentence = sentence
    }
  }

  /// What happens to a conversation.
  package indirect enum Event: Hashable, Sendable {
    /// The link is open; our hello is this.
    case opened(Hello, Terms)
    /// A message came.
    case received(Message)
    /// What is held here, or what is beyond the position (`isBeyond`), and the position that the other side
    /// told at the end of its last push.
    case lookedUp(position: [UInt8], vector: VersionVector, isBeyond: Bool = false)
    /// What the other side's position is worth here; `seq` counts our own changes by now.
    case resumed(Resumption, seq: UInt64)
    /// Something was committed to the store.
    case committed
    /// While changes flow: a push of the other side was committed, of which there is nothing to tell it. What stood
    /// here at the arrival `after` stands at `upTo` now, with that push.
    case took(after: UInt64, upTo: UInt64)
    /// A part of the refusals that the other side has not answered. `upTo` is the number of the
    /// last one, or nil if none is left.
    case refusalsRead([Refusal], standing: [Change], upTo: Int64?)
    /// A part of a push: what was found up to the arrival `cursor`, and, where nothing is left, the
    /// end.
    case windowRead([Change], cursor: UInt64, end: WindowEnd?)
    /// A part of the space's block, in place of a part of a push to a newcomer: with the last one it has what
    /// stood here at the arrival `cursor`, which is 0 with the others. Or what `windowRead` would bring, in columns.
    case partsRead([PackedPart], cursor: UInt64)
    /// A push of the other side is on disk; `refusedCount` of its records were refused.
    case applied(cursor: UInt64, refusedCount: Int)
    /// The other side holds more of our own changes than we made: this store went back.
    case foundForked
    /// The store has a new incarnation.
    case renewed
    /// The store could not read or write; the sentence is for both sides.
    case storeFailed([UInt8])
    /// Another heartbeat, of 5 s, has passed.
    case beat
    /// The other side sent what no replica sends.
    case violated([UInt8])
    /// The greeting took too long.
    case greetingExpired
    /// The program ends the session.
    case stop(Bye.Code, [UInt8])
    /// The link has closed.
    case linkClosed([UInt8])
  }

  /// What the shell must do.
  package indirect enum Effect: Hashable, Sendable {
    /// Send a message.
    case send(Message)
    /// Look up what is held here and the position that this peer told last: answer `lookedUp`, before
    /// anything else. With `mayNameBeyond`, what is held beyond the position is enough, and to a leaf what is
    /// held of its device.
    case lookUp(Hello, mayNameBeyond: Bool)
    /// Look up what a position that we told is worth: answer `resumed`, before anything else. Whoever told
    /// what is beyond it alone holds the rest by its position.
    case resume(position: [UInt8], told: VersionVector, isBeyond: Bool)
    /// What is held here is older than what is gone at the other side: its next push is all that there is, and
    /// nothing is claimed or sent before that is applied.
    case takeAnew
    /// Read refusals after this number, when the link has room: answer `refusalsRead`.
    case readRefusals(after: Int64)
    /// Read a part of a push, when the link has room: answer `windowRead`, or `partsRead`.
    case readWindow(Reading)
    /// Keep changes and refusals until the push that they belong to ends.
    case stage([Change], [Refusal])
    /// Keep a part of a block likewise.
    case stagePart(PackedPart)
    /// Apply the push that ends here, all of it in one commit: answer `applied` or `foundForked`.
    case apply(Arrival)
    /// The other side has on disk what these own entries cover.
    case acknowledged(raised: [Dot])
    /// Write under a new incarnation from now on, and issue anew what was written beyond this own
    /// number and the other side may not hold (nil: beyond what it is known to hold): answer
    /// `renewed`.
    case renew(beyond: UInt64?)
    /// A message about blobs.
    case blob(Message)
    /// When the session is over, come back no sooner than the other side asks.
    case later(Later)
    /// Close the link.
    case close
  }

  /// How many seconds a state may last before `greetingExpired` is due; 0 for no limit.
  package static func patienceSeconds(_ state: State) -> Int {
    switch state {
    case .greeting: 15
    // What the other side pushed before it heard that it must name all may take longer.
    case .pulling(let meeting): meeting.awaitsAll ? 0 : 15
    default: 0
    }
  }

  /// Heartbeats of silence after which we ask, and after which we close.
  static let beatsUntilPing = 2
  static let beatsUntilClose = 3

  /// Leads the conversation on: the effects to perform in order, or nil for an event that is not
  /// valid in this state, which then stays as it is.
  package static func advance(_ state: inout State, by event: Event) -> [Effect]? {
    switch state {
    case .idle: return open(&state, event)
    case .greeting(let ours, let terms, let theirs):
      switch event {
      case .received(.features(let features)):
        state = .greeting(ours: ours, terms, theirs: features)
        return []
      case .received(.hello(let peer)): return greet(&state, ours, terms, peer, theirs)
      default: return listen(&state, event)
      }
    case .comparing(let meeting):
      switch event {
      case .lookedUp(let position, let vector, let isBeyond):
        return pull(&state, meeting, Pull(position: position, vector: vector, isBeyond: isBeyond))
      case .violated(let sentence): return end(&state, .protocolError, sentence)
      case .storeFailed(let sentence): return end(&state, .storageFailed, sentence)
      default: return nil
      }
    case .pulling(let meeting):
      switch event {
      case .received(.pull(let pull)): return take(&state, meeting, pull)
      case .received(.nameAll) where meeting.namedBeyond: return nameAll(&state, meeting)
      case .received(.behind) where meeting.terms.takesBehind: return takeAnew(&state, meeting)
      default: return meeting.awaitsAll ? awaitAll(&state, meeting, event) : listen(&state, event)
      }
    case .resuming(let meeting):
      switch event {
      case .resumed(let resumption, let seq): return resume(&state, meeting, resumption, seq: seq)
      case .storeFailed(let sentence): return end(&state, .storageFailed, sentence)
      default: return nil
      }
    case .live(let live):
      if case .received(.nameAll) = event, live.namedBeyond, let meeting = live.meetingAnew {
        return nameAll(&state, meeting)
      }
      if case .received(.behind) = event, live.terms.takesBehind, let meeting = live.meetingAnew {
        return takeAnew(&state, meeting)
      }
      return ends(&state, event) ?? flow(&state, event)
    case .renewing: return ends(&state, event) ?? renew(&state, event)
    case .closed: return nil
    }
  }

  /// Before the link is open.
  private static func open(_ state: inout State, _ event: Event) -> [Effect]? {
    switch event {
    case .opened(let hello, let terms):
      state = .greeting(ours: hello, terms, theirs: .none)
      let says = terms.features == .none ? [] : [Message.features(terms.features)]
      return (says + [.hello(hello)]).map { .send($0) }
    case .storeFailed(let sentence): return end(&state, .storageFailed, sentence)
    case .stop, .linkClosed: return ends(&state, event)
    default: return nil
    }
  }

  /// While the other side's greeting is awaited.
  static func listen(_ state: inout State, _ event: Event) -> [Effect]? {
    switch event {
    case .committed, .beat, .received(.pong), .received(.presence), .received(.standing),
      .received(.horizon), .received(.reached), .received(.audit), .received(.unknown):
      return []
    case .received(.ping(let number)): return [.send(.pong(number))]
    case .received(.later(let later)): return [.later(later.bounded)]
    case .greetingExpired:
      return end(
        &state, .protocolError, sentence("The other side did not introduce itself in 15 s."))
    default: return ends(&state, event)
    }
  }

  private static func greet(
    _ state: inout State, _ ours: Hello, _ terms: Terms, _ peer: Hello, _ theirs: Features
  ) -> [Effect] {
    guard peer.space == ours.space else {
      return end(&state, .notAllowed, sentence("The other side speaks about another space."))
    }
    if peer.site == ours.site, terms.trustsPeer {
      guard terms.believesPeer else {
        return end(&state, .notAllowed, sentence("The other side speaks under this one's name."))
      }
      // Two live copies of one store: each goes on under a name of its own.
      state = .renewing
      return [.renew(beyond: nil)]
    }
    let namesBeyond = terms.features.takesBeyond && theirs.takesBeyond
    var meeting = Meeting(ours: ours, peer: peer, terms: terms, namesBeyond: namesBeyond)
    meeting.takesHorizon = theirs.takesHorizon
    state = .comparing(meeting)
    return [.lookUp(peer, mayNameBeyond: namesBeyond)]
  }

  private static func flow(_ state: inout State, _ event: Event) -> [Effect]? {
    if case .storeFailed(let sentence) = event { return end(&state, .storageFailed, sentence) }
    guard case .live(var live) = state else { return nil }
    // What is changed below must be the only copy, or all of it is copied.
    state = .idle
    switch live.next(event) {
    case .invalid:
      state = .live(live)
      return nil
    case .going(let effects):
      state = .live(live)
      return effects
    case .over(let next, let effects):
      state = next
      return effects
    }
  }

  private static func renew(_ state: inout State, _ event: Event) -> [Effect]? {
    switch event {
    case .renewed: return end(&state, .renewed, sentence(renewedSentence))
    case .storeFailed(let sentence): return end(&state, .storageFailed, sentence)
    // What comes until then is of a session that is over.
    case .received, .committed, .beat: return []
    default: return nil
    }
  }

  /// What ends a conversation over an open link; nil for what does not.
  private static func ends(_ state: inout State, _ event: Event) -> [Effect]? {
    switch event {
    case .linkClosed(let sentence):
      state = .closed(Ending(sentence: sentence))
      return []
    case .stop(let code, let sentence): return end(&state, code, sentence)
    case .violated(let sentence): return end(&state, .protocolError, sentence)
    case .received(.bye(let bye)):
      state = .closed(Ending(code: bye.code, isTheirs: true, sentence: bye.sentence))
      return [.close]
    default: return nil
    }
  }

  /// What a store that found itself rolled back says.
  static let renewedSentence: StaticString =
    "This store went back to an earlier state, and repairs itself: what it lost comes again."

  static func sentence(_ text: StaticString) -> [UInt8] {
    text.withUTF8Buffer { Array($0) }
  }

  static func end(_ state: inout State, _ code: Bye.Code, _ sentence: [UInt8]) -> [Effect] {
    let sentence = Array(sentence.prefix(Bye.sentenceBytesMax))
    state = .closed(Ending(code: code, sentence: sentence))
    return [.send(.bye(Bye(code: code, sentence: sentence))), .close]
  }
}
