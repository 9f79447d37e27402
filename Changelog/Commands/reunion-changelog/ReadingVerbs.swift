import ReunionChangelog
import ReunionCommandLine

/// Verbs that change nothing.
enum ReadingVerbs {
  static let verbs = [
    ChangelogVerb("status", "tells how many changesets were not run yet") {
      invocation, _, output in
      try invocation.withRun { run in try status(run.plan(), invocation, output) }
    },
    ChangelogVerb("validate", "reads all files, and compares them with what was run") {
      invocation, _, output in
      try invocation.withRun { run in
        let problems = try run.problems()
        for problem in problems.dropLast() { output.remark(fields(of: problem), "\(problem)") }
        if let last = problems.last { throw last }
        output.say(["valid": true], "All files can be run, and agree with the history.")
      }
    },
    ChangelogVerb(
      "calculate-checksum",
      "tells the checksum of --changeset PATH::ID::AUTHOR; needs no database"
    ) { invocation, _, output in try checksum(invocation, output) },
  ]

  private static func fields(of error: ChangelogError) -> [String: any Sendable] {
    [
      "error": error.sentence, "file": error.place?.file ?? "", "line": error.place?.line ?? 0,
      "write": error.remedy ?? "",
    ]
  }

  private static func status(
    _ plan: UpdatePlan, _ invocation: Invocation, _ output: Output
  ) throws {
    if let problem = plan.problems.first { throw problem }
    let keys = plan.runs.map { $0.changeset.key.description }
    var sentence =
      keys.isEmpty
      ? "Up to date: \(plan.doneCount.counted("changeset")) run."
      : "\(keys.count.counted("changeset")) to run, \(plan.doneCount) run before."
    if !plan.unknown.isEmpty {
      sentence +=
        " \(plan.unknown.count.counted("row")) of the history \(plan.unknown.count == 1 ? "is" : "are")"
        + " in no file."
    }
    if invocation.isVerbose {
      sentence += keys.map { "\n  to run  \($0)" }.joined()
      sentence += plan.leftOut.map { "\n  left out (\($0.reason.rawValue))  \($0.changeset.key)" }
        .joined()
      sentence += plan.unknown.map { "\n  in no file  \($0.key)" }.joined()
    }
    output.say(
      [
        "pending": keys, "before": plan.doneCount,
        "leftOut": plan.leftOut.map { $0.changeset.key.description },
        "unknown": plan.unknown.map { $0.key.description },
      ], sentence)
  }

  private static func checksum(_ invocation: Invocation, _ output: Output) throws {
    guard let wanted = invocation.changeset else {
      throw Misunderstood("Name the changeset: --changeset PATH::ID::AUTHOR.")
    }
    let parts = wanted.components(separatedBy: "::")
    guard parts.count == 3 else {
      throw Misunderstood("--changeset is PATH::ID::AUTHOR, and not \(wanted.onOneLine).")
    }
    let key = ChangesetKey(id: parts[1], author: parts[2], path: parts[0])
    guard let changeset = try invocation.changelog().changesets.first(where: { $0.key == key })
    else {
      throw CommandFailure(3, "The changelog has no changeset \(key.description.onOneLine).")
    }
    let version = invocation.options.checksumVersion ?? 9
    let checksum = changeset.checksum(version, try invocation.selection().dialect).description
    output.say(["changeset": key.description, "checksum": checksum], checksum)
  }
}

extension String {
  /// The parts between separators.
  fileprivate func components(separatedBy separator: String) -> [String] {
    split(separator: separator, omittingEmptySubsequences: false).map(String.init)
  }
}
