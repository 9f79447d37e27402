import ReunionCore
import ReunionDisk

/// Sees to it that an upgrade loses nothing, or does not take place.
///
/// It keeps a snapshot beside the store, upgrades in one transaction, counts all that must be as it was
/// in both, and commits only if all of it is equal. Until the commit the store is the old one, and after
/// it the new one, whatever happens. The transaction names the snapshot, so that each store knows its
/// own.
struct UpgradeGuard {
  let snapshot: UpgradeSnapshot
  /// The size of a blob's file; nil where it is not there. It is all that an upgrade learns of blobs.
  let blobByteCount: (BlobHash) throws(StoreError) -> UInt64?
  let options: StoreOptions

  /// The tables that name blobs beside the rows of records: no upgrade writes to them.
  static let outOfReach: Set<String> = [
    "reunion_blob", "reunion_blob_reference", "reunion_blob_mark", "reunion_conflict",
    "reunion_staged", "reunion_undo",
  ]

  /// Performs a plan that touches rows. Where it computes alone, the snapshot that is there stays, and the
  /// copy that everything is compared with goes.
  ///
  /// - Throws: `upgradeRefused` where something would not be as it was; the store is untouched, and the
  ///   snapshot is kept to be looked into.
  func run(
    _ upgrade: LayoutUpgrade, _ plan: UpgradePlan, from stored: StoredLayout
  ) throws(StoreError) -> UpgradeReport {
    let start = ContinuousClock.now
    var performing = Duration.zero
    let connection = upgrade.connection
    let kept = try UpgradeSnapshot.number(connection)
    let number = kept + 1
    let isKept = plan.isComputedAlone ? try snapshot.isThere(kept) : false
    try snapshot.make(number, of: connection)
    let before = try census(of: snapshot, number)
    // On the disk in either mode, before the snapshot of the store that it replaces goes.
    try DurabilityMode(connection).synced(options) { () throws(StoreError) in
      let begin = ContinuousClock.now
      try upgrade.perform(plan, from: stored.layout)
      performing = ContinuousClock.now - begin
      if !isKept { try UpgradeSnapshot.note(number, connection) }
      let after = try UpgradeCensus(connection, byteCount: blobByteCount)
      try compare(after, with: before, connection.path, number, stored.names)
    }
    snapshot.sweep(keeping: isKept ? kept : number)
    var report = UpgradeReport(
      steps: plan.steps, census: before, snapshot: isKept ? nil : snapshot.path(number))
    report.guardSeconds = (ContinuousClock.now - start - performing) / .seconds(1)
    return report
  }

  private func census(
    of snapshot: UpgradeSnapshot, _ number: Int64
  ) throws(StoreError) -> UpgradeCensus {
    let copy = try snapshot.open(number)
    defer { copy.close() }
    return try UpgradeCensus(copy, byteCount: blobByteCount)
  }

  private func compare(
    _ after: UpgradeCensus, with before: UpgradeCensus, _ path: String, _ number: Int64,
    _ names: FieldNames
  ) throws(StoreError) {
    guard !options.seededBugs.upgradeNotCompared,
      let difference = after.difference(from: before, names)
    else { return }
    throw StoreError(
      .upgradeRefused,
      "The upgrade of \(path) was taken back, because \(difference). The store is as it was: go on with"
        + " the version of before, and report this, please. A copy is in \(snapshot.path(number)).")
  }
}
