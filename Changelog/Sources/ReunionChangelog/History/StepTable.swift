/// How far changesets got that run outside of a transaction: their statements, one by one.
///
/// The table is there only while such a changeset is under way, or was when its process died.
package struct StepTable {
  let database: any ChangelogDatabase
  package static let name = "REUNION_CHANGELOG_STEP"

  /// The statement that was begun last.
  package struct Step: Sendable, Equatable {
    /// Its number in the changeset, from 1.
    package var number: Int
    package var isDone: Bool
    /// The file and the line where it stands.
    package var place: String
    /// How it begins.
    package var statement: String
    /// Of the changeset as it was then.
    package var checksum: String
  }

  package init(_ database: any ChangelogDatabase) { self.database = database }

  private var table: String { database.named(Self.name) }

  func make() throws(DatabaseError) {
    guard try database.columns(of: Self.name).isEmpty else { return }
    try database.execute(
      """
      CREATE TABLE \(table) (ID VARCHAR(255) NOT NULL, AUTHOR VARCHAR(255) NOT NULL, \
      FILENAME VARCHAR(255) NOT NULL, STEP INTEGER NOT NULL, DONE INTEGER NOT NULL, \
      PLACE VARCHAR(500) NOT NULL, STATEMENT VARCHAR(500) NOT NULL, MD5SUM VARCHAR(35) NOT NULL)
      """)
  }

  /// How far a changeset got; nil where it was not begun.
  package func step(of key: ChangesetKey) throws(DatabaseError) -> Step? {
    guard try !database.columns(of: Self.name).isEmpty else { return nil }
    let rows = try database.query(
      "SELECT STEP, DONE, PLACE, STATEMENT, MD5SUM FROM \(table)\(key.filter)")
    guard let row = rows.first else { return nil }
    return Step(
      number: row[0].flatMap { Int($0) } ?? 0, isDone: row[1] == "1", place: row[2] ?? "",
      statement: row[3] ?? "", checksum: row[4] ?? "")
  }

  func set(_ step: Step, of key: ChangesetKey) throws(DatabaseError) {
    try database.execute("DELETE FROM \(table)\(key.filter)")
    let values = [
      key.id.literal, key.author.literal, key.path.literal, "\(step.number)",
      step.isDone ? "1" : "0", step.place.literal, step.statement.literal, step.checksum.literal,
    ]
    try database.execute("INSERT INTO \(table) VALUES (\(values.joined(separator: ", ")))")
  }

  /// Says that the statement begun last is done.
  func finish(_ key: ChangesetKey) throws(DatabaseError) {
    try database.execute("UPDATE \(table) SET DONE = 1\(key.filter)")
  }

  /// Forgets a changeset, and the table with the last one.
  func clear(_ key: ChangesetKey) throws(DatabaseError) {
    guard try !database.columns(of: Self.name).isEmpty else { return }
    try database.execute("DELETE FROM \(table)\(key.filter)")
    if try database.query("SELECT 1 FROM \(table) LIMIT 1").isEmpty {
      try database.execute("DROP TABLE \(table)")
    }
  }
}

extension ChangesetKey {
  fileprivate var filter: String {
    " WHERE ID = \(id.literal) AND AUTHOR = \(author.literal) AND FILENAME = \(path.literal)"
  }
}
