import ReunionCore

/// Seeded randomness: the same seed gives the same numbers everywhere (SplitMix64).
struct Seeded: RandomNumberGenerator {
  var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
    return z ^ z >> 31
  }
}

let ann = Site(device: 1, incarnation: 10)
let ben = Site(device: 2, incarnation: 20)
let cem = Site(device: 3, incarnation: 30)
let photo = RecordID(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210)

/// Parts of all kinds: two ranges that follow each other, and one that does not.
let sampleAudit: AuditStep = {
  let name = RecordName(entity: 300, record: photo)
  let digest = RecordDigest(name, RecordState([register(1, "Harbour", ann, 3, stamp: 300)]))
  var sum = RecordSum()
  sum.add(digest)
  let half = RecordID(high: 0x0180 << 48, low: 0)
  let end = RecordID(high: .max, low: 7)
  return AuditStep(
    .answer, number: 7, answeredCount: 2,
    parts: [
      .sum(RecordRange(from: RecordRange.all.from, to: half), sum),
      .sum(RecordRange(from: half, to: end), RecordSum()),
      .records(RecordRange(from: photo, to: nil), [digest]), .differing([name]),
    ])
}()

func register(
  _ field: UInt32, _ text: String, _ site: Site, _ seq: UInt64, stamp: UInt64, replaced: UInt64 = 0
) -> Cell {
  Cell(
    field: field, merge: .register, dot: Dot(site: site, seq: seq), stamp: Stamp(rawValue: stamp),
    replaced: Stamp(rawValue: replaced), value: .text(text))
}

func creation(_ site: Site, _ seq: UInt64, stamp: UInt64) -> Cell {
  Cell(
    field: 0, merge: .creation, dot: Dot(site: site, seq: seq), stamp: Stamp(rawValue: stamp),
    value: .null)
}

func deletion(_ site: Site, _ seq: UInt64, stamp: UInt64, seen: [Dot]) -> Cell {
  var vector = VersionVector()
  for dot in seen { vector.raise(dot.site, to: dot.seq) }
  return Cell(
    field: 0, merge: .deletion, dot: Dot(site: site, seq: seq), stamp: Stamp(rawValue: stamp),
    value: Cell.deletionValue(seen: vector))
}

/// A random cell of a few sites, fields and stamps, so that ties and conflicts are common.
func randomCell(using random: inout Seeded) -> Cell {
  let site = [ann, ben, cem].randomElement(using: &random) ?? ann
  let seq = UInt64.random(in: 1...40, using: &random)
  let stamp = UInt64.random(in: 1...20, using: &random)
  switch Int.random(in: 0..<10, using: &random) {
  case 0: return creation(site, seq, stamp: stamp)
  case 1, 2:
    let seen = [ann, ben, cem].map {
      Dot(site: $0, seq: UInt64.random(in: 0...40, using: &random))
    }
    return deletion(site, seq, stamp: stamp, seen: seen)
  case 3:
    return Cell(
      field: 7, merge: MergeKind(rawValue: 200), dot: Dot(site: site, seq: seq),
      stamp: Stamp(rawValue: stamp), value: Value(kind: ValueKind(rawValue: 200), bytes: [1]))
  case 4, 5: return randomCollectionCell(site, seq, stamp: stamp, using: &random)
  default:
    let text = ["", "a", "b", "photo"].randomElement(using: &random) ?? ""
    let field = UInt32.random(in: 1...3, using: &random)
    var cell = register(
      field, text, site, seq, stamp: stamp, replaced: UInt64.random(in: 0..<stamp, using: &random))
    if Int.random(in: 0..<4, using: &random) == 0 { cell.merge = .annotation }
    return cell
  }
}

/// A random cell of a counter, a set or a list.
func randomCollectionCell(
  _ site: Site, _ seq: UInt64, stamp: UInt64, using random: inout Seeded
) -> Cell {
  func cell(_ field: UInt32, _ merge: MergeKind, _ value: Value) -> Cell {
    Cell(
      field: field, merge: merge, dot: Dot(site: site, seq: seq), stamp: Stamp(rawValue: stamp),
      value: value)
  }
  let element = Value.text(["a", "b"].randomElement(using: &random) ?? "")
  let item = Dot(
    site: [ann, ben].randomElement(using: &random) ?? ann,
    seq: UInt64.random(in: 1...4, using: &random))
  switch Int.random(in: 0..<7, using: &random) {
  case 0: return cell(4, .tally, .int(Int64.random(in: -3...3, using: &random)))
  case 1, 2: return cell(5, .member, element)
  case 3:
    var seen = VersionVector()
    seen.raise(ann, to: UInt64.random(in: 0...40, using: &random))
    seen.raise(ben, to: UInt64.random(in: 0...40, using: &random))
    return cell(5, .memberRemoval, Cell.memberRemovalValue(of: element, seen: seen))
  case 4:
    var item = cell(6, .item, element)
    item.dot = Dot(site: site, seq: seq % 4 + 1)
    return item
  case 5:
    let position = Position.between(nil, nil, using: &random)
    return cell(6, .place, position.map { Cell.placeValue(of: item, at: $0) } ?? .null)
  default: return cell(6, .itemRemoval, Cell.itemRemovalValue(of: item))
  }
}

/// One message of every type, with what is awkward in it.
let sampleMessages: [(name: String, message: Message)] = {
  var vector = VersionVector()
  vector.raise(ann, to: 3)
  vector.raise(ben, to: UInt64.max)
  let hash = BlobHash(of: Array("reunion".utf8))
  let cells = [
    creation(ann, 1, stamp: 100), register(1, "Été – صورة 📷", ann, 2, stamp: 100),
    register(2, "nul\u{0}inside", ben, 5, stamp: 200, replaced: 100),
    deletion(ben, 6, stamp: 300, seen: [Dot(site: ann, seq: 2)]),
    Cell(
      field: 9, merge: .register, dot: Dot(site: ann, seq: 7), stamp: Stamp(rawValue: 301),
      value: .double(Double(bitPattern: 0x7ff8_0000_dead_beef))),
    Cell(
      field: 10, merge: .register, dot: Dot(site: ann, seq: 8), stamp: Stamp(rawValue: 302),
      value: .double(-0.0)),
    Cell(
      field: 11, merge: .register, dot: Dot(site: ann, seq: 9), stamp: Stamp(rawValue: 303),
      value: .int(.min)),
    Cell(
      field: 12, merge: .register, dot: Dot(site: ann, seq: 10), stamp: Stamp(rawValue: 304),
      value: .blob(BlobReference(hash: hash, byteCount: 3_000_000_000))),
    Cell(
      field: 13, merge: .annotation, dot: Dot(site: ben, seq: 8), stamp: Stamp(rawValue: 304),
      value: .int(2048)),
    Cell(
      field: 14, merge: .tally, dot: Dot(site: ann, seq: 11), stamp: Stamp(rawValue: 305),
      value: .int(-7)),
    Cell(
      field: 15, merge: .member, dot: Dot(site: ann, seq: 12), stamp: Stamp(rawValue: 305),
      value: .text("summer")),
    Cell(
      field: 15, merge: .memberRemoval, dot: Dot(site: ben, seq: 9), stamp: Stamp(rawValue: 306),
      value: Cell.memberRemovalValue(of: .text("winter"), seen: vector)),
    Cell(
      field: 16, merge: .item, dot: Dot(site: ann, seq: 13), stamp: Stamp(rawValue: 307),
      value: .reference(photo)),
    Cell(
      field: 16, merge: .place, dot: Dot(site: ann, seq: 14), stamp: Stamp(rawValue: 307),
      value: Position(bytes: [0x81, 0, 1, 3, 5]).map {
        Cell.placeValue(of: Dot(site: ann, seq: 13), at: $0)
      } ?? .null),
    Cell(
      field: 16, merge: .itemRemoval, dot: Dot(site: ben, seq: 10), stamp: Stamp(rawValue: 308),
      value: Cell.itemRemovalValue(of: Dot(site: ben, seq: 4))),
    Cell(
      field: 17, merge: MergeKind(rawValue: 77), dot: Dot(site: cem, seq: 1),
      stamp: Stamp(rawValue: 305), value: Value(kind: ValueKind(rawValue: 99), bytes: [0, 255])),
  ]
  let space = SpaceID(high: 5, low: 6)
  let raised = [
    PushEnd.Raised(site: .known(0), seq: 1), PushEnd.Raised(site: .new(cem), seq: 1 << 40),
  ]
  return [
    ("hello", .hello(Hello(space: space, site: ann, isLeaf: true, seq: 300))),
    ("pull", .pull(Pull(position: Array(1...40), vector: vector))),
    ("pull-part", .pull(Pull(position: [], vector: vector, isWhole: false))),
    ("pull-beyond", .pull(Pull(position: Array(1...40), vector: vector, isBeyond: true))),
    ("features", .features(.all)), ("features-none", .features(.none)),
    ("pull-empty", .pull(Pull(position: [], vector: VersionVector()))),
    ("changes", .changes(cells.map { Change(entity: 3, record: photo, cell: $0) })),
    ("changes-empty", .changes([])),
    ("push-end", .pushEnd(PushEnd(cursor: 7, position: [1, 2, 3], raised: raised))),
    ("acknowledge", .acknowledge(cursor: 7)),
    (
      "refused",
      .refused([Refusal(entity: 3, record: photo, sent: vector, sentence: Array("No.".utf8))])
    ),
    ("ping", .ping(0xdead_beef)), ("pong", .pong(1)),
    ("want", .want(hash, offset: 65536)),
    (
      "blob",
      .blob(BlobPiece(hash: hash, byteCount: 9, offset: 4, bytes: [1, 2, 3, 4, 5]))
    ),
    ("lack", .lack(hash)), ("have", .have([hash, hash])),
    ("bye", .bye(Bye(code: .renewed, sentence: Array("Bye.".utf8)))),
    ("fragment", .fragment(isLast: false, [1, 4, 7])),
    ("later", .later(Later(milliseconds: 2000, sentence: Array("Soon.".utf8)))),
    ("name-all", .nameAll), ("horizon", .horizon(300)), ("behind", .behind),
    ("whole", .whole([RecordName(entity: 300, record: RecordID(high: 1, low: 2))])),
    ("reached", .reached([Reached(site: Site(device: 5, incarnation: 6), arrival: 700)])),
    ("audit", .audit(sampleAudit)),
    ("unknown", .unknown(200)),
    ("presence-none", .presence(PresenceUpdate([]))),
    (
      "presence",
      .presence(
        PresenceUpdate(
          [
            PresenceEntry(device: 7, key: Array("finger".utf8), value: .double(0.5)),
            PresenceEntry(key: Array("tap".utf8), isMessage: true, value: .text("é")),
            PresenceEntry(device: 8, key: Array("finger".utf8), value: .null),
          ], isWhole: true))
    ),
    ("part", .part(PackedPart(byteCount: 300, bytes: [0x78, 1, 2]))),
    ("standing-none", .standing(StandingUpdate())),
    (
      "standing",
      .standing(
        StandingUpdate(
          acknowledged: 300, arrival: 7,
          replicas: [
            ReplicaStanding(changes: 9, blobs: 9, missing: [hash]),
            ReplicaStanding(device: 4, changes: 200, blobs: 0, silentSeconds: 60),
            ReplicaStanding(device: 5, changes: 0, blobs: 0, silentSeconds: 0),
          ]))
    ),
  ]
}()
