import Reunion
import ReunionCore
import ReunionTools

/// `reunion adopt`: takes over a database that another program wrote.
enum AdoptCommand {
  private static let help = """
    Usage: reunion adopt FOLDER [--json]

    Takes over the store in FOLDER after another program, such as the sqlite3 shell, wrote to its
    database or checkpointed its log. Checks every table, reads every cell, rewrites the database
    with checksums, and proves that it holds the same. The earlier file stays beside it as
    store.sqlite.foreign: remove it when all is well. No program may have FOLDER open.

    Adopt only if you know of such a program. A disk that damaged a value looks the same: then
    restore a backup, or salvage.

    Exit codes: 0 done and proven, 1 failed, 2 not understood.
    """

  static let verb = Verb("adopt", help: help) { arguments, output, _ in
    let folder = try arguments.rest(1...1, or: "Say which folder.")[0]
    let report = try Adoption.adopt(folder)
    let digest = Hexadecimal.text(report.digest)
    output.say(
      ["records": report.records, "sha256": digest, "kept": report.kept, "state": "adopted"],
      "\(folder) holds \(report.records.counted("record")), deleted ones included. All cells"
        + " read the same before and after: sha256 \(digest). The earlier file is \(report.kept); remove it when all is"
        + " well.")
  }
}
