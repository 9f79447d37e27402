/// Changesets that ran under a path which no changeset of these files has: somebody renamed a file, or names
/// it from another folder. Their SQL would be run a second time.
struct MovedFiles {
  /// Rows of the history that no changeset belongs to, by id and author.
  private var rows: [Name: [HistoryRow]] = [:]

  private struct Name: Hashable {
    let id: String
    let author: String
  }

  init(_ changelog: Changelog, _ history: [HistoryRow]) {
    var keys = Set(changelog.changesets.map(\.key))
    keys.formUnion(changelog.changesets.compactMap(\.keyIn46))
    for row in history where !keys.contains(row.key) && row.outcome != .failed {
      rows[Name(id: row.id, author: row.author), default: []].append(row)
    }
  }

  /// The row under another path that is the changeset's: id, author and checksum are equal.
  ///
  /// Where nobody can compare checksums, the name of the file tells.
  func row(of changeset: Changeset, _ dialect: Dialect) -> HistoryRow? {
    rows[Name(id: changeset.id, author: changeset.author)]?.first { row in
      if let stored = row.checksum, let version = stored.version, version == 8 || version == 9 {
        return changeset.accepts(stored, dialect)
      }
      return Self.file(of: row.path) == Self.file(of: changeset.path)
    }
  }

  private static func file(of path: String) -> Substring? {
    ChangesetKey.normalized(path).split(separator: "/").last
  }

  static func problem(_ changeset: Changeset, _ row: HistoryRow) -> ChangelogError {
    ChangelogError(
      .refused,
      "The changeset \(changeset.key) ran as \(row.path)::\(row.id)::\(row.author), under a path that no "
        + "file of this run has, and would be run a second time.", at: changeset.place,
      write: "--changelog as it was written then, or logicalFilePath:\(row.path) in the file; "
        + "or --adopt-path, where the file was moved")
  }
}
