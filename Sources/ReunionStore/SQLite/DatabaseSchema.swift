import ReunionCore

/// The tables that every store has, and the numbers in the header of its file.
enum DatabaseSchema {
  /// "Reun", what tells the file from other SQLite databases.
  static let applicationID: Int64 = 0x5265_756e
  /// The version of the tables here; a store of a higher one is not touched.
  static let version: Int64 = 3
  static let pageBytes = 4096
  static let reservedBytes: UInt8 = 8
  /// How much the connection that writes keeps of the file in memory.
  static let writerCacheKibibytes = 8192

  /// What peers said that they hold of one's own sites; stores of the first days have no such table.
  static let peerHeld =
    """
    CREATE TABLE IF NOT EXISTS reunion_peer_held(space INTEGER, peer INTEGER, site INTEGER, \
    seq INTEGER NOT NULL, PRIMARY KEY(space, peer, site)) WITHOUT ROWID
    """

  /// What can be undone (side 0) and redone (side 1); earlier stores have no such table.
  static let undo =
    """
    CREATE TABLE IF NOT EXISTS reunion_undo(space INTEGER, side INTEGER, number INTEGER, \
    name TEXT NOT NULL, step BLOB NOT NULL, PRIMARY KEY(space, side, number)) WITHOUT ROWID
    """

  /// The names of entities (field 0) and fields, for tools that have no model. Older stores have no
  /// such table before they are opened.
  static let names =
    """
    CREATE TABLE IF NOT EXISTS reunion_name(entity INTEGER, field INTEGER, name TEXT NOT NULL, \
    PRIMARY KEY(entity, field)) WITHOUT ROWID
    """

  /// Blobs that nothing names, and at which age of the collector they were found so.
  static let blobMarks =
    """
    CREATE TABLE IF NOT EXISTS reunion_blob_mark(hash BLOB PRIMARY KEY, age INTEGER NOT NULL) \
    WITHOUT ROWID
    """

  /// Tables that older stores get when they are opened.
  static let laterTables = [peerHeld, names, undo, blobMarks]

  static let tables =
    laterTables + [
      "CREATE TABLE reunion_meta(key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID",
      """
      CREATE TABLE reunion_space(number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE, \
      arrival INTEGER NOT NULL, stamp INTEGER NOT NULL, site INTEGER, seq INTEGER, recent BLOB)
      """,
      ArrivalLog.create,
      "CREATE TABLE reunion_site(number INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE)",
      """
      CREATE TABLE reunion_field(entity INTEGER, field INTEGER, kind INTEGER NOT NULL, \
      PRIMARY KEY(entity, field)) WITHOUT ROWID
      """,
      """
      CREATE TABLE reunion_vector(space INTEGER, site INTEGER, seq INTEGER NOT NULL, \
      PRIMARY KEY(space, site)) WITHOUT ROWID
      """,
      """
      CREATE TABLE reunion_peer(space INTEGER, site INTEGER, cursor INTEGER NOT NULL, \
      PRIMARY KEY(space, site)) WITHOUT ROWID
      """,
      """
      CREATE TABLE reunion_unknown_cell(space INTEGER, record BLOB, entity INTEGER, field INTEGER, \
      merge INTEGER, site INTEGER, seq INTEGER, stamp INTEGER, replaced INTEGER, kind INTEGER, \
      value BLOB, PRIMARY KEY(space, entity, record, field, merge, site, seq)) WITHOUT ROWID
      """,
      """
      CREATE TABLE reunion_conflict(number INTEGER PRIMARY KEY, space INTEGER, record BLOB, \
      entity INTEGER, field INTEGER, merge INTEGER, site INTEGER, seq INTEGER, stamp INTEGER, \
      replaced INTEGER, kind INTEGER, value BLOB, UNIQUE(space, entity, record, field, site, seq))
      """,
      """
      CREATE TABLE reunion_staged(number INTEGER PRIMARY KEY, space INTEGER, site INTEGER, \
      changes BLOB NOT NULL)
      """,
      "CREATE INDEX reunion_staged_peer ON reunion_staged(space, site)",
      "CREATE TABLE reunion_blob(hash BLOB PRIMARY KEY, byte_count INTEGER NOT NULL) WITHOUT ROWID",
      """
      CREATE TABLE reunion_blob_reference(space INTEGER, record BLOB, entity INTEGER, \
      field INTEGER, hash BLOB, byte_count INTEGER NOT NULL, \
      PRIMARY KEY(space, entity, record, field, hash)) WITHOUT ROWID
      """,
      "CREATE INDEX reunion_blob_reference_hash ON reunion_blob_reference(hash)",
    ]

  /// Brings tables of an earlier version to this one. Version 3 has the tables of version 2: it is a
  /// form of clocks (`PackedClock.Form`), which each record gets when it is written.
  static func upgrade(_ connection: Connection, from version: Int64) throws(StoreError) {
    if version == 1 { try logArrivals(connection) }
    try connection.execute("PRAGMA user_version = \(Self.version)")
  }

  /// From version 1 to version 2: one log of arrivals in place of an index a table.
  private static func logArrivals(_ connection: Connection) throws(StoreError) {
    try connection.execute("ALTER TABLE reunion_space ADD COLUMN site INTEGER")
    try connection.execute("ALTER TABLE reunion_space ADD COLUMN seq INTEGER")
    try connection.execute("ALTER TABLE reunion_space ADD COLUMN recent BLOB")
    try connection.execute(ArrivalLog.create)
    let tables = try connection.statement(
      """
      SELECT name, substr(name, 16) FROM sqlite_schema WHERE type = 'table' \
      AND (name GLOB 'reunion_record_[0-9]*' OR name = 'reunion_unknown_record')
      """)
    var names: [(table: String, entity: String)] = []
    while try tables.step() {
      let name = tables.text(0)
      names.append((name, name == "reunion_unknown_record" ? "entity" : tables.text(1)))
    }
    let rows = names.map { "SELECT space, arrival, \($0.entity), id FROM \($0.table)" }
    let statement = try connection.prepare(
      rows.joined(separator: " UNION ALL ") + " ORDER BY space, arrival")
    defer { statement.finalize() }
    let insert = try connection.statement("INSERT INTO reunion_arrival VALUES(?1, ?2)")
    var row = Arrivals(first: 0)
    func write() throws(StoreError) {
      guard row.count > 0 else { return }
      try insert.bind(1, Int64(bitPattern: row.first))
      try insert.bind(2, row.bytes)
      try insert.run()
    }
    while try statement.step() {
      let key = RecordKey(
        entity: UInt32(truncatingIfNeeded: statement.int(2)), id: try statement.identifier(3))
      let arrival = UInt64(bitPattern: statement.int(1))
      let number = UInt64(bitPattern: ArrivalLog.number(arrival, space: statement.int(0)))
      if number != row.end || row.count == Arrivals.countMax {
        try write()
        row = Arrivals(first: number)
      }
      row.append(key)
    }
    try write()
    for (table, _) in names { try connection.execute("DROP INDEX IF EXISTS \(table)_arrival") }
  }
}
