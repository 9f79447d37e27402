import ReunionCore
import ReunionFlow
import ReunionSync
import Testing

/// What holds on every way through a conversation.
@Suite struct ConversationWalkTests {
  typealias Samples = ConversationTests

  static let model = MachineModel<Conversation>(start: .idle, events: events)

  static let events: [Conversation.Event] = {
    let end = PushEnd(cursor: 9, vector: Samples.vector((Samples.theirs.site, 6)))
    var stranger = Samples.theirs
    stranger.space = SpaceID(high: 9, low: 9)
    let hash = BlobHash(of: [1])
    let messages: [Message] = [
      .hello(Samples.theirs), .hello(stranger),
      .pull(Pull(cursor: 4, vector: Samples.vector((Samples.theirs.site, 5)))),
      .changes([]), .pushEnd(end), .acknowledge(cursor: 3), .refused([]), .ping(1), .pong(1),
      .want(hash, offset: 0), .blob(BlobPiece(hash: hash, byteCount: 1, offset: 0, bytes: [1])),
      .lack(hash), .have([hash]), .bye(Bye(code: .goingAway, sentence: [])),
      .bye(Bye(code: .forked, sentence: [])), .unknown(200),
    ]
    let pull = Pull(cursor: 7, vector: Samples.vector((Samples.ours.site, 3)))
    return messages.map { .received($0) } + [
      .opened(Samples.ours), .compared(pull, peerIsForked: false),
      .compared(pull, peerIsForked: true), .committed, .pushed(end, isEmpty: false),
      .pushed(end, isEmpty: true), .applied(end, refused: []), .storeFailed("broken"), .beat,
      .violated("wrong"), .stop("bye"), .linkClosed(nil),
    ]
  }()

  /// What must hold of the effects of each event, whatever came before.
  struct Promises {
    private var isOver = false
    private var isPushing = false
    private var helloCount = 0

    mutating func check(
      _ event: Conversation.Event, _ effects: ArraySlice<Conversation.Effect>,
      leadsTo state: Conversation.State
    ) {
      // After the end there is silence.
      #expect(!isOver || effects.isEmpty)
      if case .pushed = event { isPushing = false }
      var isLinkClosed = false
      if case .linkClosed = event { isLinkClosed = true }
      for effect in effects {
        switch effect {
        case .push:
          // One push at a time.
          #expect(!isPushing)
          isPushing = true
        case .send(.hello): helloCount += 1
        case .send(.acknowledge):
          // Only what is on disk is acknowledged.
          guard case .applied = event else {
            Issue.record("acknowledged at \(event)")
            return
          }
        default: break
        }
      }
      #expect(helloCount <= 1)
      var isClosed = false
      if case .closed = state { isClosed = true }
      // The link is closed when the conversation is over, and only then.
      #expect(effects.contains(.close) == (isClosed && !isOver && !isLinkClosed))
      isOver = isClosed
    }
  }

  @Test func `every walk keeps the promises, and all together take every transition`() throws {
    #expect(Self.model.isComplete)
    #expect(Self.model.deadEnds == ["closed"])
    let coverage = Coverage(of: Self.model)
    // An end comes soon where every event is as likely: so these are many and short, and the paths
    // lead deep.
    for walk in Self.model.paths + (0..<2_000).map({ Self.model.randomWalk(steps: 30, seed: $0) }) {
      let effects = Lock<[Conversation.Effect]>([])
      let machine = StateMachine<Conversation>(.idle, clock: TestClock()) { effect, _ in
        effects.withLock { $0.append(effect) }
      }
      let recording = machine.transitions.observe { coverage.record($0) }
      var promises = Promises()
      for event in walk {
        let count = effects.withLock { $0.count }
        try machine.send(event)
        promises.check(
          event, effects.withLock { $0 }.dropFirst(count), leadsTo: machine.state.value)
      }
      recording.cancel()
    }
    #expect(coverage.missing == [])
    #expect(coverage.unexpected == [])
  }

  @Test func `a history that leaves one path out is not complete (negative control)`() {
    let coverage = Coverage(of: Self.model)
    for path in Self.model.paths.dropFirst() { coverage.record(path: path) }
    #expect(!coverage.missing.isEmpty)
  }
}
