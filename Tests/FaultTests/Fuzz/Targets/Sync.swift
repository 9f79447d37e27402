import ReunionFlow
import ReunionStore
import ReunionSync
import ReunionTesting

@testable import ReunionCore

/// What comes from a peer: messages, and a whole conversation of them.
extension FuzzTarget {
  private static let peer = Site(device: 666, incarnation: 1)
  private static let world = SpaceID(high: 5, low: 6)

  private static func cell(
    _ field: UInt32, _ merge: MergeKind, _ seq: UInt64, _ value: Value
  ) -> Cell {
    Cell(
      field: field, merge: merge, dot: Dot(site: peer, seq: seq),
      stamp: Stamp(milliseconds: 1_800_000_000_000 + seq), value: value)
  }

  /// A step of an audit with a part of each kind.
  private static func audit(_ record: RecordID) -> AuditStep {
    let name = RecordName(entity: 1, record: record)
    let digest = RecordDigest(name, RecordState([cell(3, .register, 1, .text("Harbour"))]))
    var sum = RecordSum()
    sum.add(digest)
    return AuditStep(
      .answer, number: 7, answeredCount: 2,
      parts: [
        .sum(RecordRange(from: RecordRange.all.from, to: record), sum), .differing([name]),
        .records(RecordRange(from: record, to: nil), [digest]),
      ])
  }

  /// A message of each type, with a cell of each kind.
  private static func messages(in space: SpaceID) -> [Message] {
    var vector = VersionVector()
    vector.raise(peer, to: 3)
    vector.raise(Site(device: 2, incarnation: 20), to: .max)
    let hash = BlobHash(of: [UInt8]("reunion"))
    let record = RecordID(high: 9, low: 9)
    let item = Dot(site: peer, seq: 10)
    let place = Position(bytes: [0x81, 0, 1, 3, 5]).map { Cell.placeValue(of: item, at: $0) }
    let cells = [
      cell(0, .creation, 1, .null), cell(1, .register, 2, .text("Été 📷")),
      cell(2, .register, 3, .double(-0.0)), cell(3, .register, 4, .inlineBlob([1, 2, 3])),
      cell(4, .register, 5, .blob(BlobReference(hash: hash, byteCount: 3_000_000_000))),
      cell(5, .annotation, 6, .int(.min)), cell(6, .tally, 7, .int(-7)),
      cell(7, .member, 8, .text("summer")),
      cell(7, .memberRemoval, 9, Cell.memberRemovalValue(of: .text("summer"), seen: vector)),
      cell(8, .item, 10, .reference(record)), cell(8, .place, 11, place ?? .null),
      cell(8, .itemRemoval, 12, Cell.itemRemovalValue(of: item)),
      cell(0, .deletion, 13, Cell.deletionValue(seen: vector)),
      Cell(
        field: 17, merge: MergeKind(rawValue: 77), dot: Dot(site: peer, seq: 14),
        stamp: Stamp(milliseconds: 1_800_000_000_014),
        value: Value(kind: ValueKind(rawValue: 99), bytes: [0, 255])),
    ]
    let raised = [PushEnd.Raised(site: .new(peer), seq: 14), .init(site: .known(0), seq: 2)]
    return [
      .hello(Hello(space: space, site: peer, isLeaf: false, seq: 14)),
      .pull(Pull(position: Array(1...40), vector: vector, isWhole: false)),
      .pull(Pull(position: [], vector: vector)), .features(.all), .nameAll, .horizon(300), .behind,
      .reached([Reached(site: Site(device: 7, incarnation: 1), arrival: 300)]),
      .whole([RecordName(entity: 1, record: record)]), .audit(audit(record)),
      .presence(PresenceUpdate([PresenceEntry(key: [1], value: .int(2))], isWhole: true)),
      .standing(
        StandingUpdate(
          acknowledged: 5, arrival: 7,
          replicas: [
            ReplicaStanding(changes: 9, blobs: 9, missing: [hash]),
            ReplicaStanding(device: 4, changes: 8, blobs: 0, silentSeconds: 60),
          ])),
      .part(PackedPart(byteCount: 9, bytes: [1, 2, 3])),
      .pull(Pull(position: Array(1...40), vector: vector, isBeyond: true)),
      .changes(cells.map { Change(entity: 1, record: record, cell: $0) }),
      .pushEnd(PushEnd(cursor: 1, position: [1, 2, 3], raised: raised)),
      .acknowledge(cursor: 1), .have([hash, hash]), .want(hash, offset: 65_536),
      .blob(BlobPiece(hash: hash, byteCount: 9, offset: 4, bytes: [1, 2, 3, 4, 5])), .lack(hash),
      .refused([Refusal(entity: 1, record: record, sent: vector)]), .ping(0xdead_beef), .pong(1),
      .fragment(isLast: false, [1, 4, 7]), .fragment(isLast: true, [1, 2]), .unknown(200),
      .bye(Bye(code: .renewed, sentence: [UInt8]("Bye."))),
      .later(Later(milliseconds: 2000, sentence: [UInt8]("Soon."))),
    ]
  }

  static let messages = FuzzTarget(
    name: "messages", inputsInFull: 1_200_000, samples: { messages(in: world).map { $0.encoded() } }
  ) {
    { bytes in
      let message = try Message(decoding: bytes)
      if case .unknown = message { return }
      try require(
        (try? Message(decoding: message.encoded())) == message, "\(message) is not written back.")
      guard case .changes(let changes) = message else { return }
      for change in changes {
        let value = change.cell.value
        _ = (value.text, value.int, value.double, value.bool, value.reference)
        try require(value.blob == nil || value.inlineBlob == nil, "A blob is two things.")
      }
    }
  }

  /// Parts of blocks, inflated: also the order of cells and the counts of shapes.
  static let parts = FuzzTarget(
    name: "parts", inputsInFull: 200_000, bytesMax: 64 << 10,
    samples: {
      let changes = messages(in: world).compactMap { message -> [Change]? in
        if case .changes(let changes) = message { changes } else { nil }
      }
      let states = changes.joined().map { RecordState([$0.cell]) }
      let one = RecordState(changes.joined().map(\.cell))
      return [states, states + states, [one, one]].map { states in
        let records = states.enumerated().map { number, state in
          BlockPart.Record(
            entity: 1, id: RecordID(high: UInt64(number) << 16, low: 7), state: state)
        }
        return BlockPart(records).encoded()
      }
    }
  ) {
    { bytes in
      let part = try BlockPart(decoding: bytes)
      try require(try BlockPart(decoding: part.encoded()) == part, "A part is not written back.")
      for record in part.records { _ = record.state.isAlive }
    }
  }

  /// The core of a page: its functions, and conversations, which take a server's messages as they come.
  static let core = FuzzTarget(
    name: "core", inputsInFull: 200_000, bytesMax: 16 << 10,
    samples: {
      let all = messages(in: world).map { $0.encoded() }
      let flat = try all.map { try Bridge.call(.decode, $0) }
      var (cells, site) = (ByteWriter(), ByteWriter())
      cells.integer(UInt32(2))
      for seq in 1...2 as ClosedRange<UInt64> {
        cells.flatCell(cell(1, .register, seq, .text("Été")))
      }
      site.byte(1)
      site.identifier(world)
      site.identifier(peer)
      site.byte(1)
      site.integer(UInt64(3))
      let size: [UInt8] = [1, 0, 0, 16, 0, 0, 0, 12, 0, 0, 0, 1, 0]
      let edit = size + [UInt8](repeating: 0, count: 9)
      let events = [site.bytes, [3, 0, 0, 0, 0, 0, 0, 0, 0], [5], [9], [11], [12]]
      return all.map { [0] + parted([$0]) } + flat.map { [2] + $0 }
        + [[3] + cells.bytes + cells.bytes, [9] + cells.bytes, [8] + edit]
        + [[100] + parted([site.bytes] + all.map { [2] + $0 }), [100] + parted(events)]
    }
  ) {
    { bytes in
      guard let first = bytes.first else { return }
      let rest = Array(bytes.dropFirst())
      if let function = Bridge.Function(rawValue: first) {
        _ = try Bridge.call(function, rest)
      } else if first == 0 {
        _ = try Bridge.call(.decode, Array(rest.dropFirst(2)))
      } else {
        var conversation = FlatConversation()
        for event in parts(of: rest) { _ = try? conversation.perform(event) }
      }
    }
  }

  /// A replica that somebody talks to: each input is what they say, message after message.
  private final class House {
    let world = World(seed: 1, model: Model(Doc.schema))
    let server: WorldReplica
    private let authorities: [Authority] = [.all, .own(device: peer.device), .none]
    private var count = 0

    init() throws { server = try world.makeReplica("server") }

    deinit { world.remove() }

    func hear(_ bytes: [UInt8]) throws {
      let ends = MemoryLink.pair(clock: world.clock, random: world.random)
      let clock = world.clock
      count += 1
      let session = Session(
        link: ends.1, store: server.store,
        configuration: .init(space: world.space, authority: authorities[count % 3], device: 666),
        clock: clock, execute: { work in _ = clock.schedule(at: clock.now, work) })
      session.start()
      ends.0.start { _ in }
      world.run(for: .milliseconds(100))
      for message in FuzzTarget.parts(of: bytes) { ends.0.send(message) }
      world.run(for: .seconds(2))
      ends.0.close()
      world.run(for: .seconds(2))
      guard case .closed = session.state.value else {
        throw Finding("the session goes on without a link: \(session.state.value)")
      }
      try require(server.running != nil, "the replica ended")
    }
  }

  /// A conversation as bytes: before each message its length, in two bytes.
  private static func bytes(of messages: [Message]) -> [UInt8] {
    parted(messages.map { $0.encoded() })
  }

  private static func parted(_ parts: [[UInt8]]) -> [UInt8] {
    parts.flatMap { [UInt8($0.count >> 8), UInt8($0.count & 255)] + $0 }
  }

  private static func parts(of bytes: [UInt8]) -> [[UInt8]] {
    var (rest, parts) = (bytes[...], [[UInt8]]())
    while rest.count > 2, parts.count < 64 {
      let count = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
      parts.append(Array(rest.dropFirst(2).prefix(count)))
      rest = rest.dropFirst(2 + count)
    }
    return parts
  }

  static let sessions = FuzzTarget(
    name: "sessions", inputsInFull: 60_000, inputsPerReader: 200, bytesMax: 8 << 10,
    samples: {
      let space = World(seed: 1, model: Model(Doc.schema)).space
      let all = messages(in: space)
      let push = [all[0], all[2], all[3], all[4], all[5]]
      return [
        bytes(of: push), bytes(of: push + push.suffix(3)), bytes(of: all),
        bytes(of: Array(push.prefix(2)) + all.suffix(12)), bytes(of: [all[0], all[1], all[2]]),
      ]
    }
  ) {
    let house = try House()
    return { try house.hear($0) }
  }
}
