import ReunionCore
import ReunionFlow
import ReunionSync
import Testing

/// The decisions of a session, one by one, without a store, a link or a clock.
@Suite struct ConversationTests {
  typealias State = Conversation.State
  typealias Event = Conversation.Event

  static let ours = Hello(
    space: SpaceID(high: 1, low: 1), site: Site(device: 1, incarnation: 1), isLeaf: false, seq: 3)
  static let theirs = Hello(
    space: SpaceID(high: 1, low: 1), site: Site(device: 2, incarnation: 1), isLeaf: false, seq: 5)

  static func vector(_ entries: (Site, UInt64)...) -> VersionVector {
    var vector = VersionVector()
    for (site, seq) in entries { vector.raise(site, to: seq) }
    return vector
  }

  /// Leads a conversation through events, and gives its last state and all effects.
  static func lead(_ events: [Event]) throws -> (state: State, effects: [Conversation.Effect]) {
    var state = State.idle
    var effects: [Conversation.Effect] = []
    for event in events {
      let step = try Conversation.next(state, event)
      state = step.state
      effects += step.effects
    }
    return (state, effects)
  }

  static let greeting: [Event] = [
    .opened(ours), .received(.hello(theirs)),
    .compared(Pull(cursor: 7, vector: vector((ours.site, 3))), peerIsForked: false),
    .received(.pull(Pull(cursor: 4, vector: vector((theirs.site, 5))))),
  ]

  @Test func `greets, compares, pulls, and answers the other's pull with a push`() throws {
    let (state, effects) = try Self.lead(Self.greeting)
    #expect(
      effects == [
        .send(.hello(Self.ours)), .compare(Self.theirs),
        .send(.pull(Pull(cursor: 7, vector: Self.vector((Self.ours.site, 3))))),
        .push(after: 4, lacking: Self.vector((Self.theirs.site, 5))),
      ])
    guard case .live = state else {
      Issue.record("not live")
      return
    }
  }

  @Test func `ends the first push even when it is empty, and is silent about further empty ones`()
    throws
  {
    let end = PushEnd(cursor: 9, vector: Self.vector((Self.theirs.site, 5)))
    let first = try Self.lead(Self.greeting + [.pushed(end, isEmpty: true)])
    #expect(first.effects.last == .send(.pushEnd(end)))
    let later = PushEnd(cursor: 12, vector: end.vector)
    let second = try Self.lead(
      Self.greeting + [.pushed(end, isEmpty: true), .committed, .pushed(later, isEmpty: true)])
    #expect(second.effects.last == .push(after: 9, lacking: end.vector))
  }

  @Test func `pushes again when something was committed while a push was read`() throws {
    let end = PushEnd(cursor: 9, vector: Self.vector((Self.ours.site, 3)))
    let (_, effects) = try Self.lead(
      Self.greeting + [.committed, .committed, .pushed(end, isEmpty: false)])
    #expect(effects.suffix(2).first == .send(.pushEnd(end)))
    guard case .push(after: 9, _) = effects.last else {
      Issue.record("no second push")
      return
    }
  }

  @Test func `acknowledges a push only when it is applied, after telling what was refused`() throws
  {
    let end = PushEnd(cursor: 2, vector: Self.vector((Self.theirs.site, 6)))
    let refusal = Refusal(entity: 1, record: RecordID(high: 1, low: 1), cells: [])
    let waiting = try Self.lead(Self.greeting + [.received(.pushEnd(end))])
    #expect(waiting.effects.last == .apply(end))
    let done = try Self.lead(
      Self.greeting + [.received(.pushEnd(end)), .applied(end, refused: [refusal])])
    #expect(
      Array(done.effects.suffix(2)) == [
        .send(.refused([refusal])), .send(.acknowledge(cursor: 2)),
      ])
  }

  @Test func `says farewell to a forked store, and mints when it is told so itself`() throws {
    let told = try Self.lead([
      .opened(Self.ours), .received(.hello(Self.theirs)),
      .compared(Pull(cursor: 0, vector: VersionVector()), peerIsForked: true),
    ])
    guard case .send(.bye(let bye)) = told.effects.dropLast().last else {
      Issue.record("no farewell")
      return
    }
    #expect(bye.code == .forked)
    let minted = try Self.lead([.opened(Self.ours), .received(.bye(bye))])
    #expect(Array(minted.effects.suffix(2)) == [.mintIncarnation, .close])
  }

  @Test func `asks after 10 s of silence and closes after 15 s`() throws {
    let two = try Self.lead(Self.greeting + [.beat, .beat])
    #expect(two.effects.last == .send(.ping(2)))
    let answered = try Self.lead(Self.greeting + [.beat, .beat, .received(.pong(2)), .beat])
    guard case .live = answered.state else {
      Issue.record("closed although it was answered")
      return
    }
    let three = try Self.lead(Self.greeting + [.beat, .beat, .beat])
    #expect(three.effects.last == .close)
  }

  @Test func `refuses messages out of turn, and stays where it was`() {
    let early: [Message] = [
      .pull(Pull(cursor: 0, vector: VersionVector())), .changes([]), .acknowledge(cursor: 1),
      .pushEnd(PushEnd(cursor: 1, vector: VersionVector())), .refused([]),
    ]
    for message in early {
      #expect(throws: InvalidTransition.self) {
        try Conversation.next(.greeting(ours: Self.ours), .received(message))
      }
    }
    #expect(throws: InvalidTransition.self) {
      try Self.lead(Self.greeting + [.received(.hello(Self.theirs))])
    }
    #expect(throws: InvalidTransition.self) { try Conversation.next(.idle, .received(.ping(1))) }
  }

  @Test func `does not speak about another space`() throws {
    var stranger = Self.theirs
    stranger.space = SpaceID(high: 9, low: 9)
    let (state, effects) = try Self.lead([.opened(Self.ours), .received(.hello(stranger))])
    #expect(effects.last == .close)
    guard case .closed = state else {
      Issue.record("not closed")
      return
    }
  }

  @Test func `gives up on one who does not introduce himself`() throws {
    #expect(Conversation.deadline(.greeting(ours: Self.ours))?.after == .seconds(15))
    let (state, _) = try Self.lead([.opened(Self.ours), .greetingExpired])
    guard case .closed = state else {
      Issue.record("not closed")
      return
    }
  }

  @Test func `nothing wakes a closed conversation`() throws {
    let events: [Event] = [.beat, .committed, .received(.ping(1)), .stop(""), .greetingExpired]
    for event in events {
      let step = try Conversation.next(.closed("over"), event)
      #expect(step.state == .closed("over"))
      #expect(step.effects.isEmpty)
    }
  }
}
