/// What an upgrade did, and what was found to be as it was.
///
/// ```swift
/// let opened = try Store.open(folder: "album", model: model)
/// if let report = opened.upgradeReport {
///   print(report)
///   print("It took", report.seconds, "s; the copy is in", report.snapshot ?? "no file")
/// }
/// ```
/// An upgrade that touches rows is guarded. The database is copied, and upgraded in one
/// transaction. Every value, conflict, vector and blob is counted and hashed before and after. Only
/// if all of that is equal does it count; else `open` throws `upgradeRefused`, and the store is as
/// it was.
public struct UpgradeReport: Hashable, Sendable {
  /// What was done.
  public let steps: [UpgradeStep]
  /// Whether a snapshot was made and everything was compared: where any step touches rows.
  public let isGuarded: Bool
  /// Where the store of before is kept, a copy of the database. It is nil where no step touched
  /// rows, or where the steps compute alone and the snapshot of an earlier upgrade is kept. The
  /// next upgrade that touches rows replaces it. `reunion upgrade --rollback` goes back to it.
  public let snapshot: String?
  /// How many records were compared, deleted ones too; 0 if none was touched.
  public let records: Int
  /// How many cells of them, conflicts aside, were compared.
  public let cells: Int
  /// How many blobs were found to be there before and after, with their size.
  public let blobs: Int
  /// The bytes of these blobs.
  public let blobBytes: UInt64
  /// Blobs that the store says it holds and that were not there before either; `reunion verify`
  /// names them.
  public let missingBlobs: Int
  /// How long it took, in seconds.
  public internal(set) var seconds = 0.0
  /// How much of that the snapshot, the comparison and the commit took; 0 where no step touched
  /// rows.
  public internal(set) var guardSeconds = 0.0

  init(steps: [UpgradeStep], census: UpgradeCensus? = nil, snapshot: String? = nil) {
    self.steps = steps
    self.snapshot = snapshot
    isGuarded = census != nil
    records = census?.recordCount ?? 0
    cells = census?.cellCount ?? 0
    blobs = census?.blobs.present.count ?? 0
    blobBytes = census?.blobs.byteCount ?? 0
    missingBlobs = census?.blobs.missing ?? 0
  }
}

extension UpgradeReport: CustomStringConvertible {
  /// A few lines for a person.
  public var description: String {
    let done = steps.map { "- \($0)\n" }.joined()
    guard isGuarded else { return done + "No record and no blob was touched." }
    var lines =
      done
      + "\(records.grouped("record")) and \(cells.grouped("value")) are as they were."
      + " 0 blobs lost (\(blobs.grouped) verified)."
    if missingBlobs > 0 {
      lines += "\n\(missingBlobs.grouped("blob")) had been lost before: reunion verify names them."
    }
    if let snapshot { lines += "\nThe store of before is kept in \(snapshot)." }
    return lines
  }
}
