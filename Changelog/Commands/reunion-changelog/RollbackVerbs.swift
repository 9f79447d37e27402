import ReunionChangelog
import ReunionCommandLine

/// Verbs that undo.
enum RollbackVerbs {
  static let verbs = [
    ChangelogVerb(
      "rollback", words: "TAG", "undoes what was run after a tag", count: 1...1, hasScript: true
    ) { invocation, words, output in try rollBack(.tag(words[0]), invocation, output) },
    ChangelogVerb(
      "rollback-count", words: "N", "undoes the last N changesets", count: 1...1, hasScript: true
    ) { invocation, words, output in
      try rollBack(.count(words.number(0)), invocation, output)
    },
    ChangelogVerb(
      "rollback-to-date", words: "DATE", "undoes what was run after a moment: 2026-11-24T12:00:00",
      count: 1...1, hasScript: true
    ) { invocation, words, output in
      try rollBack(.date(date(words[0])), invocation, output)
    },
    ChangelogVerb(
      "future-rollback-sql", words: "[N]",
      "writes what would undo the next updates, or N changesets",
      count: 0...1
    ) { invocation, words, output in
      var invocation = invocation
      invocation.makeScript()
      let limit: UpdatePlan.Limit = words.isEmpty ? .all : .count(try words.number(0))
      try invocation.withRun { try $0.writeFutureRollback(limit) }
    },
  ]

  private static func rollBack(
    _ target: RollbackPlan.Target, _ invocation: Invocation, _ output: Output
  ) throws {
    try invocation.withRun { run in
      let keys = try run.rollBack(target)
      guard !invocation.isScript else { return }
      output.say(
        ["rolledBack": keys.map(\.description)],
        keys.isEmpty ? "Nothing to roll back." : "\(keys.count.counted("changeset")) rolled back.")
    }
  }

  /// A moment as the history writes it.
  private static func date(_ text: String) throws(Misunderstood) -> String {
    let form = /(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?)?/
    guard let match = text.wholeMatch(of: form), let month = Int(match.2), let day = Int(match.3),
      (1...12).contains(month), (1...31).contains(day)
    else {
      throw Misunderstood(
        "\(text.onOneLine) is no moment: write 2026-11-24 or 2026-11-24T12:00:00.")
    }
    let time = [match.4, match.5, match.6].map { $0 ?? "00" }
    guard time[0] < "24", time[1] < "60", time[2] < "60" else {
      throw Misunderstood("\(text.onOneLine) has a time that no clock shows.")
    }
    return "\(match.1)-\(match.2)-\(match.3) \(time.joined(separator: ":"))"
  }
}
