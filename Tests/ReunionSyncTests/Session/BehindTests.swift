import ReunionCore
import ReunionFlow
import ReunionSync
import Testing

/// The decisions of a session with a side that was away for too long (docs/protocol.md 2.25).
@Suite struct BehindTests {
  typealias Tests = ConversationTests

  private static func greeting(
    _ theirs: Features = .all, _ resumption: Conversation.Resumption = .behind
  ) -> [Conversation.Event] {
    [
      .opened(Tests.ours, Conversation.Terms()), .received(.features(theirs)),
      .received(.hello(Tests.theirs)),
      .lookedUp(position: [7], vector: Tests.vector((Tests.third, 8))),
      BeyondTests.pull(Tests.vector((Tests.theirs.site, 5)), isBeyond: false),
      .resumed(resumption, seq: 3),
    ]
  }

  private static func ending(_ state: Conversation.State) -> Conversation.Ending? {
    if case .closed(let ending) = state { ending } else { nil }
  }

  @Test func `a side that is behind is told so, and pulls again`() throws {
    let (state, effects) = try Tests.lead(Self.greeting())
    #expect(effects.last == .send(.behind))
    // What it pushed before it heard that goes for nothing.
    let (live, later) = try Tests.lead(
      [
        .received(.changes([])), .received(.whole([])),
        .received(.pull(Pull(position: [], vector: VersionVector()))),
        .resumed(.at(cursor: 0, ownSeq: 0), seq: 3), .refusalsRead([], standing: [], upTo: nil),
      ], from: state)
    #expect(later.first == .resume(position: [], told: VersionVector(), isBeyond: false))
    #expect(later.last == .readWindow(Conversation.Reading(after: 0, ownSeq: 0)))
    guard case .live = live else {
      Issue.record("not live")
      return
    }
  }

  @Test func `one that does not know of it is told to get a newer version`() throws {
    let (state, _) = try Tests.lead(Self.greeting(.all.withoutHorizon))
    #expect(Self.ending(state)?.code == .notAllowed)
  }

  @Test func `a side that hears that it is behind names nothing, and takes all anew`() throws {
    let (live, _) = try Tests.lead(Self.greeting(.all, .at(cursor: 4, ownSeq: nil)))
    let (comparing, effects) = try Tests.lead([.received(.behind)], from: live)
    #expect(effects == [.takeAnew, .lookUp(Tests.theirs, mayNameBeyond: false)])
    let (again, pull) = try Tests.lead(
      [.lookedUp(position: [], vector: VersionVector())], from: comparing)
    #expect(pull.first == .send(.pull(Pull(position: [], vector: VersionVector()))))
    // It is told once.
    let (over, _) = try Tests.lead([.received(.behind)], from: again)
    #expect(Self.ending(over)?.code == .protocolError)
  }

  @Test func `after the other side's first push nobody is behind any more`() throws {
    let (live, _) = try Tests.lead(Self.greeting(.all, .at(cursor: 4, ownSeq: nil)))
    let (going, _) = try Tests.lead([.received(.changes([]))], from: live)
    #expect(throws: (any Error).self) { try Tests.lead([.received(.behind)], from: going) }
  }

  @Test func `two that are both behind go apart, and say what to do`() throws {
    let (awaiting, _) = try Tests.lead(Self.greeting())
    let (one, _) = try Tests.lead([.received(.behind)], from: awaiting)
    #expect(Self.ending(one)?.code == .goingAway)
    #expect(Self.ending(one)?.text?.contains("meet its server first") == true)
  }

  @Test func `a guest cannot have a server take all anew`() throws {
    var events = Self.greeting(.all, .at(cursor: 4, ownSeq: nil))
    events[0] = .opened(Tests.ours, Tests.guest)
    let (live, _) = try Tests.lead(events)
    #expect(throws: (any Error).self) { try Tests.lead([.received(.behind)], from: live) }
  }
}
