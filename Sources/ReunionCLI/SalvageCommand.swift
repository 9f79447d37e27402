import Foundation
import Reunion

/// `reunion salvage`: a new store of what can be read in a damaged one.
enum SalvageCommand {
  static let help = """
    Usage: reunion salvage FOLDER NEWFOLDER [--json]

    Takes what can be read of the damaged store in FOLDER into a new store in NEWFOLDER, which must
    be new or empty. FOLDER stays as it is: keep it until the new store has met its other replicas,
    which bring what is missing. Nobody may have FOLDER open.

    Exit codes: 0 done, nothing is missing; 1 failed; 5 done, but records or blobs are missing.
    """

  static func run(_ arguments: [String], _ output: Output, _ wantsHelp: Bool) throws {
    guard !wantsHelp else { return print(help) }
    guard arguments.count == 2, !arguments.contains(where: { $0.hasPrefix("-") }) else {
      throw CommandFailure(2, "Say which folders.\n\n\(help)")
    }
    let (folder, target) = (arguments[0], arguments[1])
    do {
      var told = Date()
      let report = try Salvage.make(of: folder, in: target) { report in
        FolderCommand.tell(
          &told, output, "Salvaging: \(report.blobs) blobs and \(report.records) records so far.",
          report.blobs)
      }
      let proof = try Verification(folder: target)
      guard proof.isSound else {
        throw CommandFailure(
          1, proof.damage ?? "What was written to \(target) reads back as something else.")
      }
      try say(report, proof, target, output)
    } catch let error as StoreError {
      throw CommandFailure(1, error.description)
    }
  }

  private static func say(
    _ report: Salvage.Report, _ proof: Verification, _ target: String, _ output: Output
  ) throws(CommandFailure) {
    output.say(
      [
        "records": report.records, "lostRecords": report.lostRecords, "blobs": report.blobs,
        "damagedBlobs": report.damagedBlobs.count, "missingBlobs": proof.missing.count,
        "state": report.isComplete ? "complete" : "incomplete",
      ],
      "\(target) holds \(report.records) records and \(report.blobs) blobs, read again and sound.")
    guard report.isComplete, report.damagedBlobs.isEmpty, proof.missing.isEmpty else {
      throw CommandFailure(
        5,
        "Some of it could not be read: at least \(report.lostRecords) records,"
          + " \(report.damagedBlobs.count + proof.missing.count) blobs. Open \(target) and have it"
          + " meet another replica, which brings what is missing; keep the damaged folder.")
    }
  }
}
