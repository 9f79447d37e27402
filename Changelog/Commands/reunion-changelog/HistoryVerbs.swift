import ReunionChangelog
import ReunionCommandLine

/// Verbs on the history and its lock alone.
enum HistoryVerbs {
  static let verbs = [
    ChangelogVerb("history", "lists what was run") { invocation, _, output in
      try history(invocation, output)
    },
    ChangelogVerb(
      "tag", words: "TAG", "gives the newest changeset that was run a tag", count: 1...1
    ) { invocation, words, output in
      try invocation.withHistory { run in
        try run.setTag(words[0])
        guard !invocation.isScript else { return }
        output.say(["tag": words[0]], "The history has the tag \(words[0].onOneLine) now.")
      }
    },
    ChangelogVerb(
      "tag-exists", words: "TAG", "tells whether there is a tag: exit code 0 if so, else 1",
      count: 1...1
    ) { invocation, words, output in
      let tag = words[0]
      let exists = try invocation.withHistory { run in
        try run.rows()?.contains { $0.tag == tag } ?? false
      }
      guard exists else { throw CommandFailure(1, "There is no tag \(tag.onOneLine).") }
      output.say(["tag": tag, "exists": true], "There is a tag \(tag.onOneLine).")
    },
    ChangelogVerb(
      "clear-checksums", "forgets all checksums: the next update writes them anew"
    ) { invocation, _, output in
      try invocation.withHistory { run in
        let count = try run.clearChecksums()
        guard !invocation.isScript else { return }
        output.say(["cleared": count], "\(count.counted("checksum")) cleared.")
      }
    },
    ChangelogVerb("list-locks", "tells who has the lock") { invocation, _, output in
      let locks = try invocation.withHistory { try $0.locks() }
      output.say(
        [
          "holder": locks.holder?.name ?? "", "since": locks.holder?.since ?? "",
          "running": locks.owner ?? "",
        ], sentence(locks).onOneLine)
    },
    ChangelogVerb(
      "release-locks", "writes that nobody has the lock; a run of ours that lives keeps it"
    ) { invocation, _, output in
      let holder = try invocation.withHistory { try $0.releaseLocks() }
      output.say(
        ["released": holder?.name ?? ""],
        holder.map { "Released the lock of \($0.name), since \($0.since)." }
          ?? "Nobody had the lock.")
    },
  ]

  private static func sentence(_ locks: ChangelogRun.Locks) -> String {
    guard let holder = locks.holder else {
      return locks.owner.map { "\($0) is about to take the lock." } ?? "Nobody has the lock."
    }
    if !holder.isOurs { return "\(holder.name) has the lock since \(holder.since)." }
    return locks.owner == nil
      ? "\(holder.name) had the lock since \(holder.since), and is dead: the next run takes it over."
      : "\(holder.name) has the lock since \(holder.since), and is running."
  }

  private static func history(_ invocation: Invocation, _ output: Output) throws {
    let rows = try invocation.withHistory { try $0.rows() ?? [] }
    for row in rows {
      let fields: [String: any Sendable] = [
        "id": row.id, "author": row.author, "file": row.path, "date": row.date,
        "order": row.order, "outcome": row.outcome.rawValue,
        "checksum": row.checksum?.description ?? "", "description": row.description,
        "comment": row.comment, "tag": row.tag ?? "", "contexts": row.contexts ?? "",
        "labels": row.labels ?? "", "deployment": row.deployment ?? "", "program": row.program,
      ]
      let tag = row.tag.map { "  tag \($0)" } ?? ""
      output.say(
        fields,
        "\(row.order)  \(row.date)  \(row.outcome.rawValue)  \(row.path)::\(row.id)::\(row.author)\(tag)"
          .onOneLine)
    }
    if rows.isEmpty, !output.isJSON { output.say([:], "Nothing was run yet.") }
  }
}
