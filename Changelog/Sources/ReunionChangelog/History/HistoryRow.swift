/// A row of DATABASECHANGELOG: a changeset that was run.
package struct HistoryRow: Sendable, Equatable {
  package var id = ""
  package var author = ""
  package var path = ""
  /// As the database writes it: "2026-11-24 12:00:00", later ones greater.
  package var date = ""
  package var order = 0
  package var outcome = Outcome.executed
  package var checksum: Checksum?
  package var description = ""
  package var comment = ""
  package var tag: String?
  package var program = ""
  package var contexts: String?
  package var labels: String?
  package var deployment: String?

  package enum Outcome: String, Sendable {
    case executed = "EXECUTED"
    case reran = "RERAN"
    case markedRan = "MARK_RAN"
    case failed = "FAILED"
    case skipped = "SKIPPED"
  }

  /// The path of a row that stands for no changeset: a tag from before the first one.
  static let internalPath = "liquibase-internal"

  package init() {}

  package var key: ChangesetKey { ChangesetKey(id: id, author: author, path: path) }
}
