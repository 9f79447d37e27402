#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif
import ReunionChangelog
import ReunionCommandLine

/// The program `reunion-changelog`, which `reunion changelog` runs.
@main
enum ChangelogCommand {
  static let verbs =
    RunningVerbs.verbs + RollbackVerbs.verbs + HistoryVerbs.verbs + ReadingVerbs.verbs
    + [BaselineVerb.verb]

  static let help = """
    Usage: reunion changelog VERB --url URL --changelog FILE [options] [--json]

    Runs ordered changes of a database, as Liquibase's formatted SQL has them. URL is sqlite:FILE or
    postgresql://USER@HOST/DATABASE; without it REUNION_CHANGELOG_URL counts.

    \(verbs.map { $0.line }.joined(separator: "\n"))

    update, update-count, update-to-tag, the rollbacks, changelog-sync and mark-next-changeset-ran are there
    with -sql as well, which writes the SQL and runs nothing; --dry-run does the same.

      --contexts a,b        runs what is for these contexts; without it, what is for any
      --labels "a and !b"   runs what has such labels
      --parameter NAME=VALUE
                            what ${NAME} stands for; as often as needed
      --search-path FOLDER  where the paths of the files begin; the current folder without it
      --checksum 8|9        the version of new checksums; without it that of the history, or 9
      --lock-wait 5m        how long to wait for the lock
      --steal-lock-after 10m
                            takes a lock that is not ours once it is so old
      --resume again|next   after a kill outside of a transaction: whether the statement is run again
      --adopt-path          gives changesets that ran under another path the one that they have now
      --no-copy             rolls back without copying the file first
      --verbose             status names each changeset

    Exit codes: 0 done, 1 failed and nothing was changed, 2 not understood, 3 the files or the history forbid it,
    4 no such database, 5 some changesets were done before one failed, 6 somebody else has the lock.
    """

  static func main() {
    var arguments = Arguments(CommandLine.arguments.dropFirst())
    let output = Output(isJSON: arguments.take("--json"))
    StopSignal.watch()
    do {
      try run(&arguments, output)
      exit(0)
    } catch {
      let failure = failure(of: error)
      output.fail(failure)
      exit(failure.exitCode)
    }
  }

  private static func run(_ arguments: inout Arguments, _ output: Output) throws {
    let wantsHelp = arguments.take("--help") || arguments.take("-h")
    guard let word = arguments.first, word != "help", !wantsHelp else {
      guard wantsHelp || arguments.first == "help" else {
        throw CommandFailure(2, "Say what to do.", help: help)
      }
      return output.say(["help": help], help)
    }
    guard let (verb, isScript) = find(word) else {
      throw CommandFailure(2, "\(word.onOneLine) is not a verb of reunion changelog.", help: help)
    }
    arguments.drop(1)
    do {
      let invocation = try Invocation(&arguments, output, isScript: isScript)
      let usage = "Usage: reunion changelog \(verb.name) \(verb.words)"
      try verb.run(invocation, arguments.rest(verb.count, or: usage), output)
    } catch let error as Misunderstood {
      throw CommandFailure(2, error.sentence, help: help)
    }
  }

  private static func find(_ word: String) -> (ChangelogVerb, isScript: Bool)? {
    if let verb = verbs.first(where: { $0.name == word }) { return (verb, false) }
    guard word.hasSuffix("-sql"),
      let verb = verbs.first(where: { $0.hasScript && $0.name == word.dropLast(4) })
    else { return nil }
    return (verb, true)
  }

  private static func failure(of error: any Error) -> CommandFailure {
    switch error {
    case let failure as CommandFailure: return failure
    case let error as ChangelogError:
      var failure = CommandFailure(error.kind.exitCode, error.description)
      failure.details = ["error": error.sentence]
      if let place = error.place {
        failure.details["file"] = place.file
        failure.details["line"] = place.line
      }
      if let remedy = error.remedy { failure.details["write"] = remedy }
      return failure
    case let error as DatabaseError: return CommandFailure(1, error.message)
    default: return CommandFailure(1, "Something unexpected failed: \(error)")
    }
  }
}
