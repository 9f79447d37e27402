import ReunionCore
import ReunionStore
import ReunionSync
import ReunionTesting

/// A host with a note and a stranger at its door, as far into their conversation as a scene wants.
final class Encounter {
  enum Stage: CaseIterable {
    case knocking, greeting, pulling
    /// The stranger was asked to name all that it holds.
    case awaitingAll
    case live, renewing
  }

  let world: World
  let host: WorldReplica
  let stranger: Stranger

  init(
    _ stage: Stage, as role: WorldRole = .admin, _ coverage: WorldCoverage? = nil,
    bugs: SeededBugs = []
  ) throws {
    world = Scene.world(coverage, bugs: bugs)
    host = try world.makeReplica("host")
    try host.write("the host's", in: world)
    stranger = Stranger(at: host, as: role)
    guard stage != .knocking else { return }
    stranger.arrive()
    switch stage {
    case .pulling: say(stranger.hello())
    case .awaitingAll:
      say(.features(.all), stranger.hello(), Self.pullBeyond)
    case .live: say(stranger.hello(), stranger.pull())
    case .renewing:
      // Where the host is busy, its renewal and what comes meanwhile wait for their turn. A heartbeat
      // is due soon.
      world.run(for: .milliseconds(4_500))
      host.workDelayMilliseconds = 1_000
      stranger.say([stranger.hello(as: host.store.site)])
      world.run(for: .milliseconds(500))
    case .knocking, .greeting: break
    }
  }

  deinit { world.remove() }

  /// Has the stranger say something, and the host hear it.
  func say(_ messages: Message...) {
    stranger.say(messages)
    pass(seconds: 1)
  }

  func pass(seconds: Int) { world.run(for: .seconds(seconds)) }

  /// The end of a push that claims to hold the changes of a site up to `seq`.
  static func pushEnd(_ site: Site = Stranger.site, _ seq: UInt64 = 1) -> Message {
    .pushEnd(
      PushEnd(
        cursor: 3, position: [1], raised: [PushEnd.Raised(site: .new(site), seq: seq)]))
  }

  /// What is held beyond a position that the host has not told.
  static let pullBeyond = Message.pull(
    Pull(position: [4], vector: VersionVector(), isBeyond: true))

  /// What may happen at any moment of a conversation.
  static let happenings: [@Sendable (Encounter) throws -> Void] =
    messages.map { message in { @Sendable in $0.say(message) } } + [
      { $0.stranger.send([0xFF]) },
      { $0.stranger.leave() },
      { $0.stranger.session.stop() },
      { try $0.host.write("more", in: $0.world) },
      { try $0.host.store.close() },
      { $0.pass(seconds: 20) },
    ]

  private static let messages: [Message] = {
    let hash = BlobHash(of: [1])
    return [
      .hello(
        Hello(
          space: SpaceID(high: 1, low: 1), site: Stranger.site, isLeaf: false, seq: 0)),
      .features(.all), .nameAll, .pull(Pull(position: [], vector: VersionVector())),
      pullBeyond, .changes([]), pushEnd(),
      .acknowledge(cursor: 1), .refused([]), .ping(1), .pong(1), .want(hash, offset: 0),
      .blob(BlobPiece(hash: hash, byteCount: 1, offset: 0, bytes: [1])), .lack(hash),
      .have([hash]), .bye(Bye(code: .goingAway, sentence: [])), .fragment(isLast: false, [1]),
      .later(Later(milliseconds: 2000)), .presence(PresenceUpdate([])),
      .standing(StandingUpdate()), .part(PackedPart(byteCount: 1, bytes: [1])), .horizon(9),
      .reached([]), .audit(AuditStep(.busy)),
      .behind, .whole([]),
      .unknown(200),
    ]
  }()
}
