import Foundation
import Reunion
import ReunionCommandLine
import ReunionMedia

/// The command `reunion`: one file a verb, or a few that are alike.
@main
enum ReunionCommand {
  static let version = Release.version
  static let help = """
    Usage: reunion VERB [arguments] [--json]

      clone LINK FOLDER   makes a full replica of what an owner's link opens, and keeps it live
      backup FOLDER TO    copies a store, even one in use; the next time, only what is new
      restore FROM FOLDER turns a backup into a store in a new folder, and proves it
      verify FOLDER       reads every page, record and blob of a store
      audit FOLDER        compares a clone with its server, and brings together what differs
      status FOLDER       says what is still to go, and which devices have everything
      salvage FOLDER NEWFOLDER
                          copies what can be read of a damaged store into a new one
      adopt FOLDER        takes over a store that another program, like the sqlite3 shell, wrote to
      upgrade FOLDER      brings a store to a model, guarded; or says what that does, or takes it back
      export FOLDER TO    writes a store as plain files and JSON, readable without our programs
      import archive FROM FOLDER
                          turns what export wrote into a store, equal cell for cell
      import feed SOURCE FOLDER
                          turns Atom, RSS, GPX or KML into records while it downloads
      sql FOLDER [SELECT] reads a store, even one in use, with SQL
      collect FOLDER      removes blobs that nothing has named for 30 days
      erase FOLDER HASH --for-good
                          removes a blob's bytes here and from every replica
      invite FOLDER --role ROLE
                          makes a link and a QR code with which others join a server's space
      owner-link FOLDER   makes an owner's link for a server, when every other is lost
      log FOLDER          prints who joined a server, and who was refused or removed
      inspect CAPTURE     says in words what two replicas said to each other
      scan FILE…          finds barcodes in pictures
      barcode KIND TEXT   draws a barcode, in the terminal or as SVG or PNG
      obfuscate KEYS      writes Swift source with keys masked
      model check FOLDER  checks the files of a data model
      model plan FOLDER [STORE]
                          says what an upgrade to its newest version does
      model release FOLDER
                          marks its newest version as released: from then on it stays as it is
      model generate FOLDER
                          writes Swift or JavaScript of its newest version
      model scaffold FOLDER SOURCES
                          writes an empty extension of each entity, once
      version             prints the version
      help [VERB]         prints this text, or the verb's

    Options may come anywhere after the verb; after -- everything is a word, even with a leading dash.
    With --json all output is JSON, one object a line; an error goes to standard error:
    {"error", "exitCode"}.

    Exit codes: 0 done, 1 failed, 2 not understood, 3 refused by the other side, 4 not reachable,
    5 done in part. A verb's help says which of them it uses.
    """

  static let verbs =
    FolderCommand.verbs + ArchiveCommand.verbs + BlobCommand.verbs + ModelCommand.verbs + [
      CloneCommand.verb, AuditCommand.verb, StatusCommand.verb, FeedCommand.verb,
      SalvageCommand.verb,
      AdoptCommand.verb, UpgradeCommand.verb, SQLCommand.verb,
      InviteCommand.verb, OwnerLinkCommand.verb, LogCommand.verb, InspectCommand.verb,
      ScanCommand.verb,
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
        "\(word) is not a verb of reunion, and there is no program reunion-\(word) beside it. See reunion"
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
      CommandFailure(1, "Something unexpected failed: \(error)")
    }
  }
}
