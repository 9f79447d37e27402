import Foundation
import Reunion

/// `reunion export` and `import`: a store as plain files, and a store of these again.
enum ArchiveCommand {
  static let help = [
    "export": """
    Usage: reunion export FOLDER ARCHIVE [--json]

    Writes the store in FOLDER, which may be in use, to the new or empty folder ARCHIVE as files
    that need no program of ours: records as lines of JSON, photos as they are. README.txt in it
    says what is where, and sha256sum -c SHA256SUMS checks it.

    Exit codes: 0 done, 1 failed, 5 done, but blobs of the store are damaged or gone.
    """,
    "import": """
    Usage: reunion import archive ARCHIVE FOLDER [--json]

    Makes a store in FOLDER, which must be new or empty, of what reunion export wrote: equal cell
    for cell. Every file is checked against its SHA-256. To serve it: make albums DATA=FOLDER

    Feeds are imported by reunion import feed: see reunion help import feed.

    Exit codes: 0 done, 1 failed; then FOLDER is empty.
    """,
  ]

  static func run(
    _ verb: String, _ arguments: [String], _ output: Output, _ wantsHelp: Bool
  ) throws {
    guard !wantsHelp else { return print(help[verb] ?? "") }
    var arguments = arguments
    if verb == "import" {
      guard arguments.first == "archive" else {
        throw CommandFailure(2, "Say what to import.\n\n\(help[verb] ?? "")")
      }
      arguments.removeFirst()
    }
    guard arguments.count == 2, !arguments.contains(where: { $0.hasPrefix("-") }) else {
      throw CommandFailure(2, "Say which folders.\n\n\(help[verb] ?? "")")
    }
    let (source, target) = (arguments[0], arguments[1])
    var told = Date()
    do {
      let work = verb == "export" ? Archive.export : Archive.import
      let report = try work(source, target) { report in
        FolderCommand.tell(
          &told, output,
          "Copying: \(plural(report.records, "record")), "
            + "\(plural(report.blobs, "blob")) so far.", report.blobs)
      }
      output.say(
        [
          "records": report.records, "blobs": report.blobs, "lost": report.lost.count,
          "state": "done",
        ],
        "\(verb == "export" ? "Exported" : "Imported") \(plural(report.records, "record")) and "
          + "\(plural(report.blobs, "blob")).")
      try FolderCommand.fail(report.lost, "damaged or gone in \(source), and not in the archive")
    } catch let error as StoreError {
      throw CommandFailure(1, error.description)
    }
  }

  private static func plural(_ count: Int, _ word: String) -> String {
    FolderCommand.plural(count, word)
  }
}
