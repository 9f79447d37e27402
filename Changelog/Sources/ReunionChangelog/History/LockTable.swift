/// The row of DATABASECHANGELOGLOCK, by which Liquibase and we keep out of each other's way.
package struct LockTable {
  let database: any ChangelogDatabase
  package static let name = "DATABASECHANGELOGLOCK"
  /// What tells a row of ours from one of Liquibase's.
  static let mark = " reunion "

  /// The holder of the lock.
  package struct Holder: Sendable, Equatable {
    package let name: String
    package let since: String

    /// Whether it is one of ours.
    package var isOurs: Bool { name.contains(LockTable.mark) }
  }

  package init(_ database: any ChangelogDatabase) { self.database = database }

  private var table: String { database.named(Self.name) }

  /// Makes the table and its row, where they are not there.
  func make() throws(DatabaseError) {
    let (flag, date) =
      database.dialect == .sqlite
      ? ("INTEGER", "TEXT") : ("INTEGER", "TIMESTAMP WITHOUT TIME ZONE")
    if try !exists() {
      try database.execute(
        """
        CREATE TABLE \(table) (ID \(flag) NOT NULL, LOCKED BOOLEAN NOT NULL, \
        LOCKGRANTED \(date), LOCKEDBY VARCHAR(255), \
        CONSTRAINT PK_\(Self.name) PRIMARY KEY (ID))
        """)
    }
    if try database.query("SELECT ID FROM \(table) WHERE ID = 1").isEmpty {
      try database.execute("INSERT INTO \(table) (ID, LOCKED) VALUES (1, \(no))")
    }
  }

  package func exists() throws(DatabaseError) -> Bool {
    try !database.columns(of: Self.name).isEmpty
  }

  /// The holder of the lock; nil if nobody has it. The table must be there.
  package func holder() throws(DatabaseError) -> Holder? {
    let rows = try database.query(
      "SELECT LOCKED, LOCKEDBY, LOCKGRANTED FROM \(table) WHERE ID = 1")
    guard let row = rows.first, ["1", "t", "true"].contains(row[0]?.lowercased() ?? "") else {
      return nil
    }
    return Holder(name: row[1] ?? "somebody", since: row[2] ?? "an unknown time")
  }

  /// For how many seconds it has been held; nil where that cannot be told.
  func age() throws(DatabaseError) -> Double? {
    let expression =
      switch database.dialect {
      case .sqlite:
        // The driver of Liquibase writes milliseconds.
        """
        CASE WHEN typeof(LOCKGRANTED) = 'integer' THEN strftime('%s','now') - LOCKGRANTED / 1000.0
        ELSE (julianday('now') - julianday(LOCKGRANTED)) * 86400 END
        """
      case .postgresql: "extract(epoch FROM localtimestamp - LOCKGRANTED)"
      }
    let rows = try database.query("SELECT \(expression) FROM \(table) WHERE ID = 1")
    return (rows.first?.first ?? nil).flatMap { Double($0) }
  }

  /// Writes that we have the lock, if it is free or still with `holder`, which has lost its claim.
  /// The result is whether we have it then.
  func set(_ name: String, over holder: Holder?) throws(DatabaseError) -> Bool {
    let now =
      database.dialect == .sqlite ? "STRFTIME('%Y-%m-%d %H:%M:%f', 'NOW')" : "localtimestamp"
    let old =
      holder.map { "LOCKED = \(yes) AND LOCKEDBY = \($0.name.literal)" } ?? "LOCKED = \(no)"
    try database.execute(
      "UPDATE \(table) SET LOCKED = \(yes), LOCKEDBY = \(name.literal), LOCKGRANTED = \(now) "
        + "WHERE ID = 1 AND \(old)")
    return try self.holder()?.name == name
  }

  /// Writes that nobody has it; only where it is the named one's, if one is.
  func clear(of name: String?) throws(DatabaseError) {
    let filter = name.map { " AND LOCKEDBY = \($0.literal)" } ?? ""
    try database.execute(
      "UPDATE \(table) SET LOCKED = \(no), LOCKEDBY = NULL, LOCKGRANTED = NULL "
        + "WHERE ID = 1\(filter)")
  }

  /// Whether a name still has it, as seen in the transaction under way: nobody takes it before that
  /// ends.
  func isHeld(by name: String) throws(DatabaseError) -> Bool {
    let suffix = database.dialect == .sqlite ? "" : " FOR UPDATE"
    let rows = try database.query(
      "SELECT LOCKEDBY FROM \(table) WHERE ID = 1 AND LOCKED = \(yes)\(suffix)")
    return rows.first?.first == name
  }

  private var yes: String { database.dialect == .sqlite ? "1" : "TRUE" }
  private var no: String { database.dialect == .sqlite ? "0" : "FALSE" }
}
