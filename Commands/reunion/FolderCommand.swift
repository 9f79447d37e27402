import Foundation
import Reunion
import ReunionCore
import ReunionTools

/// `reunion backup`, `restore` and `verify`: what is done with a store's folder, without a server.
enum FolderCommand {
  static let verbs = [
    Verb("backup", help: backupHelp) { arguments, output, _ in
      let folders = try arguments.rest(
        2...2, or: "Say which store, and which folder to copy it to.")
      try backup(folders[0], folders[1], output)
    },
    Verb("restore", help: restoreHelp) { arguments, output, _ in
      let isProof = arguments.take("--verify")
      let folders = try arguments.rest(2...2, or: "Say which backup, and which new folder.")
      try restore(folders[0], folders[1], isProof: isProof, output)
    },
    Verb("verify", help: verifyHelp) { arguments, output, _ in
      let isRepair = arguments.take("--repair")
      let folder = try arguments.rest(1...1, or: "Say which folder.")[0]
      try verify(folder, isRepair: isRepair, output)
      if isRepair { try repair(folder, output) }
    },
  ]

  private static let backupHelp = """
    Usage: reunion backup FOLDER TO [--json]

    Copies the store in FOLDER, which may be in use, to the folder TO: its records as of one moment,
    and every blob, checked. Run it again into the same folder, and it copies and checks only what
    is new; verify reads all of it. If a backup breaks off, the earlier one stays whole.
    No program opens a backup as a store: restore makes one of it. sql and verify read it. Files
    that lie in an earlier backup and that records name stay there, also where the store lacks them.

    Exit codes: 0 done, 1 failed, 2 not understood, 5 done, but blobs that records name are damaged,
    gone or have not arrived.
    """

  private static let restoreHelp = """
    Usage: reunion restore FROM FOLDER [--verify] [--json]

    Turns the backup FROM into a store in FOLDER, which must be new or empty, and then reads every
    page, record and blob of it again. With --verify it also reads the backup again, and proves
    that both are equal: counts, and one SHA-256 over every cell, conflict, vector and blob.
    To serve a restored album: make albums DATA=FOLDER

    Exit codes: 0 done and proven, 1 failed, 2 not understood, 5 done, but blobs are damaged or
    gone.
    """

  private static let verifyHelp = """
    Usage: reunion verify FOLDER [--repair] [--json]

    Reads every page, record and blob of the store in FOLDER, which may be in use, and says what is
    damaged, missing, unused or left over, and what members of one space may have done to reach into
    another. Where no program has the store open, blobs that records name and whose files are back
    are held again; nothing else is changed. With --repair, for a store that no program has open, it
    moves damaged blobs into the store's folder quarantine, so that another replica sends them again.

    Exit codes: 0 sound, 1 failed or damaged, 2 not understood, 5 blobs that records name are
    damaged, gone or have not arrived.
    """

  private static func backup(_ folder: String, _ target: String, _ output: Output) throws {
    var told = Date()
    let report = try Backup.make(of: folder, in: target) { report in
      tell(&told, output, "Copying: \(report.blobs.counted("blob")) so far.", report.blobs)
    }
    output.say(
      fields(report, state: "done"),
      "The backup holds \(report.records.counted("record")) and \(report.blobs.counted("blob")); "
        + "\(report.copiedBlobs.counted("blob was", "blobs were")) copied now.")
    try fail(report.lost, "damaged or gone in \(folder), and not in the backup")
    if let first = report.kept.first {
      throw CommandFailure(
        5,
        "\(report.kept.count.counted("blob")) that records name, such as \(first), lie in the "
          + "backup and not in \(folder): mount its disk, or restore from this backup.")
    }
    try failMissing(report.missing)
  }

  private static func restore(
    _ backup: String, _ folder: String, isProof: Bool, _ output: Output
  ) throws {
    var told = Date()
    let report = try Backup.restore(backup, to: folder) { report in
      tell(&told, output, "Copying: \(report.blobs.counted("blob")) so far.", report.blobs)
    }
    let proof = try look(folder, output)
    guard proof.isSound, proof.blobs == report.blobs else {
      throw CommandFailure(
        1, proof.damage ?? "What was written to \(folder) does not read back as it was written.")
    }
    output.say(
      fields(report, state: "proven"),
      "Restored and read again: \(report.records.counted("record")) and "
        + "\(report.blobs.counted("blob"))."
        + (proof.missing.isEmpty
          ? ""
          : " \(proof.missing.count.counted("blob")) that records name, such as "
            + "\(proof.missing[0]), the backup never had: sync with a replica that may have them."))
    if isProof { try prove(backup, folder, output) }
    try fail(report.lost, "damaged or gone in \(backup)")
  }

  /// Reads both sides again, and says what each comes to.
  private static func prove(_ backup: String, _ folder: String, _ output: Output) throws {
    let sides = try [backup, folder].map { side in
      let found = try Fingerprint(folder: side)
      let hash = Hexadecimal.text(found.hash)
      output.say(
        [
          "folder": side, "records": found.records, "blobs": found.blobs,
          "bytes": Int(clamping: found.blobBytes), "sha256": hash,
        ],
        "\(side): \(found.records.counted("record")), deleted ones included, "
          + "\(found.blobs.counted("blob")) of \(found.blobBytes) bytes, sha256 \(hash)")
      return found
    }
    guard sides[0] == sides[1] else {
      throw CommandFailure(1, "\(folder) is not equal to \(backup): restore into a new folder.")
    }
    output.say(["state": "equal"], "They are equal.")
  }

  /// Puts damaged blobs aside.
  private static func repair(_ folder: String, _ output: Output) throws {
    let store = try Store.open(existing: folder)
    let damaged = try store.blobs.scrub()
    try store.close()
    output.say(
      ["quarantined": damaged.count, "state": "repaired"],
      "\(damaged.count.counted("blob")) moved aside; another replica will send them again.")
  }

  private static func verify(
    _ folder: String, isRepair: Bool, _ output: Output
  ) throws {
    var found = try look(folder, output)
    if found.damage == nil, !found.returned.isEmpty {
      let count = try Verification.takeBack(in: folder)
      if count > 0 {
        output.say(
          ["takenBack": count, "state": "working"],
          "\(count.counted("blob was", "blobs were")) away, and \(count == 1 ? "is" : "are") back.")
        found = try look(folder, output)
      }
    }
    output.say(
      [
        "records": found.records, "blobs": found.blobs, "damaged": found.damaged.count,
        "missing": found.missing.count, "unreferenced": found.unreferenced.count,
        "strays": found.strays.count, "unfinished": found.unfinished.count,
        "quarantined": found.quarantined.count,
        "state": found.isSound ? "sound" : "damaged",
      ],
      "\(found.records.counted("record")) and \(found.blobs.counted("blob")) are sound. "
        + "Missing blobs: \(found.missing.count). Unused blobs: "
        + "\(found.unreferenced.count).")
    let files =
      found.strays.map { ("no row", $0) } + found.unfinished.map { ("unfinished", $0) }
      + found.quarantined.map { ("damaged, put aside", $0) }
    for (what, file) in files {
      output.say(["file": file, "what": what], "\(file): \(what)")
    }
    for trace in found.traces { output.say(["trace": trace], trace) }
    if let damage = found.damage { throw CommandFailure(1, damage) }
    if isRepair { return }
    try fail(found.damaged, "damaged or gone in \(folder)")
    try failMissing(found.missing)
  }

  /// What records name and what is nowhere: the one code for what is not there.
  private static func failMissing(_ blobs: [BlobHash]) throws {
    guard let first = blobs.first else { return }
    throw CommandFailure(
      5,
      "\(blobs.count.counted("blob")) that records name, such as \(first), "
        + "\(blobs.count == 1 ? "is" : "are") not here. If a device is still sending, it may have "
        + "them; else look in a backup, or sync with another replica.")
  }

  private static func look(_ folder: String, _ output: Output) throws -> Verification {
    var told = Date()
    return try Verification(folder: folder) { found in
      tell(&told, output, "Reading: \(found.blobs.counted("blob")) so far.", found.blobs)
    }
  }

  /// Says how far it is, once in two seconds.
  static func tell(_ told: inout Date, _ output: Output, _ sentence: String, _ blobs: Int) {
    guard Date().timeIntervalSince(told) > 2 else { return }
    told = Date()
    output.say(["blobs": blobs, "state": "working"], sentence)
  }

  private static func fields(
    _ report: Backup.Report, state: String
  ) -> [String: any Sendable] {
    [
      "records": report.records, "blobs": report.blobs, "copied": report.copiedBlobs,
      "lost": report.lost.count, "kept": report.kept.count, "missing": report.missing.count,
      "state": state,
    ]
  }

  static func fail(_ blobs: [BlobHash], _ what: String) throws {
    guard let first = blobs.first else { return }
    throw CommandFailure(
      5,
      "\(blobs.count.counted("blob")) \(blobs.count == 1 ? "is" : "are") \(what), such as "
        + "\(first). Another replica may hold them: sync with one.")
  }
}
