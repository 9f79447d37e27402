import ReunionChangelog
import ReunionCommandLine

/// The verb that begins a changelog with what a database already has.
enum BaselineVerb {
  static let verb = ChangelogVerb(
    "baseline", "writes the schema as the first changeset of a new file, and counts it as run"
  ) { invocation, _, output in
    let path = try invocation.needChangelog()
    try invocation.withDatabase { database in
      let text = try Baseline.text(of: database)
      guard !invocation.isScript else { return output.hand(out: "sql", text, [:]) }
      try invocation.create(text)
      let keys = try invocation.mark(on: database)
      output.say(
        ["file": path, "marked": keys.map(\.description)],
        "Wrote \(path.onOneLine). Its changeset counts as run in this database.")
    }
  }
}
