import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync
import ReunionTesting
import Testing

/// A push of the other side, of which there is nothing to tell it.
@Suite struct TakenPushTests {
  @Test func `reads nothing after a push that leaves nothing to tell`() throws {
    let first = try ConversationTests.lead(
      ConversationTests.greeting() + [
        .refusalsRead([], standing: [], upTo: nil), ConversationTests.end(9),
      ])
    let (took, silent) = try ConversationTests.lead(
      [.took(after: 9, upTo: 12)], from: first.state)
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

  /// Another session of the same site may be that of a copy, which finds out by what it hears.
  @Test func `only the session that brought a push is told nothing of it`() throws {
    let world = World(seed: 1, model: Model(MeetingTests.Note.schema))
    defer { world.remove() }
    let (server, phone) = (try world.makeReplica("server"), try world.makeReplica("phone"))
    let lines = (0..<2).map { _ in connect(phone, to: server, in: world) }
    world.run(for: .seconds(3))
    // Over the second line nothing of the phone's comes.
    lines[1].there.isLost.withLock { $0 = true }
    for line in lines { line.back.sent.withLock { $0 = 0 } }
    try phone.store.write(in: world.space) { transaction in
      _ = try transaction.create(MeetingTests.Note.self) { $0.text = "new" }
    }
    world.run(for: .seconds(1))
    #expect(try server.store.digest(of: world.space) == phone.store.digest(of: world.space))
    let sent = lines.map { $0.back.sent.withLock { $0 } }
    // An acknowledgement to the one, and what rose to the other.
    #expect(sent[0] > 0 && sent[0] < 10)
    #expect(sent[1] > 20)
  }

  private func connect(
    _ phone: WorldReplica, to server: WorldReplica, in world: World
  ) -> (there: MeetingTests.Scale, back: MeetingTests.Scale) {
    let ends = MemoryLink.pair(
      clock: world.clock, faults: LinkFaults(delayMilliseconds: 10...10), random: world.random)
    let links = (MeetingTests.Scale(ends.0), MeetingTests.Scale(ends.1))
    for (replica, link) in [(phone, links.0), (server, links.1)] {
      let clock = world.clock
      Session(
        link: link, store: replica.store,
        configuration: Session.Configuration(space: world.space), clock: clock,
        execute: { work in _ = clock.schedule(at: clock.now, work) }
      ).start()
    }
    return links
  }
}
