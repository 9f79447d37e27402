import Reunion
import ReunionCore
import ReunionModel
import ReunionTools

/// `reunion upgrade`: brings a store to a model, says before what that does, and takes it back.
enum UpgradeCommand {
  private static let help = """
    Usage: reunion upgrade FOLDER [--model MODEL] [--dry-run] [--json]
           reunion upgrade FOLDER --rollback [--json]

    Brings the store in FOLDER to the newest version of a model such as Album.reunionmodel, as an app
    does that opens it. Without --model it keeps the entities and fields that the store shows, and
    brings the file itself to this program's version. No program may have FOLDER open.

    If it writes to records, it keeps a snapshot in FOLDER/upgrade, counts and hashes every value,
    conflict and blob before and after, and takes everything back if anything differs. Otherwise one
    transaction does all of it. With --dry-run it says what it would do; a store in use is fine then.

    With --rollback it goes back to that snapshot, and brings what was written since; the upgraded
    database stays in FOLDER/upgrade until the next upgrade. Open FOLDER with the earlier app then.

    Exit codes: 0 done, 1 failed or taken back, 2 not understood.
    """

  static let verb = Verb("upgrade", help: help) { arguments, output, _ in
    let isRollback = arguments.take("--rollback")
    let isDry = arguments.take("--dry-run")
    let model = try arguments.value(of: "--model")
    let folder = try arguments.rest(1...1, or: "Say which folder.")[0]
    guard isRollback else { return try upgrade(folder, to: model, isDry: isDry, output) }
    guard !isDry, model == nil else {
      throw Misunderstood("--rollback goes back to the snapshot: leave out --dry-run and --model.")
    }
    try rollBack(folder, output)
  }

  private static func upgrade(
    _ folder: String, to path: String?, isDry: Bool, _ output: Output
  ) throws {
    let history = try path.map(ModelCommand.read)
    let model =
      try history.map { Model($0, version: $0.versions.count) } ?? Store.model(of: folder)
    guard !isDry else {
      let plan =
        try history.map { try ModelPlan(of: folder, to: $0) }
        ?? ModelPlan(Store.plan(folder: folder, model: model))
      return output.say(plan.json.merging(["state": "planned"]) { $1 }, plan.description)
    }
    // A new folder is no store to be upgraded.
    _ = try Store.plan(folder: folder, model: model)
    let store = try Store.open(folder: folder, model: model)
    let report = store.upgradeReport
    try store.close()
    guard let report else {
      return output.say(
        ["state": "current"], "Nothing was to be done: \(folder) has this model already.")
    }
    output.say(fields(report), "\(report)")
  }

  private static func fields(_ report: UpgradeReport) -> [String: any Sendable] {
    var fields: [String: any Sendable] = [
      "state": "upgraded", "guarded": report.isGuarded, "seconds": report.seconds,
      "steps": report.steps.map {
        ["step": $0.word, "subject": $0.subject?.description ?? "", "text": "\($0)"]
      },
    ]
    guard report.isGuarded else { return fields }
    fields["records"] = report.records
    fields["values"] = report.cells
    fields["blobs"] = report.blobs
    fields["blobBytes"] = Int(clamping: report.blobBytes)
    fields["lostBlobs"] = 0
    fields["missingBefore"] = report.missingBlobs
    fields["snapshot"] = report.snapshot
    return fields
  }

  private static func rollBack(_ folder: String, _ output: Output) throws {
    let report = try UpgradeRollback.run(folder)
    output.say(
      [
        "state": "rolled back", "records": report.records, "written": report.written,
        "removed": report.removed, "equal": report.isEqual, "kept": report.kept,
      ],
      "\(folder) is as before the upgrade, with \(report.written.counted("record")) that"
        + " \(report.written == 1 ? "was" : "were") written since, of"
        + " \(report.records.counted("record")). "
        + (report.isEqual
          ? "It holds every value that the upgraded store holds."
          : "Some values, which the upgraded store had lost or changed, came back with the snapshot.")
        + " The upgraded database is in \(report.kept).")
  }
}
