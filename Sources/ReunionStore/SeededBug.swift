/// A fault that is built in on purpose: the negative control of a test.
package enum SeededBug: Hashable, Sendable, CaseIterable {
  /// The vector covers what was staged before the push is whole.
  case vectorRisesWithFirstPart
  /// Of two registers with one stamp, that which came first stays.
  case tieBreakMissing
  /// A merged record keeps its old arrival number.
  case arrivalNotRaisedOnMerge
  /// What a rolled-back store wrote is not issued anew under its new incarnation.
  case rolledBackWritesStay
  /// A session acknowledges before the commit.
  case acknowledgeBeforeCommit
  /// A collection takes what no living record names, at once.
  case sweepsByRowsOnly
  /// A live query with a limit that loses a record does not look for the one that follows.
  case liveWindowStaysShort

  // What a power cut shows.

  /// A write is reported before its COMMIT.
  case reportBeforeCommit
  /// The database is never synced.
  case databaseNotSynced
  /// A full acknowledgement under `synchronous = NORMAL`.
  case logSyncedLate
  /// The frames of a commit wait in memory with those to come.
  case commitStaysGathered
  /// A blob's bytes are not synced.
  case blobNotSynced
  /// A blob is named and entered before its bytes are synced.
  case blobNamedBeforeSync
  /// The folder of a blob's name is not synced.
  case blobFolderNotSynced
  /// A blob is entered before its file has its name.
  case rowBeforeBlob
  /// What was received of a blob is not checked.
  case receivedBlobNotChecked
  /// A folder's own name is not synced.
  case folderNamesNotSynced
  /// A sync that failed is tried again as if it might succeed.
  case failedSyncTriedAgain
  /// Pages are not checked when they are read.
  case checksumsNotChecked
}
