import ReunionCore
import Testing

/// A push of the other side, of which there is nothing to tell it.
@Suite struct TakenPushTests {
  @Test func `reads nothing after a push that leaves nothing to tell`() throws {
    let first = try ConversationTests.lead(
      ConversationTests.greeting() + [
        .refusalsRead([], standing: [], upTo: nil), ConversationTests.end(9),
      ])
    let (took, silent) = try ConversationTests.lead([.took(after: 9, upTo: 12)], from: first.state)
    #expect(silent.isEmpty)
    guard case .live(let live) = took else {
      Issue.record("the conversation is over")
      return
    }
    #expect(live.sentCursor == 12 && live.endedCursor == 12)
    // Something was written here between the two.
    let (_, effects) = try ConversationTests.lead([.took(after: 14, upTo: 15)], from: took)
    guard case .readWindow(let reading) = effects.first else {
      Issue.record("nothing is read")
      return
    }
    #expect(reading.after == 12)
    // While a push is under way, what came is looked at after it.
    let during = try ConversationTests.lead(
      [.committed, .took(after: 12, upTo: 13), ConversationTests.end(12)], from: took)
    #expect(during.effects.count == 2)
  }
}
