import ReunionChangelog
import ReunionCommandLine

/// Verbs that run changesets, or count them as run.
enum RunningVerbs {
  static let verbs = [
    ChangelogVerb("update", "runs all that was not run yet", hasScript: true) {
      invocation, _, output in try update(.all, invocation, output)
    },
    ChangelogVerb(
      "update-count", words: "N", "runs the next N changesets", count: 1...1, hasScript: true
    ) { invocation, words, output in
      try update(.count(words.number(0)), invocation, output)
    },
    ChangelogVerb(
      "update-to-tag", words: "TAG", "runs all up to a tag", count: 1...1, hasScript: true
    ) { invocation, words, output in try update(.tag(words[0]), invocation, output) },
    ChangelogVerb(
      "update-testing-rollback",
      "proves on a scratch copy that all of it can be undone, and runs it"
    ) { invocation, _, output in
      try invocation.withRun(mayCreate: true) { run in
        guard !invocation.isScript else {
          try run.proveRollback()
          return output.say(["proved": true], "It can be undone. Nothing was run.")
        }
        say(try run.updateTestingRollback(), output)
      }
    },
    ChangelogVerb(
      "changelog-sync", "counts all that was not run as run", hasScript: true
    ) { invocation, _, output in try mark(.all, invocation, output) },
    ChangelogVerb(
      "changelog-sync-to-tag", words: "TAG", "counts all up to a tag as run", count: 1...1,
      hasScript: true
    ) { invocation, words, output in try mark(.tag(words[0]), invocation, output) },
    ChangelogVerb(
      "mark-next-changeset-ran", "counts the next changeset as run", hasScript: true
    ) { invocation, _, output in try mark(.count(1), invocation, output) },
  ]

  private static func update(
    _ limit: UpdatePlan.Limit, _ invocation: Invocation, _ output: Output
  ) throws {
    try invocation.withRun(mayCreate: true) { run in
      let outcome = try run.update(limit)
      if !invocation.isScript { say(outcome, output) }
    }
  }

  private static func say(_ outcome: ChangelogRun.Outcome, _ output: Output) {
    var parts: [String] = []
    func add(_ keys: [ChangesetKey], _ what: String) {
      if !keys.isEmpty { parts.append("\(keys.count.counted("changeset")) \(what)") }
    }
    add(outcome.ran, "run")
    add(outcome.marked, "marked as run")
    add(outcome.leftOut, "left out")
    add(outcome.failed, "failed, as they may")
    let sentence =
      parts.isEmpty
      ? "Up to date: all \(outcome.doneCount.counted("changeset")) were run before."
      : parts.joined(separator: ", ").prefix(1).uppercased()
        + parts.joined(separator: ", ").dropFirst() + "."
    output.say(
      [
        "ran": outcome.ran.map(\.description), "marked": outcome.marked.map(\.description),
        "leftOut": outcome.leftOut.map(\.description), "failed": outcome.failed.map(\.description),
        "before": outcome.doneCount,
      ], sentence)
  }

  private static func mark(
    _ limit: UpdatePlan.Limit, _ invocation: Invocation, _ output: Output
  ) throws {
    try invocation.withRun(mayCreate: true) { run in
      let keys = try run.markRan(limit)
      guard !invocation.isScript else { return }
      output.say(
        ["marked": keys.map(\.description)], "\(keys.count.counted("changeset")) marked as run.")
    }
  }
}
