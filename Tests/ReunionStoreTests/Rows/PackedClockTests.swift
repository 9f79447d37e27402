import ReunionCore
import Testing

@testable import ReunionStore

@Suite struct PackedClockTests {
  private let table = Table(
    entity: 1,
    columns: [FieldColumn(field: 1, kind: .text), FieldColumn(field: 5, kind: .int)])

  @Test func `gives every reading back`() throws {
    var random = Seeded(state: 5)
    for _ in 0..<2000 {
      func stamp() -> UInt64 {
        let milliseconds = UInt64.random(
          in: 0..<(1 << Int.random(in: 1...47, using: &random)), using: &random)
        return max(
          milliseconds << 16
            | UInt64.random(in: 0..<(1 << Int.random(in: 0...16, using: &random)), using: &random),
          1)
      }
      let entries = [UInt32(0), 1, 5].map { field in
        PackedClock.Entry(
          field: field, merge: field == 0 ? .creation : .register,
          kind: field == 0
            ? .null : Bool.random(using: &random) ? .null : field == 1 ? .text : .int,
          site: Int64.random(in: 1...300, using: &random), seq: stamp(), stamp: stamp(),
          replaced: Bool.random(using: &random) ? 0 : stamp())
      }
      let bytes = PackedClock.encode(entries, hasMore: false, table: table)
      let read = try PackedClock.decode(bytes, table: table)
      #expect(!read.hasMore)
      #expect(read.entries.map(\.stamp) == entries.map(\.stamp))
      #expect(read.entries.map(\.replaced) == entries.map(\.replaced))
      #expect(read.entries.map(\.seq) == entries.map(\.seq))
      #expect(read.entries.map(\.site) == entries.map(\.site))
      #expect(read.entries.map(\.kind) == entries.map(\.kind))
      #expect(read.entries.map(\.field) == entries.map(\.field))
    }
  }

  @Test func `fields that were written in turn over many records take a few bytes each`() {
    let columns = (1...10).map { FieldColumn(field: $0, kind: .int) }
    let start: UInt64 = 1 << 40
    let entries = (UInt32(0)...10).map { field in
      var entry = PackedClock.Entry(field: field, site: 1, seq: 10_000 * UInt64(field) + 7)
      if field > 0 {
        entry.merge = .register
        entry.kind = .int
      }
      entry.stamp = (start + 50 * UInt64(field)) << 16 | 1
      return entry
    }
    let bytes = PackedClock.encode(
      entries, hasMore: false, table: Table(entity: 1, columns: columns))
    // The first field tells the step of seq; the others need flags, a stamp and a number that is 0.
    #expect(bytes.count <= 16 + 8 + 9 * 4)
  }

  @Test func `refuses clocks with flags that it does not know`() {
    #expect(throws: WireError.self) { try PackedClock.decode([6, 0], table: table) }
  }

  @Test func `counters that are nearly the same take no byte`() throws {
    for (counter, byteCount) in [(4, 0), (5, 0), (3, 0), (6, 1), (1, 1)] {
      let base: UInt64 = 9 << 16 | 4
      var writer = ByteWriter()
      writer.stamp(11 << 16 | UInt64(counter), from: base)
      #expect(writer.bytes.count == 1 + byteCount)
      var reader = ByteReader(writer.bytes)
      #expect(try reader.stamp(from: base) == 11 << 16 | UInt64(counter))
    }
  }
}
