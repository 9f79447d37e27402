import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionSync

/// What the other side of a session is taken to have (docs/protocol.md 2.23).
@Suite struct PeerProgressTests {
  private static let hash = BlobHash(of: [1])

  private static func says(
    _ acknowledged: UInt64, at arrival: UInt64, blobs: UInt64? = nil, missing: [BlobHash] = []
  ) -> StandingUpdate {
    StandingUpdate(
      acknowledged: acknowledged,
      replicas: [ReplicaStanding(changes: arrival, blobs: blobs ?? arrival, missing: missing)])
  }

  private static func session(
    _ held: UInt64, acknowledged: UInt64, applied: UInt64
  ) -> SessionProgress {
    SessionProgress(held: held, acknowledged: acknowledged, applied: applied)
  }

  @Test func `changes count by what is acknowledged, and blobs by a word`() {
    var progress = PeerProgress()
    progress.look(at: Self.session(7, acknowledged: 7, applied: 3))
    #expect(progress.changes == 7 && progress.blobs == 0)
    progress.hear(Self.says(7, at: 3, missing: [Self.hash]))
    progress.look(at: Self.session(9, acknowledged: 7, applied: 3))
    #expect(progress.changes == 9 && progress.blobs == 9 && progress.missing == [Self.hash])
  }

  @Test func `a word from before a push counts up to the push before`() {
    var progress = PeerProgress()
    progress.hear(Self.says(5, at: 3))
    progress.look(at: Self.session(9, acknowledged: 8, applied: 3))
    #expect(progress.changes == 9 && progress.blobs == 5)
  }

  @Test func `a word from before the other side's own push says nothing of its blobs`() {
    var progress = PeerProgress()
    progress.hear(Self.says(8, at: 3))
    progress.look(at: Self.session(9, acknowledged: 8, applied: 4))
    #expect(progress.changes == 9 && progress.blobs == 0)
    progress.hear(Self.says(8, at: 4))
    progress.look(at: Self.session(9, acknowledged: 8, applied: 4))
    #expect(progress.blobs == 9)
  }

  @Test func `who lacks too many blobs to name them is said to have none`() {
    var progress = PeerProgress()
    progress.hear(Self.says(8, at: 3))
    progress.look(at: Self.session(8, acknowledged: 8, applied: 3))
    #expect(progress.blobs == 8)
    progress.hear(Self.says(8, at: 5, blobs: 0))
    progress.look(at: Self.session(8, acknowledged: 8, applied: 3))
    #expect(progress.blobs == 0 && progress.missing.isEmpty)
  }

  @Test func `a word that names nobody, or somebody else first, says nothing`() {
    var progress = PeerProgress()
    progress.hear(StandingUpdate(acknowledged: 8))
    progress.look(at: Self.session(8, acknowledged: 8, applied: 0))
    progress.hear(
      StandingUpdate(
        acknowledged: 8, replicas: [ReplicaStanding(device: 4, changes: 9, blobs: 9)]))
    progress.look(at: Self.session(8, acknowledged: 8, applied: 0))
    #expect(progress.changes == 8 && progress.blobs == 0)
  }
}

/// Up to where the other side of a conversation is proved to have everything.
@Suite struct ProvenCursorTests {
  private typealias Tests = ConversationTests

  private static func proven(_ state: Conversation.State) throws -> UInt64 {
    guard case .live(let live) = state else {
      throw InvalidTransition(from: state, event: Conversation.Event.committed)
    }
    return live.provenCursor
  }

  @Test func `what is on its way is not proved to be there, part by part`() throws {
    // The position says 4; an empty push up to 9 is told.
    var state = try Tests.live()
    #expect(try Self.proven(state) == 4)
    state = try Tests.lead([.received(.acknowledge(cursor: 9))], from: state).state
    #expect(try Self.proven(state) == 9)
    // A push of two parts: after the first one nothing waits for an answer yet.
    let change = Tests.change(Tests.third, 9)
    state = try Tests.lead(
      [.committed, .windowRead([change], cursor: 15, end: nil)], from: state
    ).state
    #expect(try Self.proven(state) == 9)
    state = try Tests.lead([Tests.end(20)], from: state).state
    #expect(try Self.proven(state) == 9)
    state = try Tests.lead([.received(.acknowledge(cursor: 20))], from: state).state
    #expect(try Self.proven(state) == 20)
    // What the other side lacks nothing of is there without a push.
    state = try Tests.lead([.committed, Tests.end(22)], from: state).state
    #expect(try Self.proven(state) == 22)
  }
}
