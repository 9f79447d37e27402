import Foundation
import Reunion
import ReunionTools

/// `reunion export` and `import`: a store as plain files, and a store of these again.
enum ArchiveCommand {
  static let verbs = [
    Verb("export", help: exportHelp) { arguments, output, _ in
      let folders = try arguments.rest(2...2, or: "Say which store, and which new folder.")
      try run(folders[0], folders[1], "Exported", output, Archive.export)
    },
    Verb("import archive", help: importHelp) { arguments, output, _ in
      let folders = try arguments.rest(2...2, or: "Say which archive, and which new folder.")
      try run(folders[0], folders[1], "Imported", output, Archive.import)
    },
  ]

  private static let exportHelp = """
    Usage: reunion export FOLDER ARCHIVE [--json]

    Writes the store in FOLDER, which may be in use, to the new or empty folder ARCHIVE as files
    that need none of our programs: records as lines of JSON, photos as they are. Its README.txt
    says what is where, and sha256sum -c SHA256SUMS checks it.

    Exit codes: 0 done, 1 failed, 2 not understood, 5 done, but blobs of the store are damaged or
    gone.
    """

  private static let importHelp = """
    Usage: reunion import archive ARCHIVE FOLDER [--json]

    Turns what reunion export wrote into a store in FOLDER, which must be new or empty: equal cell
    for cell. It checks every file against its SHA-256. To serve it: make albums DATA=FOLDER

    Exit codes: 0 done, 1 failed; then FOLDER is empty; 2 not understood.
    """

  private static func run(
    _ source: String, _ target: String, _ done: String, _ output: Output,
    _ work: (String, String, (Archive.Report) -> Void) throws -> Archive.Report
  ) throws {
    var told = Date()
    let report = try work(source, target) { report in
      FolderCommand.tell(
        &told, output,
        "Copying: \(report.records.counted("record")), "
          + "\(report.blobs.counted("blob")) so far.", report.blobs)
    }
    output.say(
      [
        "records": report.records, "blobs": report.blobs, "lost": report.lost.count,
        "state": "done",
      ],
      "\(done) \(report.records.counted("record")) and "
        + "\(report.blobs.counted("blob")).")
    try FolderCommand.fail(report.lost, "damaged or gone in \(source), and not in the archive")
  }
}
