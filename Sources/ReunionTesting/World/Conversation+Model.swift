package import ReunionCore
package import ReunionFlow
import ReunionSync

extension Conversation {
  /// All that a conversation can do.
  package static let model = MachineModel<Conversation>(start: .idle, events: samples)

  private static let own = Hello(
    space: SpaceID(high: 1, low: 1), site: Site(device: 1, incarnation: 1), isLeaf: false, seq: 3)
  private static let peer = Hello(
    space: own.space, site: Site(device: 2, incarnation: 1), isLeaf: false, seq: 5)

  /// An event of each kind that decides something: two for one where it may also end badly.
  private static let samples: [Event] =
    messages.map { .received($0) } + answers + [
      .opened(own, Terms()),
      .opened(own, Terms(trustsPeer: false, pushBytesMax: 100, unansweredMax: 1)),
      .committed, .took(after: 9, upTo: 10), .storeFailed([]), .beat, .violated([]),
      .stop(.goingAway, []), .linkClosed([]),
    ]

  private static let change = Change(
    entity: 1, record: RecordID(high: 1, low: 1),
    cell: Cell(
      field: 1, merge: .register, dot: Dot(site: peer.site, seq: 6), stamp: Stamp(rawValue: 9),
      value: .bytes(Array(repeating: 1, count: 100))))

  private static let messages: [Message] = {
    var other = peer
    other.space = SpaceID(high: 9, low: 9)
    let hash = BlobHash(of: [1])
    let unknown = PushEnd.Raised(site: .known(99), seq: 1)
    return [
      .features(.all), .features(.none), .hello(peer), .hello(other), .hello(own),
      .pull(Pull(position: [4], vector: vector(own.site, 3))),
      .pull(Pull(position: [4], vector: VersionVector(), isWhole: false)),
      .pull(Pull(position: [4], vector: vector(peer.site, Dot.seqMax + 1))),
      .pull(Pull(position: [4], vector: vector(own.site, 3), isBeyond: true)),
      .changes([]), .changes([change]), .refused([]),
      .pushEnd(PushEnd(cursor: 9, position: [1], raised: [])),
      .pushEnd(PushEnd(cursor: 9, position: [1], raised: [unknown])),
      .acknowledge(cursor: 9), .ping(1), .pong(1), .want(hash, offset: 0),
      .blob(BlobPiece(hash: hash, byteCount: 1, offset: 0, bytes: [1])), .lack(hash),
      .have([hash]), .bye(Bye(code: .goingAway, sentence: [])), .fragment(isLast: false, [1]),
      .later(Later(milliseconds: 2000)), .nameAll, .presence(PresenceUpdate([])),
      .standing(StandingUpdate()), .part(PackedPart(byteCount: 1, bytes: [1])), .horizon(9),
      .reached([]), .audit(AuditStep(.busy)),
      .behind, .whole([]),
      .unknown(200),
    ]
  }()

  /// What a store answers.
  private static let answers: [Event] = [
    .lookedUp(position: [], vector: VersionVector()),
    .lookedUp(position: [5], vector: VersionVector(), isBeyond: true),
    .resumed(.at(cursor: 4, ownSeq: nil), seq: 3), .resumed(.at(cursor: 4, ownSeq: nil), seq: 2),
    .resumed(.rolledBack(ownSeq: 1), seq: 3), .resumed(.incomparable, seq: 3),
    .resumed(.behind, seq: 3),
    .refusalsRead(
      [Refusal(entity: 1, record: RecordID(high: 1, low: 1), sent: VersionVector())],
      standing: [], upTo: 7),
    .refusalsRead([], standing: [], upTo: nil), .windowRead([change], cursor: 5, end: nil),
    .windowRead(
      [], cursor: 9,
      end: WindowEnd(cursor: 9, position: [9], raised: [Dot(site: own.site, seq: 3)])),
    .partsRead([PackedPart(byteCount: 1, bytes: [1])], cursor: 0),
    .applied(cursor: 9, refusedCount: 0), .applied(cursor: 9, refusedCount: 1), .foundForked,
    .renewed,
  ]

  private static func vector(_ site: Site, _ seq: UInt64) -> VersionVector {
    var vector = VersionVector()
    vector.raise(site, to: seq)
    return vector
  }
}
