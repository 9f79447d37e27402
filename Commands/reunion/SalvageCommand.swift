import Foundation
import Reunion
import ReunionTools

/// `reunion salvage`: a new store of what can be read in a damaged one.
enum SalvageCommand {
  private static let help = """
    Usage: reunion salvage FOLDER NEWFOLDER [--json]

    Copies what can be read of the damaged store in FOLDER into a new store in NEWFOLDER, which must
    be new or empty. FOLDER stays as it is: keep it until the new store has synced with its other
    replicas, which bring what is missing. No program may have FOLDER open.

    Exit codes: 0 done, nothing is missing; 1 failed; 2 not understood; 5 done, but records or blobs
    are missing.
    """

  static let verb = Verb("salvage", help: help) { arguments, output, _ in
    let folders = try arguments.rest(2...2, or: "Say which damaged store, and which new folder.")
    try run(folders[0], folders[1], output)
  }

  private static func run(_ folder: String, _ target: String, _ output: Output) throws {
    var told = Date()
    let report = try Salvage.make(of: folder, in: target) { report in
      FolderCommand.tell(
        &told, output,
        "Salvaging: \(report.blobs.counted("blob")) and \(report.records.counted("record")) so far.",
        report.blobs)
    }
    let proof = try Verification(folder: target)
    guard proof.isSound else {
      throw CommandFailure(
        1, proof.damage ?? "What was written to \(target) does not read back as it was written.")
    }
    try say(report, proof, target, output)
  }

  private static func say(
    _ report: Salvage.Report, _ proof: Verification, _ target: String, _ output: Output
  ) throws(CommandFailure) {
    output.say(
      [
        "records": report.records, "lostRecords": report.lostRecords, "blobs": report.blobs,
        "isLogWhole": report.isLogWhole, "damagedBlobs": report.damagedBlobs.count,
        "missingBlobs": proof.missing.count,
        "state": report.isComplete ? "complete" : "incomplete",
      ],
      "\(target) holds \(report.records.counted("record")) and \(report.blobs.counted("blob")), read"
        + " again and sound.")
    guard report.isComplete, report.damagedBlobs.isEmpty, proof.missing.isEmpty else {
      let log = report.isLogWhole ? "" : "Its log is broken, so the last writes are missing. "
      throw CommandFailure(
        5,
        log + "Some of it could not be read: at least \(report.lostRecords.counted("record")),"
          + " \((report.damagedBlobs.count + proof.missing.count).counted("blob")). Open \(target) and sync it"
          + " with another replica, which brings what is missing; keep the damaged folder.")
    }
  }
}
