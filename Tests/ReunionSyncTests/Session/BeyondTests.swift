import ReunionCore
import ReunionFlow
import ReunionSync
import Testing

/// The decisions of a session whose sides name what they hold beyond a position, and no more
/// (docs/protocol.md 2.20, 2.21).
@Suite struct BeyondTests {
  typealias Tests = ConversationTests

  static func pull(_ vector: VersionVector, isBeyond: Bool = true) -> Conversation.Event {
    .received(.pull(Pull(position: [4], vector: vector, isBeyond: isBeyond)))
  }

  /// A session of two that both know such pulls.
  static func greeting(
    _ told: VersionVector = Tests.vector((Tests.theirs.site, 5)),
    resumption: Conversation.Resumption = .at(cursor: 4, ownSeq: nil)
  ) -> [Conversation.Event] {
    [
      .opened(Tests.ours, Conversation.Terms()), .received(.features(.all)),
      .received(.hello(Tests.theirs)),
      .lookedUp(position: [7], vector: Tests.vector((Tests.third, 8)), isBeyond: true),
      pull(told), .resumed(resumption, seq: 3),
    ]
  }

  /// docs/protocol.md 2.20.
  @Test func `a side that takes no such pulls is sent none, and sends none`() throws {
    for (own, theirs) in [(Features.all, Features.none), (.none, .all)] {
      let (state, effects) = try Tests.lead([
        .opened(Tests.ours, Conversation.Terms(features: own)), .received(.features(theirs)),
        .received(.hello(Tests.theirs)),
      ])
      #expect(effects.last == .lookUp(Tests.theirs, mayNameBeyond: false))
      let (closed, _) = try Tests.lead(
        [.lookedUp(position: [7], vector: VersionVector()), Self.pull(VersionVector())],
        from: state)
      guard case .closed(let ending) = closed else {
        Issue.record("a pull that nobody may send was taken")
        return
      }
      #expect(ending.code == .protocolError)
    }
  }

  /// docs/protocol.md 2.21.
  @Test func `what the position names is held, and the rest by name`() throws {
    let (state, effects) = try Tests.lead(
      Self.greeting() + [.refusalsRead([], standing: [], upTo: nil)])
    let told = Tests.vector((Tests.theirs.site, 5))
    #expect(effects.contains(.resume(position: [4], told: told, isBeyond: true)))
    #expect(
      effects.contains(
        .send(
          .pull(
            Pull(position: [7], vector: Tests.vector((Tests.third, 8)), isBeyond: true)))))
    // Entries of the vector that rose before the position are not told again.
    #expect(
      effects.last == .readWindow(Conversation.Reading(after: 4, vectorAfter: 4, held: told)))
    let end = PushEnd(cursor: 2, position: [1], raised: [])
    let (_, applied) = try Tests.lead([.received(.pushEnd(end))], from: state)
    #expect(
      applied == [
        .apply(
          Conversation.Arrival(
            cursor: 2, position: [1], raised: VersionVector(), held: .init(upTo: 4, told: told)))
      ])
  }

  @Test func `an acknowledged push takes the place of what was named`() throws {
    let raised = [Dot(site: Tests.theirs.site, seq: 5), Dot(site: Tests.third, seq: 9)]
    let (_, effects) = try Tests.lead(
      Self.greeting() + [
        .refusalsRead([], standing: [], upTo: nil), Tests.end(9, raised: raised),
        .received(.acknowledge(cursor: 9)),
        .received(.pushEnd(PushEnd(cursor: 2, position: [1], raised: []))),
      ])
    #expect(
      effects.last
        == .apply(
          Conversation.Arrival(
            cursor: 2, position: [1], raised: VersionVector(), held: .init(upTo: 9))))
  }

  @Test func `whoever names what is beyond an unknown position is asked for all`() throws {
    let (state, effects) = try Tests.lead(Self.greeting(resumption: .incomparable))
    #expect(effects.last == .send(.nameAll))
    // What it pushed before it heard of that goes for nothing.
    let end = PushEnd(
      cursor: 1, position: [], raised: [.init(site: .new(Tests.theirs.site), seq: 5)])
    let all = Tests.vector((Tests.theirs.site, 5), (Tests.third, 2))
    let (_, later) = try Tests.lead(
      [
        .received(.changes([])), .received(.pushEnd(end)), Self.pull(all, isBeyond: false),
        .resumed(.at(cursor: 0, ownSeq: nil), seq: 3), .refusalsRead([], standing: [], upTo: nil),
      ], from: state)
    #expect(later.first == .resume(position: [4], told: all, isBeyond: false))
    #expect(later.last == .readWindow(Conversation.Reading(after: 0, held: all)))
  }

  /// What was pushed before the other side heard of it may take minutes over a slow link.
  @Test func `while all is awaited, whatever comes counts as heard, and blobs go on`() throws {
    var (state, _) = try Tests.lead(Self.greeting(resumption: .incomparable))
    #expect(Conversation.patienceSeconds(state) == 0)
    for _ in 0..<20 {
      let (next, effects) = try Tests.lead([.received(.changes([])), .beat], from: state)
      #expect(effects == [.send(.pong(0))])
      state = next
    }
    let want = Message.want(BlobHash(of: [1]), offset: 0)
    #expect(try Tests.lead([.received(want)], from: state).1 == [.blob(want)])
    let (closed, effects) = try Tests.lead([.beat, .beat], from: state)
    #expect(effects == [.send(.ping(2)), .close])
    guard case .closed = closed else {
      Issue.record("a side that has fallen silent is waited for")
      return
    }
  }

  /// What the other side sends rests on what it knows.
  @Test func `who has sent changes asks for nothing more`() throws {
    let (live, _) = try Tests.lead(
      Self.greeting() + [
        .refusalsRead([], standing: [], upTo: nil), Tests.end(9), .received(.changes([])),
      ])
    #expect(throws: InvalidTransition.self) { try Conversation.next(live, .received(.nameAll)) }
  }

  @Test func `a side that is asked for all names it, and pushes from the start again`() throws {
    let news = [Dot(site: Tests.ours.site, seq: 3)]
    let all = Tests.vector((Tests.ours.site, 3), (Tests.third, 8))
    let (state, effects) = try Tests.lead(
      Self.greeting() + [
        .refusalsRead([], standing: [], upTo: nil), Tests.end(9, raised: news),
        .received(.nameAll),
      ])
    #expect(effects.last == .lookUp(Tests.theirs, mayNameBeyond: false))
    let (live, again) = try Tests.lead(
      [.lookedUp(position: [7], vector: all), .refusalsRead([], standing: [], upTo: nil)],
      from: state)
    let told = Tests.vector((Tests.theirs.site, 5))
    #expect(
      again == [
        .send(.pull(Pull(position: [7], vector: all))), .readRefusals(after: 0),
        .readWindow(Conversation.Reading(after: 4, vectorAfter: 4, held: told)),
      ])
    // It is asked once, and before the other side's first push.
    #expect(throws: InvalidTransition.self) { try Conversation.next(live, .received(.nameAll)) }
  }

  @Test func `both sides may ask for all at once`() throws {
    let (state, _) = try Tests.lead(Self.greeting(resumption: .incomparable))
    let all = Tests.vector((Tests.ours.site, 3), (Tests.third, 8))
    let (pulled, effects) = try Tests.lead(
      [.received(.nameAll), .lookedUp(position: [7], vector: all)], from: state)
    #expect(effects.last == .send(.pull(Pull(position: [7], vector: all))))
    let (live, _) = try Tests.lead(
      [
        Self.pull(Tests.vector((Tests.theirs.site, 5)), isBeyond: false),
        .resumed(.at(cursor: 4, ownSeq: nil), seq: 3),
      ], from: pulled)
    guard case .live = live else {
      Issue.record("\(live)")
      return
    }
  }

  @Test func `a pull is of one kind in all of its parts`() throws {
    let part = Pull(
      position: [4], vector: Tests.vector((Tests.third, 1)), isWhole: false, isBeyond: true)
    let (state, _) = try Tests.lead(
      Array(Self.greeting().prefix(4)) + [
        .received(.pull(part)), Self.pull(VersionVector(), isBeyond: false),
      ])
    guard case .closed(let ending) = state else {
      Issue.record("two kinds were taken for one pull")
      return
    }
    #expect(ending.code == .protocolError)
  }
}
