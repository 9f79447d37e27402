import ReunionCore
import ReunionFlow
import ReunionSync
import Testing

/// The decisions of a session, one by one, without a store, a link or a clock.
@Suite struct ConversationTests {
  typealias State = Conversation.State
  typealias Event = Conversation.Event
  typealias Effect = Conversation.Effect

  static let space = SpaceID(high: 1, low: 1)
  static let ours = Hello(
    space: space, site: Site(device: 1, incarnation: 1), isLeaf: false, seq: 3)
  static let theirs = Hello(
    space: space, site: Site(device: 2, incarnation: 1), isLeaf: false, seq: 5)
  static let third = Site(device: 3, incarnation: 1)
  static let guest = Conversation.Terms(trustsPeer: false, pushBytesMax: 1000)

  static func vector(_ entries: (Site, UInt64)...) -> VersionVector {
    var vector = VersionVector()
    for (site, seq) in entries { vector.raise(site, to: seq) }
    return vector
  }

  /// Leads a conversation through events, and gives its last state and all effects.
  static func lead(
    _ events: [Event], from start: State = .idle
  ) throws -> (state: State, effects: [Effect]) {
    var state = start
    var effects: [Effect] = []
    for event in events {
      let step = try Conversation.next(state, event)
      state = step.state
      effects += step.effects
    }
    return (state, effects)
  }

  static func greeting(
    _ terms: Conversation.Terms = Conversation.Terms(),
    held: VersionVector = vector((ours.site, 3), (third, 8)),
    told: VersionVector = vector((theirs.site, 5)),
    resumption: Conversation.Resumption = .at(
      cursor: 4, ownSeq: nil)
  ) -> [Event] {
    [
      .opened(ours, terms), .received(.hello(theirs)),
      .lookedUp(position: [7], vector: held),
      .received(.pull(Pull(position: [4], vector: told))), .resumed(resumption, seq: 3),
    ]
  }

  /// A live conversation whose first push, an empty one, was told.
  static func live(_ terms: Conversation.Terms = Conversation.Terms()) throws -> State {
    try lead(
      greeting(terms) + [.refusalsRead([], standing: [], upTo: nil), end(9)]
    ).state
  }

  static func end(_ cursor: UInt64, raised: [Dot] = [], changes: [Change] = []) -> Event {
    .windowRead(
      changes, cursor: cursor,
      end: Conversation.WindowEnd(cursor: cursor, position: [UInt8(cursor)], raised: raised))
  }

  static func change(_ site: Site, _ seq: UInt64, bytes: Int = 1) -> Change {
    Change(
      entity: 1, record: RecordID(high: 1, low: seq),
      cell: Cell(
        field: 1, merge: .register, dot: Dot(site: site, seq: seq), stamp: Stamp(rawValue: 9),
        value: .bytes(Array(repeating: 1, count: bytes))))
  }

  @Test func `greets, says what it holds and where it was, and answers the other's pull`() throws {
    let (state, effects) = try Self.lead(Self.greeting())
    #expect(
      effects == [
        .send(.features(.all)), .send(.hello(Self.ours)),
        .lookUp(Self.theirs, mayNameBeyond: false),
        .send(
          .pull(Pull(position: [7], vector: Self.vector((Self.ours.site, 3), (Self.third, 8))))),
        .resume(position: [4], told: Self.vector((Self.theirs.site, 5)), isBeyond: false),
        .readRefusals(after: 0),
      ])
    guard case .live = state else {
      Issue.record("not live")
      return
    }
    let read = try Self.lead([.refusalsRead([], standing: [], upTo: nil)], from: state).effects
    #expect(
      read == [
        .readWindow(
          Conversation.Reading(after: 4, held: Self.vector((Self.theirs.site, 5))))
      ])
  }

  /// A pull names at most 8,192 sites, and the next one goes on (docs/protocol.md 2.3).
  @Test func `a vector of any size goes out in messages, and comes in whole`() throws {
    var held = VersionVector()
    for number in UInt64(1)...20_000 { held.raise(Site(device: 9, incarnation: number), to: 1) }
    let start = Array(Self.greeting().prefix(2)) + [.lookedUp(position: [1], vector: held)]
    let (state, effects) = try Self.lead(start)
    let pulls = effects.compactMap { effect -> Pull? in
      if case .send(.pull(let pull)) = effect { pull } else { nil }
    }
    #expect(pulls.map(\.isWhole) == [false, false, true])
    #expect(pulls.allSatisfy { Message.pull($0).encoded().count < Message.bytesMax / 4 })
    let taken = try Self.lead(
      pulls.map { .received(.pull($0)) } + [.resumed(.at(cursor: 0, ownSeq: nil), seq: 3)],
      from: state)
    let read = try Self.lead(
      [.refusalsRead([], standing: [], upTo: nil)], from: taken.state
    ).effects
    #expect(read == [.readWindow(Conversation.Reading(after: 0, held: held))])
  }

  @Test func `a live push in a space of ten thousand sites ends in 64 bytes`() throws {
    var held = VersionVector()
    for number in UInt64(1)...10_000 { held.raise(Site(device: 9, incarnation: number), to: 1) }
    let state = try Self.lead(
      Self.greeting(held: held) + [.refusalsRead([], standing: [], upTo: nil), Self.end(9)]
    ).state
    let position = [UInt8](repeating: 7, count: 34)
    let end = Conversation.WindowEnd(
      cursor: 1 << 27, position: position,
      raised: [Dot(site: Site(device: 9, incarnation: 9_999), seq: 1 << 20)])
    let (_, effects) = try Self.lead(
      [.committed, .windowRead([], cursor: 1 << 27, end: end)], from: state)
    guard case .send(let message) = effects.last else {
      Issue.record("nothing was told")
      return
    }
    #expect(message.encoded().count <= 64)
  }

  /// After the first push, a side sends none that would tell nothing (docs/protocol.md 2.6).
  @Test func `ends the first push even when it is empty, and is silent about further empty ones`()
    throws
  {
    let first = try Self.lead(
      Self.greeting() + [.refusalsRead([], standing: [], upTo: nil), Self.end(9)])
    #expect(
      first.effects.last == .send(.pushEnd(PushEnd(cursor: 9, position: [9], raised: []))))
    let known = [Dot(site: Self.theirs.site, seq: 5)]
    let later = try Self.lead([.committed, Self.end(12, raised: known)], from: first.state)
    #expect(later.effects.count == 1)
    // What was not told is told with the next news.
    let news = known + [Dot(site: Self.third, seq: 9)]
    let (_, effects) = try Self.lead([.committed, Self.end(13, raised: news)], from: later.state)
    guard case .readWindow(let reading) = effects.first else {
      Issue.record("nothing is read")
      return
    }
    #expect(reading.vectorAfter == 9)
    #expect(reading.after == 12)
  }

  /// The changes come first, and then their end (docs/protocol.md 2.5).
  @Test func `reads a push in parts, one at a time, and its end in the last`() throws {
    let state = try Self.lead(
      Self.greeting() + [.refusalsRead([], standing: [], upTo: nil)]
    ).state
    let part = Self.change(Self.ours.site, 1)
    let (more, effects) = try Self.lead([.windowRead([part], cursor: 6, end: nil)], from: state)
    #expect(
      effects == [
        .send(.changes([part])),
        .readWindow(Conversation.Reading(after: 6, held: Self.vector((Self.theirs.site, 5)))),
      ])
    let raised = [Dot(site: Self.ours.site, seq: 3)]
    let last = try Self.lead([Self.end(8, raised: raised)], from: more)
    #expect(
      last.effects == [
        .send(
          .pushEnd(
            PushEnd(
              cursor: 8, position: [8],
              raised: [PushEnd.Raised(site: .known(0), seq: 3)])))
      ])
  }

  /// A sender ends one message and begins the next (docs/protocol.md 1.1).
  @Test func `no message of changes is over what the terms say, unless one change is`() throws {
    let terms = Conversation.Terms(messageBytesSoftMax: 1000)
    let state = try Self.lead(
      Self.greeting(terms) + [.refusalsRead([], standing: [], upTo: nil)]
    ).state
    let changes = (UInt64(1)...30).map { Self.change(Self.ours.site, $0, bytes: 100) }
    let large = Self.change(Self.ours.site, 31, bytes: 5000)
    let (_, effects) = try Self.lead(
      [.windowRead(changes + [large], cursor: 6, end: nil)], from: state)
    let parts = effects.compactMap { effect -> [Change]? in
      if case .send(.changes(let part)) = effect { part } else { nil }
    }
    #expect(parts.flatMap { $0 } == changes + [large])
    #expect(
      parts.allSatisfy { $0.count == 1 || Message.changes($0).encoded().count <= 1000 })
  }

  /// A later commit makes another push, from the number of the last (docs/protocol.md 2.6).
  @Test func `pushes again when something was committed while a push was read`() throws {
    let (_, effects) = try Self.lead(
      [.committed, .committed, Self.end(12, changes: [Self.change(Self.ours.site, 3)])],
      from: try Self.live())
    guard case .readWindow(let reading) = effects.last else {
      Issue.record("no second push")
      return
    }
    #expect(reading.after == 12)
  }

  /// docs/protocol.md 2.7.
  @Test func `acknowledges a push only when it is applied`() throws {
    let raised = [PushEnd.Raised(site: .new(Self.third), seq: 2)]
    let end = PushEnd(cursor: 2, position: [1, 2], raised: raised)
    let waiting = try Self.lead([.received(.pushEnd(end))], from: try Self.live())
    #expect(
      waiting.effects == [
        .apply(
          Conversation.Arrival(
            cursor: 2, position: [1, 2], raised: Self.vector((Self.third, 2)),
            held: .init(told: Self.vector((Self.theirs.site, 5), (Self.third, 2))),
            isAllNamed: true))
      ])
    let done = try Self.lead([.applied(cursor: 2, refusedCount: 0)], from: waiting.state)
    #expect(done.effects == [.send(.acknowledge(cursor: 2))])
    // From now on it is known by its number.
    let again = PushEnd(
      cursor: 3, position: [], raised: [PushEnd.Raised(site: .known(1), seq: 4)])
    let (_, effects) = try Self.lead([.received(.pushEnd(again))], from: done.state)
    guard case .apply(let arrival) = effects.last else {
      Issue.record("not applied")
      return
    }
    #expect(arrival.raised == Self.vector((Self.third, 4)))
  }

  @Test func `a guest cannot refuse, nor send more in a push than it may`() throws {
    let live = try Self.live(Self.guest)
    let big = Self.change(Self.theirs.site, 6, bytes: 600)
    for events: [Event] in [
      [.received(.refused([]))],
      [.received(.changes([big])), .received(.changes([big]))],
    ] {
      let (state, effects) = try Self.lead(events, from: live)
      guard case .closed(let ending) = state else {
        Issue.record("not closed")
        return
      }
      #expect(ending.code == .protocolError)
      #expect(effects.last == .close)
    }
    // Each push is counted by itself.
    let end = Event.received(.pushEnd(PushEnd(cursor: 1, position: [], raised: [])))
    let (state, _) = try Self.lead(
      [.received(.changes([big])), end, .received(.changes([big]))], from: live)
    guard case .live = state else {
      Issue.record("closed")
      return
    }
  }

  /// docs/protocol.md 2.19.
  @Test func `whoever is asked to come back later does so, after five minutes at most`() throws {
    let asked = Event.received(.later(Later(milliseconds: 2000, sentence: [1])))
    let long = Event.received(.later(Later(milliseconds: 3_600_000)))
    let greeting = try Self.lead([Self.greeting()[0], asked])
    #expect(greeting.effects.last == .later(Later(milliseconds: 2000, sentence: [1])))
    let live = try Self.lead([asked, long], from: Self.live())
    #expect(
      live.effects == [
        .later(Later(milliseconds: 2000, sentence: [1])), .later(Later(milliseconds: 300_000)),
      ])
    guard case .live = live.state else {
      Issue.record("the session is over")
      return
    }
  }

  /// A position of its own that contradicts its history shows it (docs/protocol.md 2.4).
  @Test func `a store that went back takes a new name, says so, and closes`() throws {
    let rolledBack = try Self.lead(
      Self.greeting(Self.guest, resumption: .rolledBack(ownSeq: 2)))
    #expect(rolledBack.effects.last == .renew(beyond: 2))
    let over = try Self.lead([.renewed], from: rolledBack.state)
    guard case .closed(let ending) = over.state, case .send(.bye(let bye)) = over.effects.first
    else {
      Issue.record("not closed")
      return
    }
    #expect(bye.code == .renewed)
    #expect(ending.code == .renewed)
    #expect(over.effects.last == .close)
    // Where that fails, it is said.
    let failed = try Self.lead([.storeFailed(Array("full".utf8))], from: rolledBack.state)
    guard case .closed(let failure) = failed.state else {
      Issue.record("not closed")
      return
    }
    #expect(failure.code == .storageFailed)
  }

  @Test func `of our own changes a trusted peer knows of more than there are: we went back`() throws
  {
    let claim = Self.vector((Self.ours.site, 4))
    let trusted = try Self.lead(Self.greeting(told: claim))
    #expect(trusted.effects.last == .renew(beyond: nil))
    let inSession = try Self.lead([.foundForked], from: try Self.live())
    #expect(inSession.effects == [.renew(beyond: nil)])
  }

  @Test func `a guest that says so forces nothing, and is told everything of ours`() throws {
    let claim = Self.vector((Self.ours.site, 4), (Self.theirs.site, 5))
    let (_, effects) = try Self.lead(
      Self.greeting(Self.guest, told: claim) + [.refusalsRead([], standing: [], upTo: nil)])
    #expect(
      effects.last
        == .readWindow(
          Conversation.Reading(
            after: 0, held: Self.vector((Self.theirs.site, 5)), ownSeq: 0)))
  }

  /// A side leaves out what it sent itself, and not what was claimed (docs/protocol.md 2.6).
  @Test func `of our own changes only those sent count, whatever the other side claims in between`()
    throws
  {
    let claim = PushEnd(
      cursor: 1, position: [], raised: [.init(site: .new(Self.ours.site), seq: 5)])
    let (_, effects) = try Self.lead(
      Self.greeting(resumption: .at(cursor: 4, ownSeq: 2)) + [
        .refusalsRead([], standing: [], upTo: nil),
        Self.end(9, raised: [Dot(site: Self.ours.site, seq: 3)]), .received(.pushEnd(claim)),
        .committed,
      ])
    let wanted = effects.compactMap { effect -> UInt64? in
      if case .readWindow(let reading) = effect { reading.ownSeq } else { nil }
    }
    #expect(wanted == [2, 3])
  }

  /// All of that site must come again (docs/protocol.md 2.3).
  @Test func `who holds fewer of its own changes than we is asked for all of them`() throws {
    let held = Self.vector((Self.theirs.site, 6), (Self.third, 8))
    let (_, effects) = try Self.lead(Array(Self.greeting(held: held).prefix(3)))
    #expect(
      effects.last == .send(.pull(Pull(position: [7], vector: Self.vector((Self.third, 8))))))
  }

  @Test func `two copies of one store both take a new name`() throws {
    let (_, effects) = try Self.lead([
      .opened(Self.ours, Conversation.Terms()), .received(.hello(Self.ours)),
    ])
    #expect(effects.last == .renew(beyond: nil))
  }

  /// docs/protocol.md 2.10.
  @Test func `asks after 10 s of silence and closes after 15 s`() throws {
    let live = try Self.live()
    let two = try Self.lead([.beat, .beat], from: live)
    #expect(two.effects.last == .send(.ping(2)))
    let answered = try Self.lead([.beat, .beat, .received(.pong(2)), .beat], from: live)
    guard case .live = answered.state else {
      Issue.record("closed although it was answered")
      return
    }
    let three = try Self.lead([.beat, .beat, .beat], from: live)
    #expect(three.effects.last == .close)
  }

  @Test func `refuses messages out of turn, and stays where it was`() throws {
    let early: [Message] = [
      .pull(Pull(position: [], vector: VersionVector())), .changes([]), .acknowledge(cursor: 1),
      .pushEnd(PushEnd(cursor: 1, position: [], raised: [])), .refused([]),
    ]
    for message in early {
      #expect(throws: InvalidTransition.self) {
        try Conversation.next(
          .greeting(ours: Self.ours, Conversation.Terms()), .received(message))
      }
    }
    let live = try Self.live()
    #expect(throws: InvalidTransition.self) {
      try Conversation.next(live, .received(.hello(Self.theirs)))
    }
    #expect(throws: InvalidTransition.self) { try Conversation.next(live, Self.end(10)) }
    #expect(throws: InvalidTransition.self) { try Conversation.next(.idle, .received(.ping(1))) }
  }

  @Test func `ends at what names no site, a site twice, or a number that none has`() throws {
    let live = try Self.live()
    let wrong: [PushEnd.Raised] = [
      PushEnd.Raised(site: .known(1), seq: 1),
      PushEnd.Raised(site: .new(Self.theirs.site), seq: 1),
      PushEnd.Raised(site: .new(Self.third), seq: Dot.seqMax + 1),
    ]
    for raised in wrong {
      let end = PushEnd(cursor: 1, position: [], raised: [raised])
      let (state, _) = try Self.lead([.received(.pushEnd(end))], from: live)
      guard case .closed(let ending) = state else {
        Issue.record("\(raised) was taken")
        return
      }
      #expect(ending.code == .protocolError)
    }
  }

  /// The spaces must be the same (docs/protocol.md 2.2).
  @Test func `does not speak about another space`() throws {
    var stranger = Self.theirs
    stranger.space = SpaceID(high: 9, low: 9)
    let (state, effects) = try Self.lead([
      .opened(Self.ours, Conversation.Terms()), .received(.hello(stranger)),
    ])
    #expect(effects.last == .close)
    guard case .closed = state else {
      Issue.record("not closed")
      return
    }
  }

  @Test func `gives up on one who does not introduce himself`() throws {
    let greeting = State.greeting(ours: Self.ours, Conversation.Terms())
    #expect(Conversation.deadline(greeting)?.after == .seconds(15))
    let (state, _) = try Self.lead([.greetingExpired], from: greeting)
    guard case .closed = state else {
      Issue.record("not closed")
      return
    }
  }

  @Test func `nothing wakes a closed conversation`() throws {
    let over = State.closed(Conversation.Ending(sentence: Array("over".utf8)))
    let events: [Event] = [
      .beat, .committed, .received(.ping(1)), .stop(.goingAway, []), .greetingExpired,
    ]
    for event in events {
      #expect(throws: InvalidTransition.self) { try Conversation.next(over, event) }
    }
  }
}
