/// What an update does, decided from the files and the history alone.
package struct UpdatePlan: Sendable {
  package enum Action: Sendable, Equatable {
    /// It was never run.
    case run
    /// It was run, and is again: always, or because it changed.
    case rerun(HistoryRow)
    /// Its row has no checksum, and gets one.
    case fill(HistoryRow)
    /// It was run by 4.6.2, which took its file for one changeset, and gets a row.
    case adopt
    /// It was run under another path, and its row gets this one.
    case move(HistoryRow)
  }

  package struct Step: Sendable {
    package let changeset: Changeset
    package let action: Action
  }

  /// How far an update goes.
  package enum Limit: Sendable, Equatable {
    case all
    case count(Int)
    case tag(String)
  }

  package private(set) var steps: [Step] = []
  /// How many changesets were run before, and are not now.
  package private(set) var doneCount = 0
  /// Those that are none of this run's.
  package private(set) var leftOut: [(changeset: Changeset, reason: Selection.Reason)] = []
  /// What forbids the run.
  package private(set) var problems: [ChangelogError] = []
  /// Rows of the history that no changeset of the files belongs to.
  package private(set) var unknown: [HistoryRow] = []

  /// Steps that run SQL.
  package var runs: [Step] {
    steps.filter { step in
      switch step.action {
      case .run, .rerun: true
      case .fill, .adopt, .move: false
      }
    }
  }

  package init(
    _ changelog: Changelog, _ history: [HistoryRow], _ selection: Selection, _ limit: Limit = .all,
    adoptsPaths: Bool = false
  ) throws(ChangelogError) {
    let moved = MovedFiles(changelog, history)
    let ran = Dictionary(history.map { ($0.key, $0) }) { $1 }
    let wholeFiles = WholeFiles(changelog, ran)
    var known: Set<ChangesetKey> = []
    var firsts: [ChangesetKey: Changeset] = [:]
    var end = try Self.end(of: limit, changelog, history)
    var isOver = false
    for changeset in changelog.changesets {
      let key = changeset.key
      known.insert(key)
      if let keyIn46 = changeset.keyIn46 { known.insert(keyIn46) }
      if let reason = try selection.reason(against: changeset) {
        leftOut.append((changeset, reason))
        continue
      }
      if let first = firsts.updateValue(changeset, forKey: key) {
        // A file that is included twice is the same one, and so is a changeset that is copied whole.
        let isSame =
          first.place == changeset.place
          || first.checksum(8, selection.dialect) == changeset.checksum(8, selection.dialect)
        if !isSame { problems.append(Self.duplicate(changeset, first.place)) }
        continue
      }
      // Behind the end it is only looked at.
      let row = ran[key] ?? changeset.keyIn46.flatMap { ran[$0] }
      var action = action(for: changeset, row, selection.dialect)
      if action == .run, let whole = wholeFiles.row(of: changeset) {
        action = .adopt
        if !whole.isUnchanged { problems.append(WholeFiles.problem(changeset)) }
      } else if action == .run, row == nil, let row = moved.row(of: changeset, selection.dialect) {
        action = .move(row)
        if !adoptsPaths { problems.append(MovedFiles.problem(changeset, row)) }
      }
      guard !isOver else { continue }
      if case .key(key) = end { isOver = true }
      guard let action else { continue }
      switch action {
      case .fill, .adopt, .move: doneCount += 1
      case .run, .rerun:
        if case .count(0) = end {
          isOver = true
          continue
        }
        if case .count(let more) = end { end = .count(more - 1) }
      }
      steps.append(Step(changeset: changeset, action: action))
    }
    unknown = history.filter { !known.contains($0.key) }
  }

  private enum End {
    case never
    case count(Int)
    case key(ChangesetKey)
  }

  /// Where an update ends. A tag stands at a changeset of a file, or at a row of the history.
  private static func end(
    of limit: Limit, _ changelog: Changelog, _ history: [HistoryRow]
  ) throws(ChangelogError) -> End {
    switch limit {
    case .all: return .never
    case .count(let count): return .count(count)
    case .tag(let tag):
      if let changeset = changelog.changesets.first(where: { $0.tag == tag }) {
        return .key(changeset.key)
      }
      if let row = history.last(where: { $0.tag == tag }) { return .key(row.key) }
      throw ChangelogError(
        .refused, "There is no tag \(tag), neither in the files nor in the history.",
        write: "<changeSet …><tagDatabase tag=\"\(tag)\"/></changeSet> in the master file")
    }
  }

  /// What is done with a changeset; nil where nothing is.
  private mutating func action(
    for changeset: Changeset, _ row: HistoryRow?, _ dialect: Dialect
  ) -> Action? {
    guard let row, row.outcome != .failed else { return .run }
    let attributes = changeset.attributes
    guard let stored = row.checksum else {
      return attributes.runsAlways ? .rerun(row) : .fill(row)
    }
    if attributes.runsAlways { return .rerun(row) }
    if changeset.accepts(stored, dialect) {
      doneCount += 1
      return nil
    }
    if attributes.runsOnChange { return .rerun(row) }
    let now = changeset.checksum(stored.version == 8 ? 8 : 9, dialect)
    problems.append(
      ChangelogError(
        .refused,
        "The changeset \(changeset.key) was run as \(stored), and is now \(now). Take the edit back, "
          + "and put the change into a new changeset.", at: changeset.place,
        write: "--validCheckSum: \(stored) below the line, where the edit changes nothing"))
    return nil
  }

  private static func duplicate(_ changeset: Changeset, _ first: Place) -> ChangelogError {
    ChangelogError(
      .refused, "The changeset \(changeset.key) is already in \(first).", at: changeset.place,
      write: "another id, where they are two changesets")
  }
}
