import ReunionCore
import ReunionDisk
import ReunionStore

/// Reads what can be read in the database of a damaged store: where a page is broken, what is on
/// the others.
final class DamagedStore {
  /// A row of a table of records.
  struct Key: Hashable {
    let space: Int64
    let record: RecordKey
  }

  /// A kept conflict, and where it belongs.
  struct Conflict {
    let space: SpaceID
    let key: RecordKey
    let cell: Cell
  }

  let layout: Layout
  private(set) var spaces: [Int64: SpaceID] = [:]
  private let connection: DatabaseConnection
  private let reader: RecordReader

  init(_ path: String, on disk: any Disk) throws(StoreError) {
    connection = try DatabaseConnection(path: path, on: disk, readOnly: true)
    do throws(StoreError) {
      let application = try connection.number("PRAGMA application_id")
      let version = try connection.number("PRAGMA user_version") ?? 0
      guard application == DatabaseSchema.applicationID, version <= DatabaseSchema.version else {
        throw StoreError(
          application == DatabaseSchema.applicationID ? .newerVersion : .damaged,
          "\(path) cannot be read by this program: use a newer one, or a backup.")
      }
      layout = try Layout(connection)
    } catch {
      connection.close()
      throw error
    }
    reader = RecordReader(connection, layout: layout)
    // Small tables stand in two trees: by number, and by id.
    for source in ["NOT INDEXED", "INDEXED BY sqlite_autoindex_reunion_space_1"] {
      _ = scan("SELECT number, id FROM reunion_space \(source)") { (row) throws(StoreError) in
        spaces[row.int(0)] = try row.identifier(1, SpaceID.self)
      }
    }
    for source in ["NOT INDEXED", "INDEXED BY sqlite_autoindex_reunion_site_1"] {
      _ = scan("SELECT number, id FROM reunion_site \(source)") { (row) throws(StoreError) in
        reader.numbers.learn(try row.identifier(1, Site.self), number: row.int(0))
      }
    }
  }

  func close() { connection.close() }

  /// Calls a closure with the rows of a query up to the first that cannot be read.
  ///
  /// - Returns: whether all could be.
  private func scan(_ sql: String, _ body: (Statement) throws(StoreError) -> Void) -> Bool {
    do throws(StoreError) {
      let statement = try connection.prepare(sql)
      defer { statement.finalize() }
      while try statement.step() { try body(statement) }
      return true
    } catch {
      return false
    }
  }

  /// The model of the tables, with the names that the store keeps or numbers in their place.
  func model() -> Model {
    let names = try? FieldNames(connection)
    return Model(
      entities: layout.tables.filter { !$0.isUnknown }.map { table in
        EntityDescription(
          number: table.entity,
          name: names?.entity(table.entity) ?? ReservedEntity.name(of: table.entity)
            ?? "entity \(table.entity)",
          fields: table.columns.map { column in
            FieldDescription(
              number: column.field,
              name: names?.field(column.field, of: table.entity) ?? "field \(column.field)",
              kind: column.kind)
          })
      })
  }

  /// The keys of a table: from its own tree, and around damage from both ends and from that of
  /// arrivals.
  func keys(of table: Table) -> (keys: [Key], isWhole: Bool) {
    var seen: Set<Key> = []
    var keys: [Key] = []
    let columns = table.isUnknown ? "space, id, entity" : "space, id, \(table.entity)"
    func add(_ key: Key) {
      if seen.insert(key).inserted { keys.append(key) }
    }
    for order in ["space, id", "space DESC, id DESC"] {
      let isWhole = scan("SELECT \(columns) FROM \(table.name) ORDER BY \(order)") {
        (row) throws(StoreError) in
        guard let entity = UInt32(exactly: row.int(2)) else { throw row.damaged("an entity") }
        add(Key(space: row.int(0), record: RecordKey(entity: entity, id: try row.identifier(1))))
      }
      if isWhole && order == "space, id" { return (keys, true) }
    }
    for key in arrivals where layout.table(key.record.entity) === table { add(key) }
    return (keys, false)
  }

  /// The keys in the log of arrivals, from both its ends.
  private lazy var arrivals: [Key] = {
    var keys: [Key] = []
    for order in ["", " DESC"] {
      let isWhole = scan("SELECT number, records FROM reunion_arrival ORDER BY number\(order)") {
        (row) throws(StoreError) in
        for case let record? in try Arrivals.keys(row.bytes(1), row) {
          keys.append(Key(space: ArrivalLog.space(row.int(0)), record: record))
        }
      }
      if isWhole { break }
    }
    for space in spaces.keys {
      for case let record? in (try? reader.spaceRow(space))?.recent ?? [] {
        keys.append(Key(space: space, record: record))
      }
    }
    return keys
  }()

  /// A record, nil where it cannot be read whole.
  func record(_ key: Key) -> StoredRecord? {
    do throws(StoreError) {
      return try reader.record(key.record, space: key.space)
    } catch {
      return nil
    }
  }

  /// The kept conflicts, from both ends of their table.
  func conflicts() -> [Conflict] {
    var seen: Set<Int64> = []
    var conflicts: [Conflict] = []
    for order in ["", " ORDER BY number DESC"] {
      let sql =
        "SELECT field, merge, site, seq, stamp, replaced, kind, value, space, entity, record,"
        + " number FROM reunion_conflict NOT INDEXED\(order)"
      let isWhole = scan(sql) { (row) throws(StoreError) in
        guard let space = spaces[row.int(8)], let entity = UInt32(exactly: row.int(9)),
          seen.insert(row.int(11)).inserted
        else { return }
        conflicts.append(
          Conflict(
            space: space, key: RecordKey(entity: entity, id: try row.identifier(10)),
            cell: try reader.wholeCell(row)))
      }
      if isWhole { break }
    }
    return conflicts
  }

  /// The vectors of the spaces, nil where one cannot be read.
  func vectors() -> [SpaceID: VersionVector]? {
    var vectors: [SpaceID: VersionVector] = [:]
    for (number, space) in spaces {
      guard let vector = try? reader.vector(space: number) else { return nil }
      vectors[space] = vector
    }
    return vectors
  }

  /// The clock as of the last write that can be read.
  func clock() -> Stamp {
    var clock = Stamp(rawValue: 0)
    _ = scan("SELECT stamp FROM reunion_space") { row in
      clock = max(clock, Stamp(rawValue: UInt64(bitPattern: row.int(0))))
    }
    return clock
  }

  /// The sites under which the store was last opened, nil where they cannot be read.
  func sites() -> Sites? { try? Identity.sites(connection) }
}
