import Foundation
import Reunion
import ReunionMedia

/// The command `reunion`: one file a verb.
///
/// Exit codes: 0 done, 1 failed, 2 not understood, 3 refused by the other side, 4 not reachable,
/// 5 done in part.
@main
struct ReunionCommand {
  static let version = "0.1.0"
  static let help = """
    Usage: reunion VERB [arguments] [--json]

      clone LINK FOLDER   makes a full replica of what an owner's link opens, and keeps it live
      backup FOLDER TO    copies a store, also one that is in use; again, only what is new
      restore FROM FOLDER makes a store of a backup in a new folder, and proves it
      verify FOLDER       looks at every page, record and blob of a store
      salvage FOLDER NEWFOLDER
                          takes what can be read of a damaged store into a new one
      export FOLDER TO    writes a store as plain files and JSON that need no program of ours
      import archive FROM FOLDER
                          makes a store of what export wrote, equal cell for cell
      import feed SOURCE FOLDER
                          makes records of Atom, RSS, GPX or KML, while it downloads
      sql FOLDER [SELECT] looks into a store, also one in use, with SQL
      collect FOLDER      takes away blobs that nothing has named for 30 days
      erase FOLDER HASH   removes a blob's bytes here and at every replica, for good
      scan FILE…          finds barcodes in pictures
      barcode KIND TEXT   draws a barcode, in the terminal or as SVG or PNG
      obfuscate KEYS      writes Swift source that holds keys masked
      version             prints the version
      help [VERB]         prints this text, or the verb's

    Exit codes: 0 done, 1 failed, 2 not understood, 3 refused, 4 not reachable,
    5 done in part.
    """

  // No async main: that starts threads before the signals are held.
  static func main() {
    // Pictures are decoded in a process of their own, which is this program again.
    ImageWorker.runIfAsked()
    let signals = StopSignals()
    // What a clone holds is for this account alone.
    umask(0o077)
    var arguments = Array(CommandLine.arguments.dropFirst())
    let output = Output(isJSON: arguments.contains("--json"))
    arguments.removeAll { $0 == "--json" }
    do {
      try run(arguments, output, signals)
      exit(0)
    } catch let failure as CommandFailure {
      output.fail(failure)
      exit(failure.exitCode)
    } catch {
      output.fail(CommandFailure(1, "\(error)"))
      exit(1)
    }
  }

  private static func run(
    _ arguments: [String], _ output: Output, _ signals: StopSignals
  ) throws {
    let wantsHelp = arguments.contains("--help") || arguments.contains("-h")
    switch arguments.first {
    case "clone":
      try CloneCommand.run(Array(arguments.dropFirst()), output, wantsHelp, signals)
    case "import" where arguments.dropFirst().first == "feed":
      try FeedCommand.run(Array(arguments.dropFirst(2)), output, wantsHelp, signals)
    case .some(let verb) where FolderCommand.help[verb] != nil:
      try FolderCommand.run(verb, Array(arguments.dropFirst()), output, wantsHelp)
    case .some(let verb) where ArchiveCommand.help[verb] != nil:
      try ArchiveCommand.run(verb, Array(arguments.dropFirst()), output, wantsHelp)
    case .some(let verb) where BlobCommand.help[verb] != nil:
      try BlobCommand.run(verb, Array(arguments.dropFirst()), output, wantsHelp)
    case "scan": try ScanCommand.run(Array(arguments.dropFirst()), output, wantsHelp, signals)
    case "barcode": try BarcodeCommand.run(Array(arguments.dropFirst()), output, wantsHelp)
    case "obfuscate":
      try ObfuscateCommand.run(Array(arguments.dropFirst()), output, wantsHelp)
    case "salvage": try SalvageCommand.run(Array(arguments.dropFirst()), output, wantsHelp)
    case "sql": try SQLCommand.run(Array(arguments.dropFirst()), output, wantsHelp)
    case "version", "--version": output.say(["version": version], version)
    case "help" where arguments.dropFirst().first == "clone": print(CloneCommand.help)
    case "help" where arguments.dropFirst().first == "salvage": print(SalvageCommand.help)
    case "help" where arguments.dropFirst().first == "sql": print(SQLCommand.help)
    case "help" where arguments.dropFirst().first == "scan": print(ScanCommand.help)
    case "help" where arguments.dropFirst().first == "barcode": print(BarcodeCommand.help)
    case "help" where arguments.dropFirst().first == "obfuscate": print(ObfuscateCommand.help)
    case "help" where Array(arguments.dropFirst().prefix(2)) == ["import", "feed"]:
      print(FeedCommand.help)
    case "help" where arguments.count > 1:
      let verb = arguments[1]
      print(
        FolderCommand.help[verb] ?? ArchiveCommand.help[verb] ?? BlobCommand.help[verb] ?? help)
    case "help", "--help", "-h": print(help)
    case nil: throw CommandFailure(2, "Say what to do.\n\n\(help)")
    case .some(let verb):
      throw CommandFailure(2, "\(verb) is not a verb of reunion. See reunion --help.")
    }
  }
}

/// A failure with its exit code and a sentence that names the remedy.
struct CommandFailure: Error {
  let exitCode: Int32
  let sentence: String

  init(_ exitCode: Int32, _ sentence: String) {
    self.exitCode = exitCode
    self.sentence = sentence
  }
}

/// Prints sentences for people, or a JSON object a line for programs.
struct Output {
  let isJSON: Bool

  func say(_ fields: [String: any Sendable], _ sentence: String) {
    // Unbuffered, so that whoever reads a pipe sees progress.
    FileHandle.standardOutput.write(Data(((isJSON ? Self.line(fields) : sentence) + "\n").utf8))
  }

  func fail(_ failure: CommandFailure) {
    let text =
      isJSON
      ? Self.line(["error": failure.sentence, "exitCode": Int(failure.exitCode)])
      : "reunion: \(failure.sentence)"
    FileHandle.standardError.write(Data((text + "\n").utf8))
  }

  private static func line(_ fields: [String: any Sendable]) -> String {
    let data = try? JSONSerialization.data(
      withJSONObject: fields, options: [.sortedKeys, .withoutEscapingSlashes])
    return String(decoding: data ?? Data(), as: UTF8.self)
  }
}
