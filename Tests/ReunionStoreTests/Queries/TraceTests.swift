import ReunionCore
import ReunionTools
import Testing

@testable import ReunionStore

/// What a check of a folder names of attacks from one space on another, as an earlier server let them be
/// (`decisions/0093`): each of them, and nothing in a store that has none.
@Suite struct TraceTests {
  private let folder = Folder()
  private let one = SpaceID(high: 7, low: 7)
  private let other = SpaceID(high: 9, low: 9)
  private let persons = SpaceID(high: 3, low: 3)
  private let member: UInt32 = 16_777_202
  private let ownSpace: UInt32 = 16_777_208
  private let author = Site(device: 5, incarnation: 5)

  private func members(of space: SpaceID) -> SpaceID {
    let hash = SHA256.hash(Array("reunion access ".utf8) + space.bytes)
    return SpaceID(bytes: Array(hash[..<16])) ?? space
  }

  /// Has a store hold a record with these registers, as a peer brings it.
  private func put(
    _ store: Store, _ entity: UInt32, _ id: RecordID, _ values: [UInt32: Value] = [:],
    in space: SpaceID, by site: Site? = nil
  ) throws {
    let site = site ?? author
    var seq = try store.vector(of: space)[site]
    func change(_ field: UInt32, _ merge: MergeKind, _ value: Value) -> Change {
      seq += 1
      return Change(
        entity: entity, record: id,
        cell: Cell(
          field: field, merge: merge, dot: Dot(site: site, seq: seq),
          stamp: Stamp(milliseconds: 1_700_000_000_000 + seq), value: value))
    }
    let changes =
      [change(0, .creation, .null)]
      + values.sorted { $0.key < $1.key }.map { change($0.key, .register, $0.value) }
    var vector = VersionVector()
    vector.raise(site, to: seq)
    _ = try store.apply(
      IncomingPush(
        peer: site, helloSeq: seq, changes: changes, raised: vector, vector: vector, position: []),
      in: space, authority: .all)
  }

  private func join(
    _ store: Store, _ number: Int64, _ token: UInt8, to space: SpaceID, isRevoked: Bool = false
  ) throws {
    try put(
      store, member, RecordID(high: UInt64(token), low: UInt64(bitPattern: number)),
      [1: .bytes([token]), 3: .int(number), 5: .bool(isRevoked)], in: members(of: space))
  }

  /// A person's own space of that id.
  private func open(_ store: Store, own space: SpaceID) throws {
    try put(store, ownSpace, RecordID(high: space.high, low: space.low), in: persons)
  }

  /// The sentences of a check, after something was done to an ordinary store.
  private func traces(_ change: (Store) throws -> Void = { _ in }) throws -> [String] {
    let store = try folder.open()
    for space in [one, other] {
      try store.write(in: space) { try $0.create(Heart(id: $0.newID())) }
    }
    // What is there everywhere: a device in two spaces by one token, one that was removed and came again,
    // an own space, and a store that gave up a site under which it had written.
    for space in [one, other] { try join(store, 11, 1, to: space) }
    try join(store, 12, 2, to: one, isRevoked: true)
    try join(store, 12, 3, to: other)
    try open(store, own: SpaceID(high: 20, low: 20))
    let gone = Site(device: 6, incarnation: 1)
    try put(store, Heart.schema.number, RecordID(high: 1, low: 1), in: one, by: gone)
    try put(
      store, Retirement.entity, Retirement.id(of: gone), [1: .int(0)], in: one,
      by: Site(device: 6, incarnation: 2))
    try change(store)
    try store.close()
    let found = try Verification(folder: folder.path)
    #expect(found.isSound)
    return found.traces
  }

  @Test func `a store in which nobody reached over has no traces (control)`() throws {
    #expect(try traces() == [])
  }

  @Test func `an own space that is the members of another is named`() throws {
    let found = try traces { try open($0, own: members(of: one)) }
    #expect(found.count == 1)
    #expect(found[0].contains("\(members(of: one))") && found[0].contains("\(one)"))
  }

  @Test func `an own space that is the members of one to come is named`() throws {
    let later = SpaceID(high: 30, low: 30)
    let found = try traces { store in
      try open(store, own: members(of: later))
      try open(store, own: later)
    }
    #expect(found.count == 1 && found[0].contains("\(later)"))
  }

  @Test func `a number that two carry is named`() throws {
    let found = try traces {
      try join($0, 13, 4, to: one); try join($0, 13, 5, to: other)
    }
    #expect(found.count == 1 && found[0].contains("000000000000000d"))
  }

  @Test func `a site that was given up and that nobody wrote under is named`() throws {
    let gone = Site(device: 14, incarnation: 14)
    let found = try traces {
      try put($0, Retirement.entity, Retirement.id(of: gone), [1: .int(0)], in: other)
    }
    #expect(found.count == 1 && found[0].contains("\(gone)") && found[0].contains("\(other)"))
  }

  @Test func `the store's own site, given up by somebody else in a space, is named there`() throws {
    let found = try traces { store in
      // As a store of before took it.
      try store.take(15, in: other)
      let key = RecordKey(entity: Retirement.entity, id: Retirement.id(of: store.site(in: other)))
      try store.commit { (writer, records) throws(StoreError) in
        let old = try writer.space(other, records)
        var new = old
        new.arrival += 1
        let cells = Retirement.record(
          of: store.site(in: other), floor: 0, after: Dot(site: author, seq: 90),
          at: Stamp(milliseconds: 1_700_000_000_000))
        try records.write(
          StoredRecord(key: key, state: cells, arrival: new.arrival), over: nil,
          space: new.number)
        try records.write(&new, over: old, store.mark(writer.clock.last, in: other))
        writer.spaces[other] = new
        return ((), nil)
      }
    }
    #expect(found.count == 1 && found[0].contains("\(other)"))
    #expect(found[0].contains("under which this store writes now"))
  }
}
