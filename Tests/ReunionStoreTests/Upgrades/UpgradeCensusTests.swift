import ReunionCore
import ReunionDisk
import Testing

@testable import ReunionStore

/// The census sees every change of what an upgrade must leave as it is, and no other.
@Suite struct UpgradeCensusTests {
  private func census(_ connection: DatabaseConnection) throws -> UpgradeCensus {
    try UpgradeCensus(connection) { _ in 1 }
  }

  /// SQL that changes one thing each, in the tables that the sample store has rows in.
  private static let changes: [String] = [
    """
    UPDATE reunion_record_3 SET f1 = f1 || 'x' WHERE id = (SELECT id FROM reunion_record_3 \
    WHERE typeof(f1) = 'text' LIMIT 1)
    """,
    "UPDATE reunion_record_3 SET arrival = arrival + 1 WHERE \(one("reunion_record_3"))",
    "UPDATE reunion_record_3 SET alive = 1 - alive WHERE \(one("reunion_record_3"))",
    "UPDATE reunion_record_4 SET creator = creator + 1 WHERE creator IS NOT NULL",
    "DELETE FROM reunion_record_3 WHERE \(one("reunion_record_3"))",
    "DELETE FROM reunion_unknown_record WHERE \(one("reunion_unknown_record"))",
    "DELETE FROM reunion_unknown_cell WHERE \(first("reunion_unknown_cell"))",
    "UPDATE reunion_unknown_cell SET value = x'00' WHERE length(value) > 1",
    "UPDATE reunion_unknown_cell SET stamp = stamp + 1 WHERE \(first("reunion_unknown_cell"))",
    "UPDATE reunion_unknown_cell SET kind = kind + 1 WHERE \(first("reunion_unknown_cell"))",
    "DELETE FROM reunion_conflict WHERE \(first("reunion_conflict"))",
    "UPDATE reunion_conflict SET value = x'01' WHERE \(first("reunion_conflict"))",
    "UPDATE reunion_vector SET seq = seq + 1",
    "UPDATE reunion_space SET arrival = arrival + 1",
    "UPDATE reunion_site SET id = randomblob(16) WHERE number = 1",
    "DELETE FROM reunion_blob WHERE hash = (SELECT hash FROM reunion_blob LIMIT 1)",
    "UPDATE reunion_blob SET byte_count = byte_count + 1",
    "DELETE FROM reunion_blob_reference WHERE hash = (SELECT hash FROM reunion_blob LIMIT 1)",
    "INSERT INTO reunion_blob_mark VALUES(x'00', 1)",
  ]

  private static func one(_ table: String) -> String { "id = (SELECT id FROM \(table) LIMIT 1)" }

  private static func first(_ table: String) -> String {
    "seq = (SELECT min(seq) FROM \(table))"
  }

  @Test func `sees each change of a cell, a conflict, a vector, an arrival and a blob`() throws {
    let folder = Folder()
    var random = Seeded(state: 3)
    let store = try RandomStore.make(in: folder, &random)
    try store.close()
    let connection = try DatabaseConnection(path: folder.database, on: .system)
    defer { connection.close() }
    let names = try FieldNames(connection)
    let before = try census(connection)
    #expect(try census(connection).difference(from: before, names) == nil)
    for sql in Self.changes {
      try connection.execute("BEGIN IMMEDIATE")
      try connection.execute(sql)
      #expect(try connection.number("SELECT changes()") ?? 0 > 0, "\(sql)")
      #expect(try census(connection).difference(from: before, names) != nil, "\(sql)")
      try connection.execute("ROLLBACK")
    }
    #expect(try census(connection).difference(from: before, names) == nil)
  }

  @Test func `sees a flipped bit of every clock`() throws {
    let folder = Folder()
    var random = Seeded(state: 4)
    try RandomStore.make(in: folder, &random).close()
    let connection = try DatabaseConnection(path: folder.database, on: .system)
    defer { connection.close() }
    let names = try FieldNames(connection)
    let before = try census(connection)
    let rows = try connection.prepare("SELECT space, id, clock FROM reunion_record_3")
    var clocks: [(Int64, RecordID, [UInt8])] = []
    while try rows.step() {
      clocks.append((rows.int(0), try rows.identifier(1), rows.bytes(2)))
    }
    rows.finalize()
    var (seen, same) = (0, 0)
    let table = try Layout(connection).table(3)
    for (space, id, bytes) in clocks {
      for bit in stride(from: 8, to: bytes.count * 8, by: 29) {
        var flipped = bytes
        flipped[bit / 8] ^= 1 << UInt8(bit % 8)
        try connection.execute("BEGIN IMMEDIATE")
        let update = try connection.statement(
          "UPDATE reunion_record_3 SET clock = ?3 WHERE space = ?1 AND id = ?2")
        try update.bind(1, space)
        try update.bind(2, id)
        try update.bind(3, flipped)
        try update.run()
        // One that cannot be read is seen too; some flips say the same in other words.
        let isSeen = (try? census(connection)).map { $0.difference(from: before, names) != nil }
        if isSeen != false { seen += 1 } else { same += 1 }
        #expect(isSeen != false || entries(flipped, table) == entries(bytes, table))
        try connection.execute("ROLLBACK")
      }
    }
    print("\(seen) flipped bits of clocks seen, \(same) of no meaning")
    #expect(seen > 50 && same < 5)
  }

  private func entries(_ clock: [UInt8], _ table: Table) -> String? {
    (try? PackedClock.decode(clock, table: table)).map { "\($0.entries)" }
  }

  @Test func `is the same whether a model knows what is there or not`() throws {
    for seed in 1...6 as ClosedRange<UInt64> {
      let folder = Folder()
      var random = Seeded(state: seed)
      try RandomStore.make(in: folder, &random).close()
      var counts: [CellCount] = []
      // From knowing nothing on, so that everything is taken in once.
      let fresh = Folder()
      var store = try fresh.open(Model(entities: []))
      let source = try folder.open()
      for space in RandomStore.spaces { try store.pull(from: source, space) }
      try source.close()
      let kinds: [UInt32: ValueKind] = [20: .counter, 21: .set, 22: .list]
      let full = Model(
        entities: [3, 4, 9].map { entity in
          EntityDescription(
            number: entity, name: "e\(entity)",
            fields: (1...22).map { field in
              FieldDescription(
                number: field, name: "f\(field)",
                kind: kinds[field] ?? [.text, .int, .blob, .double, .bool][Int(field) % 5])
            })
        })
      for model in [Model(entities: []), full] {
        try store.close()
        store = try fresh.open(model)
        let count = try store.read { (reader) throws(StoreError) in
          try CellCount(reader.connection, layout: reader.layout)
        }
        counts.append(count)
      }
      #expect(store.upgradeReport?.isGuarded == true)
      #expect(counts[0].differences(from: counts[1]).isEmpty)
      #expect(counts[0].sums.count > 20)
      try store.close()
    }
  }
}
