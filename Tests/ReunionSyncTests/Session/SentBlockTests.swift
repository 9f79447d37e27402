import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionTesting
import Testing

@testable import ReunionSync

/// A block on its way to a newcomer (docs/protocol.md 2.24).
@Suite struct SentBlockTests {
  private static let newcomer = Site(device: 77, incarnation: 1)
  /// More than one part has.
  private static let count = BlockPart.recordsMax + 501

  /// A link that says how much waits in it.
  private final class FullLink: Link {
    let deliver = Lock<(@Sendable (LinkEvent) -> Void)?>(nil)
    let sent = Lock<[Message]>([])
    let waiting = Lock(0)
    let messageBytesMax = Message.bytesMax
    var queuedBytes: Int { waiting.withLock { $0 } }

    func start(_ deliver: @escaping @Sendable (LinkEvent) -> Void) {
      self.deliver.withLock { $0 = deliver }
    }

    func send(_ bytes: [UInt8]) {
      guard let message = try? Message(decoding: bytes) else { return }
      sent.withLock { $0.append(message) }
      // Full after each part.
      if case .part = message { waiting.withLock { $0 = queuedBytesSoftMax } }
    }

    func pauseReceiving(_ isPaused: Bool) {}
    func close() {}

    func say(_ message: Message) { tell(.received(message.encoded())) }

    func tell(_ event: LinkEvent) { deliver.withLock { $0 }?(event) }

    func drain() {
      waiting.withLock { $0 = 0 }
      tell(.drained)
    }

    /// The records that parts and changes have brought since it was asked last.
    func takeRecords() -> Set<RecordID> {
      var ids: Set<RecordID> = []
      for message in sent.withLock({ messages in
        defer { messages = [] }
        return messages
      }) {
        switch message {
        case .part(let part): ids.formUnion((part.unpacked()?.records ?? []).map(\.id))
        case .changes(let changes): ids.formUnion(changes.map(\.record))
        default: break
        }
      }
      return ids
    }
  }

  private final class Stage {
    let link = FullLink()
    let session: Session
    private let world: World
    private let server: WorldReplica

    init(_ bugs: SeededBugs = SeededBugs(), features: Features = .all) throws {
      world = World(seed: 5, model: Model(HostileGuestTests.Note.schema), seededBugs: bugs)
      server = try world.makeReplica("server")
      try Self.make(SentBlockTests.count - 1, at: server)
      // It was here before, and its position is known: the server names what is beyond that.
      var vector = VersionVector()
      vector.raise(SentBlockTests.newcomer, to: 1)
      let cell = Cell(
        field: 1, merge: .register, dot: Dot(site: SentBlockTests.newcomer, seq: 1),
        stamp: Stamp(rawValue: 9), value: .text("mine"))
      var push = IncomingPush(
        peer: SentBlockTests.newcomer, helloSeq: 1,
        changes: [Change(entity: 1, record: RecordID(high: 1, low: 1), cell: cell)],
        raised: vector, vector: vector, position: [1, 2, 3])
      push.isAllNamed = true
      _ = try server.store.apply(push, in: world.space, authority: .all)
      var configuration = Session.Configuration(space: world.space)
      configuration.blocks = Blocks(server.store, recordsMin: 1) { $0() }
      session = Session(
        link: link, store: server.store, configuration: configuration, clock: world.clock,
        execute: { $0() })
      session.start()
      link.tell(.opened)
      link.say(.features(features))
      link.say(
        .hello(Hello(space: world.space, site: SentBlockTests.newcomer, isLeaf: false, seq: 1)))
      link.say(.pull(Pull(position: [], vector: vector)))
    }

    private static func make(_ count: Int, at replica: WorldReplica) throws {
      try replica.write { transaction in
        for _ in 0..<count { _ = try transaction.create(HostileGuestTests.Note.self) { _ in } }
      }
    }

    /// The messages with changes, and those with parts, that a commit of `count` records leads to, up to the end of
    /// its push, and all that they bring.
    func lengths(of count: Int) throws -> (changes: Int, parts: Int, brought: Set<Change>) {
      try Self.make(count, at: server)
      var lengths = (changes: 0, parts: 0, brought: Set<Change>())
      var isEnded = false
      repeat {
        for message in link.sent.withLock({ $0 }) {
          switch message {
          case .changes(let changes):
            lengths.changes += 1
            lengths.brought.formUnion(changes)
          case .part(let part):
            lengths.parts += 1
            for record in part.unpacked()?.records ?? [] {
              lengths.brought.formUnion(
                record.state.cells.map {
                  Change(entity: record.entity, record: record.id, cell: $0)
                })
            }
          case .pushEnd: isEnded = true
          default: break
          }
        }
        _ = link.takeRecords()
        link.drain()
      } while !link.sent.withLock({ $0.isEmpty })
      #expect(isEnded)
      return lengths
    }

    /// What comes until nothing waits any more.
    func rest() -> Set<RecordID> {
      var ids = link.takeRecords()
      while link.queuedBytes > 0 {
        link.drain()
        ids.formUnion(link.takeRecords())
      }
      return ids
    }
  }

  @Test func `a newcomer gets every record, in parts and once`() throws {
    let stage = try Stage()
    let first = stage.link.takeRecords()
    #expect(!first.isEmpty && first.count <= BlockPart.recordsMax)
    let rest = stage.rest()
    // None comes in two parts, and none by changes once more.
    #expect(first.isDisjoint(with: rest) && first.count + rest.count == Self.count)
  }

  @Test func `whoever takes no parts gets changes`() throws {
    let stage = try Stage(features: .all.withoutParts)
    let hasParts = stage.link.sent.withLock { sent in
      sent.contains { message in
        if case .part = message { true } else { false }
      }
    }
    #expect(!hasParts)
    // But what it wrote itself.
    #expect(stage.rest().count == Self.count - 1)
  }

  private static func anew(_ bugs: SeededBugs = SeededBugs()) throws -> Set<RecordID> {
    let stage = try Stage(bugs)
    // What came so far is let go where the other side asks for all once more.
    _ = stage.link.takeRecords()
    stage.link.say(.nameAll)
    return stage.rest()
  }

  @Test func `a block begins again for a side that asks for all once more`() throws {
    #expect(try Self.anew().count == Self.count)
    #expect(try Self.anew([.blockGoesOnAfterNameAll]).count < Self.count)
  }

  @Test func `a long push goes as a part to a side that takes parts, and a short one as it is`()
    throws
  {
    let (stage, other) = (try Stage(), try Stage(features: .all.withoutParts))
    _ = (stage.rest(), other.rest())
    let short = try stage.lengths(of: 10)
    _ = try other.lengths(of: 10)
    let shortCount = Set(short.brought.map(\.record)).count
    #expect(short.changes == 1 && short.parts == 0 && shortCount == 10)
    // More than a part and a window have.
    for count in [600, BlockPart.recordsMax + 600] {
      let (long, plain) = (try stage.lengths(of: count), try other.lengths(of: count))
      #expect(long.changes == 0 && long.parts >= 1 && plain.parts == 0 && plain.changes > 1)
      let (isSame, longCount) = (
        long.brought == plain.brought, Set(long.brought.map(\.record)).count
      )
      #expect(isSame && longCount == count)
    }
  }
}
