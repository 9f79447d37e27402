/// Files of changesets that Liquibase 4.6.2 ran as one each, because it did not know their first line:
/// it takes `--LIQUIBASE FORMATTED SQL` for a comment.
struct WholeFiles {
  /// The rows of such runs, by file.
  private var rows: [String: HistoryRow] = [:]

  init(_ changelog: Changelog, _ ran: [ChangesetKey: HistoryRow]) {
    for row in ran.values where row.id == "raw" && row.author == "includeAll" {
      rows[row.key.path] = row
    }
    guard !rows.isEmpty else { return }
    // One whose changesets have rows of their own was taken over before.
    for changeset in changelog.changesets where ran[changeset.key] != nil {
      rows[ChangesetKey.normalized(changeset.place.file)] = nil
    }
  }

  /// Whether a changeset was run with its whole file, and whether the file is as it was then.
  func row(of changeset: Changeset) -> (row: HistoryRow, isUnchanged: Bool)? {
    guard let row = rows[ChangesetKey.normalized(changeset.place.file)] else { return nil }
    return (row, row.checksum.map { changeset.isOfWholeFile($0) } ?? false)
  }

  static func problem(_ changeset: Changeset) -> ChangelogError {
    ChangelogError(
      .refused,
      "Liquibase ran all of \(changeset.place.file) as one changeset, because it did not know its first "
        + "line, and the file was edited since: nobody knows which changesets were run.",
      at: changeset.place, write: "the file as it was, then update, and then the edit")
  }
}
