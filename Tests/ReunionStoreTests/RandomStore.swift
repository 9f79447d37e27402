import ReunionCore
import Testing

@testable import ReunionStore

/// Stores of all that a store can hold: records and deletes of several devices, conflicts, fields
/// and entities that no model here knows, collections, odd values, blobs.
enum RandomStore {
  static let spaces = [SpaceID(high: 7, low: 7), SpaceID(high: 1, low: 2)]

  static func make(in folder: Folder, _ random: inout Seeded) throws -> Store {
    let store = try folder.open()
    for space in spaces {
      let ids = (0..<6).map { RecordID(high: UInt64($0), low: random.next()) }
      var blobs: [BlobReference] = []
      for _ in 0..<3 {
        let bytes = (0..<Int.random(in: 0...300, using: &random)).map { UInt8($0 & 255) }
        blobs.append(try store.blobs.add(bytes + [UInt8.random(in: 0...255, using: &random)]))
      }
      // What several devices wrote, without having seen one another.
      for device in 1...3 as ClosedRange<UInt64> {
        let site = Site(device: device, incarnation: random.next())
        var vector = VersionVector()
        var changes: [Change] = []
        for seq in 1...60 as ClosedRange<UInt64> {
          let id = ids.randomElement(using: &random) ?? ids[0]
          let entity = [3, 4, 9].randomElement(using: &random) as UInt32? ?? 3
          let cell = cell(Dot(site: site, seq: seq), blobs, &random)
          changes.append(Change(entity: entity, record: id, cell: cell))
          vector.raise(site, to: seq)
        }
        try store.take(changes, vector, from: site, in: space)
      }
      try store.write(in: space) { transaction in
        try transaction.create(Photo.self) {
          $0.caption = "own"
          $0.original = blobs[0]
        }
        let other = try transaction.create(Heart.self) { _ in }
        try transaction.delete(Heart.self, other.id)
      }
    }
    return store
  }

  static func cell(_ dot: Dot, _ blobs: [BlobReference], _ random: inout Seeded) -> Cell {
    let stamp = Stamp(rawValue: UInt64.random(in: 1...(1 << 62), using: &random))
    let field = UInt32.random(in: 1...14, using: &random)
    func cell(_ merge: MergeKind, _ value: Value, _ field: UInt32) -> Cell {
      let replaced = UInt64.random(in: 0..<stamp.rawValue, using: &random)
      return Cell(
        field: field, merge: merge, dot: dot, stamp: stamp,
        replaced: merge == .register ? Stamp(rawValue: replaced) : .none, value: value)
    }
    let item = Dot(site: dot.site, seq: max(1, dot.seq / 2))
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return cell(.creation, .null, 0)
    case 1:
      var seen = VersionVector()
      seen.raise(dot.site, to: dot.seq / 2)
      return cell(.deletion, Cell.deletionValue(seen: seen), 0)
    case 2: return cell(.tally, .int(Int64(dot.seq)), 20)
    case 3: return cell(.member, .text("\(dot.seq % 5)"), 21)
    case 4:
      var seen = VersionVector()
      seen.raise(dot.site, to: dot.seq / 2)
      return cell(.memberRemoval, Cell.memberRemovalValue(of: .text("1"), seen: seen), 21)
    case 5: return cell(.item, .double(.nan), 22)
    case 6:
      guard let position = Position.between(nil, nil, using: &random) else { break }
      return cell(.place, Cell.placeValue(of: item, at: position), 22)
    case 7: return cell(MergeKind(rawValue: 77), .bytes([1, 2]), field)
    default: break
    }
    let values: [Value] = [
      .null, .bool(true), .int(.max), .int(.min), .double(-0.0),
      .double(Double(bitPattern: 0x7ff8_0000_0000_0000 | random.next() >> 13)),
      .text("a\u{0}\u{301}"), Value(kind: .text, bytes: [0xed, 0xa0, 0x80]), .bytes([0]),
      .date(milliseconds: -1), Value(kind: .uuid, bytes: Array(0..<16)),
      Value(kind: ValueKind(rawValue: 99), bytes: [1]),
      .blob(blobs.randomElement(using: &random) ?? blobs[0]),
      .blob(BlobReference(hash: BlobHash(of: [9, 9]), byteCount: 2)),
    ]
    return cell(.register, values.randomElement(using: &random) ?? .null, field)
  }

  static func expectEqual(_ copy: Store, _ store: Store, _ comment: Comment) throws {
    #expect(try copy.spaces == store.spaces, comment)
    #expect(try copy.counts() == store.counts(), comment)
    for space in try store.spaces {
      #expect(try copy.digest(of: space) == store.digest(of: space), comment)
      #expect(try copy.vector(of: space) == store.vector(of: space), comment)
      #expect(
        try Set(copy.blobs.missing(in: space)) == Set(store.blobs.missing(in: space)), comment)
      #expect(try conflicts(of: copy, space) == conflicts(of: store, space), comment)
      #expect(
        try Set(copy.fetch(Query<Photo>(in: space)).map { "\($0)" })
          == Set(store.fetch(Query<Photo>(in: space)).map { "\($0)" }), comment)
    }
    for blob in try store.read({ (reader) throws(StoreError) in try reader.heldBlobs() }) {
      let count = Int(blob.byteCount)
      #expect(
        try copy.blobs.read(blob.hash, count: count) == store.blobs.read(blob.hash, count: count),
        comment)
    }
  }

  static func conflicts(of store: Store, _ space: SpaceID) throws -> [[Cell]] {
    try store.readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return [] }
      let statement = try reader.connection.prepare(
        "SELECT DISTINCT entity, record FROM reunion_conflict WHERE space = ?1 ORDER BY 1, 2")
      defer { statement.finalize() }
      try statement.bind(1, number)
      var all: [[Cell]] = []
      while try statement.step() {
        let key = RecordKey(
          entity: UInt32(truncatingIfNeeded: statement.int(0)), id: try statement.identifier(1))
        all.append(try reader.conflicts(key, space: number))
      }
      return all
    }
  }
}

extension RecordReader {
  func heldBlobs() throws(StoreError) -> [BlobReference] {
    let statement = try connection.statement("SELECT hash, byte_count FROM reunion_blob")
    defer { statement.reset() }
    var blobs: [BlobReference] = []
    while try statement.step() {
      guard let hash = BlobHash(bytes: statement.bytes(0)) else { continue }
      blobs.append(BlobReference(hash: hash, byteCount: UInt64(bitPattern: statement.int(1))))
    }
    return blobs
  }
}
