/// The table DATABASECHANGELOG, with the columns that Liquibase has in it.
package struct HistoryTable {
  let database: any ChangelogDatabase
  package static let name = "DATABASECHANGELOG"

  package init(_ database: any ChangelogDatabase) { self.database = database }

  private var table: String { database.named(Self.name) }

  private static let columns = [
    "ID", "AUTHOR", "FILENAME", "DATEEXECUTED", "ORDEREXECUTED", "EXECTYPE", "MD5SUM",
    "DESCRIPTION", "COMMENTS", "TAG", "LIQUIBASE", "CONTEXTS", "LABELS", "DEPLOYMENT_ID",
  ]

  /// Makes the table, or adds the columns that an older Liquibase did not have.
  func make() throws(DatabaseError) {
    let present = try presentColumns()
    guard !present.isEmpty else { return try database.execute(definition) }
    let sizes = ["LIQUIBASE": 20, "DEPLOYMENT_ID": 10, "MD5SUM": 35]
    for column in Self.columns.dropFirst(6) where !present.contains(column) {
      let size = sizes[column] ?? 255
      try database.execute("ALTER TABLE \(table) ADD \(column) VARCHAR(\(size))")
    }
  }

  private var definition: String {
    let isSQLite = database.dialect == .sqlite
    let (date, number) = isSQLite ? ("TEXT", "INTEGER") : ("TIMESTAMP WITHOUT TIME ZONE", "INTEGER")
    return """
      CREATE TABLE \(table) (ID VARCHAR(255) NOT NULL, AUTHOR VARCHAR(255) NOT NULL, \
      FILENAME VARCHAR(255) NOT NULL, DATEEXECUTED \(date) NOT NULL, \
      ORDEREXECUTED \(number) NOT NULL, EXECTYPE VARCHAR(10) NOT NULL, MD5SUM VARCHAR(35), \
      DESCRIPTION VARCHAR(255), COMMENTS VARCHAR(255), TAG VARCHAR(255), LIQUIBASE VARCHAR(20), \
      CONTEXTS VARCHAR(255), LABELS VARCHAR(255), DEPLOYMENT_ID VARCHAR(10))
      """
  }

  private func presentColumns() throws(DatabaseError) -> Set<String> {
    try database.columns(of: Self.name)
  }

  /// All rows in the order in which they were run; nil if there is no such table.
  package func rows() throws(DatabaseError) -> [HistoryRow]? {
    let present = try presentColumns()
    guard !present.isEmpty else { return nil }
    let list = Self.columns.map { present.contains($0) ? $0 : "NULL" }.joined(separator: ", ")
    let order =
      present.contains("ORDEREXECUTED") ? "ORDEREXECUTED, DATEEXECUTED" : "DATEEXECUTED"
    return try database.query("SELECT \(list) FROM \(table) ORDER BY \(order)").map(Self.row)
  }

  private static func row(_ values: [String?]) -> HistoryRow {
    var row = HistoryRow()
    row.id = values[0] ?? ""
    row.author = values[1] ?? ""
    row.path = values[2] ?? ""
    row.date = values[3] ?? ""
    row.order = values[4].flatMap { Int($0) } ?? 0
    row.outcome = values[5].flatMap { HistoryRow.Outcome(rawValue: $0) } ?? .executed
    row.checksum = values[6].flatMap { $0.isEmpty ? nil : Checksum(stored: $0) }
    row.description = values[7] ?? ""
    row.comment = values[8] ?? ""
    row.tag = values[9]
    row.program = values[10] ?? ""
    row.contexts = values[11]
    row.labels = values[12]
    row.deployment = values[13]
    return row
  }

  // MARK: Writing

  private var now: String { database.dialect == .sqlite ? "DATETIME('NOW')" : "NOW()" }

  /// Adds a row; its date is the database's.
  func insert(_ row: HistoryRow) throws(DatabaseError) {
    let values = [
      row.id.literal, row.author.literal, row.path.literal, now, "\(row.order)",
      row.outcome.rawValue.literal, (row.checksum?.description).literal,
      row.description.literal, row.comment.literal, row.tag.literal, row.program.literal,
      row.contexts.literal, row.labels.literal, row.deployment.literal,
    ]
    try database.execute(
      "INSERT INTO \(table) (\(Self.columns.joined(separator: ", "))) VALUES"
        + " (\(values.joined(separator: ", ")))")
  }

  /// Says of a row that its changeset was run once more.
  func update(_ row: HistoryRow) throws(DatabaseError) {
    try database.execute(
      "UPDATE \(table) SET DATEEXECUTED = \(now), ORDEREXECUTED = \(row.order), "
        + "EXECTYPE = \(row.outcome.rawValue.literal), MD5SUM = \((row.checksum?.description).literal), "
        + "DEPLOYMENT_ID = \(row.deployment.literal), COMMENTS = \(row.comment.literal), "
        + "CONTEXTS = \(row.contexts.literal), LABELS = \(row.labels.literal), "
        + "LIQUIBASE = \(row.program.literal), DESCRIPTION = \(row.description.literal)\(row.filter)"
    )
  }

  func setChecksum(of row: HistoryRow, to checksum: Checksum) throws(DatabaseError) {
    try database.execute(
      "UPDATE \(table) SET MD5SUM = \(checksum.description.literal)\(row.filter)")
  }

  func setPath(of row: HistoryRow, to path: String) throws(DatabaseError) {
    try database.execute("UPDATE \(table) SET FILENAME = \(path.literal)\(row.filter)")
  }

  func setTag(of row: HistoryRow, to tag: String) throws(DatabaseError) {
    try database.execute("UPDATE \(table) SET TAG = \(tag.literal)\(row.filter)")
  }

  func delete(_ row: HistoryRow) throws(DatabaseError) {
    try database.execute("DELETE FROM \(table)\(row.filter)")
  }

  func clearChecksums() throws(DatabaseError) {
    try database.execute("UPDATE \(table) SET MD5SUM = NULL")
  }
}

extension HistoryRow {
  /// The path as it is stored, not as it is compared.
  fileprivate var filter: String {
    " WHERE ID = \(id.literal) AND AUTHOR = \(author.literal) AND FILENAME = \(path.literal)"
  }
}
