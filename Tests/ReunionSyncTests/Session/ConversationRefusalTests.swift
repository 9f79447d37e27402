import ReunionCore
import Testing

/// How a refusal goes, is taken back, and is answered (docs/protocol.md 2.9).
@Suite struct ConversationRefusalTests {
  typealias Event = Conversation.Event
  typealias Effect = Conversation.Effect
  private typealias Talk = ConversationTests

  @Test func `what was refused goes before the acknowledgement, with what stands`() throws {
    let refusal = Refusal(
      entity: 1, record: RecordID(high: 1, low: 1), sent: Talk.vector((Talk.theirs.site, 6)))
    let standing = Talk.change(Talk.ours.site, 1)
    let (state, effects) = try Talk.lead(
      [
        .received(.pushEnd(PushEnd(cursor: 2, position: [], raised: []))),
        .applied(cursor: 2, refusedCount: 1),
        .refusalsRead([refusal], standing: [standing], upTo: 11),
        .refusalsRead([], standing: [], upTo: nil), Talk.end(9),
      ], from: try Talk.live())
    #expect(
      effects.filter { if case .send = $0 { true } else { false } } == [
        .send(.changes([standing])), .send(.refused([refusal])),
        .send(.pushEnd(PushEnd(cursor: 9, position: [9], raised: []))),
        .send(.acknowledge(cursor: 2)),
      ])
    // The author has taken them back when it acknowledges the push in which they went: the second that
    // ended at this number. Its next push proves it.
    func proved(after acknowledgements: Int) throws -> [Int64] {
      let acknowledged = Array(
        repeating: Event.received(.acknowledge(cursor: 9)), count: acknowledgements)
      let push = Event.received(.pushEnd(PushEnd(cursor: 3, position: [3], raised: [])))
      return try Talk.lead(acknowledged + [push, push], from: state).effects.compactMap {
        if case .apply(let arrival) = $0 { arrival.answered } else { nil }
      }
    }
    #expect(try proved(after: 1) == [0, 0])
    #expect(try proved(after: 2) == [11, 0])
  }

  @Test func `who takes something back says where it stands then, though it has nothing new`()
    throws
  {
    let refusal = Refusal(
      entity: 1, record: RecordID(high: 1, low: 1), sent: Talk.vector((Talk.ours.site, 1)))
    let end = Event.received(.pushEnd(PushEnd(cursor: 2, position: [], raised: [])))
    let applied = Event.applied(cursor: 2, refusedCount: 0)
    let told: [Effect] = [
      .send(.acknowledge(cursor: 2)),
      .send(.pushEnd(PushEnd(cursor: 9, position: [9], raised: []))),
    ]
    func said(_ events: [Event]) throws -> [Effect] {
      try Talk.lead(events, from: try Talk.live()).effects.filter {
        if case .send = $0 { true } else { false }
      }
    }
    let refused = Event.received(.refused([refusal]))
    #expect(try said([refused, end, applied, Talk.end(9)]) == told)
    // The push that was under way ends after it, and tells the same.
    #expect(try said([refused, end, .committed, applied, Talk.end(9), Talk.end(9)]) == told)
    // Of a push that took nothing back nothing is told.
    #expect(try said([end, applied, .committed, Talk.end(9)]) == [.send(.acknowledge(cursor: 2))])
  }
}
