import ReunionCore
import ReunionFlow
import ReunionSync
import ReunionTesting
import Testing

/// What holds on every way through a conversation.
@Suite struct ConversationWalkTests {
  static let model = Conversation.model

  /// What must hold of the effects of each event, whatever came before.
  struct Promises {
    private var isOver = false
    private var isReading = false
    private var helloCount = 0
    private var appliedCount = 0
    private var acknowledgedCount = 0

    mutating func check(
      _ event: Conversation.Event, _ effects: ArraySlice<Conversation.Effect>,
      leadsTo state: Conversation.State
    ) {
      // After the end there is silence.
      #expect(!isOver || effects.isEmpty)
      var isLinkClosed = false
      switch event {
      case .windowRead, .partsRead, .refusalsRead: isReading = false
      // It begins to push anew.
      case .received(.nameAll), .received(.behind): isReading = false
      case .applied: appliedCount += 1
      case .linkClosed: isLinkClosed = true
      default: break
      }
      for effect in effects {
        switch effect {
        case .readWindow, .readRefusals:
          // One part of a push at a time.
          #expect(!isReading)
          isReading = true
        case .send(.hello): helloCount += 1
        case .send(.acknowledge):
          // Only what is on disk is acknowledged, and once.
          acknowledgedCount += 1
          #expect(acknowledgedCount <= appliedCount)
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
