import Foundation
import Reunion
import ReunionMedia

/// The command `reunion`: one file a verb, or a few that are alike.
@main
enum ReunionCommand {
  static let version = "0.1.0"
  static let help = """
    Usage: reunion VERB [arguments] [--json]

      clone LINK FOLDER   makes a full replica of what an owner's link opens, and keeps it live
      backup FOLDER TO    copies a store, also one that is in use; again, only what is new
      restore FROM FOLDER makes a store of a backup in a new folder, and proves it
      verify FOLDER       looks at every page, record and blob of a store
      salvage FOLDER NEWFOLDER
                          takes what can be read of a damaged store into a new one
      adopt FOLDER        takes over a store that another program, as the sqlite3 shell, wrote to
      export FOLDER TO    writes a store as plain files and JSON that need no program of ours
      import archive FROM FOLDER
                          makes a store of what export wrote, equal cell for cell
      import feed SOURCE FOLDER
                          makes records of Atom, RSS, GPX or KML, while it downloads
      sql FOLDER [SELECT] looks into a store, also one in use, with SQL
      collect FOLDER      takes away blobs that nothing has named for 30 days
      erase FOLDER HASH --for-good
                          removes a blob's bytes here and at every replica
      invite FOLDER --role ROLE
                          makes a link and a QR code by which others join a server's space
      owner-link FOLDER   makes an owner's link of a server, where every other is lost
      log FOLDER          prints who came in at a server, and who was refused or put out
      scan FILE…          finds barcodes in pictures
      barcode KIND TEXT   draws a barcode, in the terminal or as SVG or PNG
      obfuscate KEYS      writes Swift source that holds keys masked
      version             prints the version
      help [VERB]         prints this text, or the verb's

    Options may stand anywhere after the verb; what follows on -- is words, also where it begins with a dash.
    With --json all that is printed is JSON, an object a line; what went wrong is one of them, to
    standard error: {"error", "exitCode"}.

    Exit codes: 0 done, 1 failed, 2 not understood, 3 refused by the other side, 4 not reachable,
    5 done in part. The help of a verb says which of them it has.
    """

  static let verbs =
    FolderCommand.verbs + ArchiveCommand.verbs + BlobCommand.verbs + [
      CloneCommand.verb, FeedCommand.verb, SalvageCommand.verb, AdoptCommand.verb, SQLCommand.verb,
      InviteCommand.verb, OwnerLinkCommand.verb, LogCommand.verb, ScanCommand.verb,
      BarcodeCommand.verb, ObfuscateCommand.verb,
      Verb("version", help: "Usage: reunion version [--json]\n\nPrints the version.\n\n\(codes)") {
        arguments, output, _ in
        _ = try arguments.rest(0...0, or: "version takes no words.")
        output.say(["version": version], version)
      },
    ]

  private static let codes = "Exit codes: 0 done, 2 not understood."

  // No async main: that starts threads before the signals are held.
  static func main() {
    // Pictures are decoded in a process of their own, which is this program again.
    ImageWorker.runIfAsked()
    let words = Array(CommandLine.arguments.dropFirst())
    var arguments = Arguments(words)
    let output = Output(isJSON: arguments.take("--json"))
    do {
      try InstalledVerbs.runIfAsked(words) { word in verbs.contains { $0.name[0] == word } }
      let signals = StopSignals()
      try run(&arguments, output, signals)
      exit(0)
    } catch {
      let failure = failure(of: error)
      output.fail(failure)
      exit(failure.exitCode)
    }
  }

  private static func run(
    _ arguments: inout Arguments, _ output: Output, _ signals: StopSignals
  ) throws {
    let wantsHelp = arguments.take("--help") || arguments.take("-h")
    if arguments.take("--version") { arguments = Arguments(["version"]) }
    let asksForHelp = arguments.first == "help"
    if asksForHelp { arguments.drop(1) }
    guard let first = arguments.first else {
      guard wantsHelp || asksForHelp else {
        throw CommandFailure(2, "Say what to do.", help: help + InstalledVerbs.help)
      }
      let installed = InstalledVerbs.names
      return output.say(["help": help, "installed": installed], help + InstalledVerbs.help)
    }
    guard let verb = verbs.first(where: { arguments.begin(with: $0.name) }) else {
      return try several(first, output, asksForHelp: wantsHelp || asksForHelp)
    }
    guard !wantsHelp, !asksForHelp else { return output.say(["help": verb.help], verb.help) }
    arguments.drop(verb.name.count)
    if verb.isPrivate { umask(0o077) }
    do {
      try verb.run(&arguments, output, signals)
    } catch let error as Misunderstood {
      throw CommandFailure(2, error.sentence, help: verb.help)
    }
  }

  /// The verbs that begin with a word, as `import` does.
  private static func several(_ word: String, _ output: Output, asksForHelp: Bool) throws {
    let help = verbs.filter { $0.name[0] == word }.map { $0.help }.joined(separator: "\n\n")
    guard !help.isEmpty else {
      throw CommandFailure(
        2,
        "\(word) is not a verb of reunion, and no program reunion-\(word) lies beside it. See reunion"
          + " --help.")
    }
    guard asksForHelp else { throw CommandFailure(2, "Say what to \(word).", help: help) }
    output.say(["help": help], help)
  }

  private static func failure(of error: any Error) -> CommandFailure {
    switch error {
    case let failure as CommandFailure: failure
    case let error as StoreError: CommandFailure(1, error.description)
    case let error as ImageError: CommandFailure(1, error.description)
    default:
      CommandFailure(1, "Something failed that this command has no words for: \(error)")
    }
  }
}
