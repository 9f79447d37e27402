/// What a rollback undoes, the newest first, decided before anything is touched.
package struct RollbackPlan: Sendable {
  package enum Target: Sendable, Equatable {
    /// What was run after the row with this tag.
    case tag(String)
    /// The last rows, as many as the number says.
    case count(Int)
    /// What was run after this moment, as `2026-11-24 12:00:00`.
    case date(String)
    /// Rows that a run just wrote.
    case keys(Set<ChangesetKey>)
  }

  package struct Step: Sendable {
    package let row: HistoryRow
    package let changeset: Changeset
    /// What is run; nothing where nothing is to do.
    package let changes: [Change]
  }

  package private(set) var steps: [Step] = []

  /// Throws where one of them cannot be undone.
  package init(
    _ changelog: Changelog, _ history: [HistoryRow], _ selection: Selection, _ target: Target
  ) throws(ChangelogError) {
    var known = Dictionary(changelog.changesets.map { ($0.key, $0) }) { first, _ in first }
    for changeset in changelog.changesets {
      if let key = changeset.keyIn46, known[key] == nil { known[key] = changeset }
    }
    for row in try Self.rows(history, target).reversed()
    where row.path != HistoryRow.internalPath {
      guard let changeset = known[row.key] else {
        throw ChangelogError(
          .refused,
          "The history has \(row.key), which is in no file: nobody knows how to undo it. "
            + "Nothing was rolled back.", write: "the changeset into its file again")
      }
      if try selection.reason(against: changeset) != nil { continue }
      let changes = try Self.inverse(of: changeset, known)
      steps.append(Step(row: row, changeset: changeset, changes: changes))
    }
  }

  private static func rows(
    _ history: [HistoryRow], _ target: Target
  ) throws(ChangelogError) -> ArraySlice<HistoryRow> {
    switch target {
    case .count(let count): return history.suffix(count)
    case .date(let date): return history.filter { $0.date > date }[...]
    case .keys(let keys): return history.filter { keys.contains($0.key) }[...]
    case .tag(let tag):
      guard let last = history.lastIndex(where: { $0.tag == tag }) else {
        let tags = Set(history.compactMap { $0.tag }).sorted().joined(separator: ", ")
        throw ChangelogError(
          .refused,
          "The history has no tag \(tag). "
            + (tags.isEmpty ? "It has none at all." : "It has \(tags)."))
      }
      return history[(last + 1)...]
    }
  }

  /// What undoes a changeset.
  static func inverse(
    of changeset: Changeset, _ known: [ChangesetKey: Changeset]
  ) throws(ChangelogError) -> [Change] {
    switch changeset.rollback {
    case .nothing: return []
    case .sql(let changes): return changes
    case .missing:
      throw ChangelogError(
        .refused, "The changeset \(changeset.key) has no rollback. Nothing was rolled back.",
        at: changeset.place, write: "--rollback SQL, or --rollback not required")
    case .changeset(let id, let author, let path, let place):
      let key = ChangesetKey(id: id, author: author, path: path ?? changeset.path)
      guard let other = known[key] else {
        throw ChangelogError(
          .refused, "The rollback names the changeset \(key), which is in no file.", at: place)
      }
      return other.changes
    }
  }
}
