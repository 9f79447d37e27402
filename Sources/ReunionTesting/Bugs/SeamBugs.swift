#if SEEDED_BUGS
  package import ReunionCore

  extension SeededBug {
    /// A guest is a guest at the first server alone.
    package static var rolesCheckedAtOneServer: Self { Self() }
    /// A session does not hear that its link has room again.
    package static var drainNotNoticed: Self { Self() }
    /// A message is sent whole, whatever its link carries at once.
    package static var linkLimitIgnored: Self { Self() }
    /// A blob that the other side lacks keeps the others back.
    package static var lackedBlobBlocks: Self { Self() }
    /// A blob that the other side lacked is never asked for again.
    package static var laterBlobNotHeard: Self { Self() }
    /// A session that takes in much does not say that it is there.
    package static var pongsNotSent: Self { Self() }
    /// The database is never synced.
    package static var databaseNotSynced: Self { Self() }
    /// A full acknowledgement under `synchronous = NORMAL`.
    package static var logSyncedLate: Self { Self() }
    /// A blob's bytes are not synced.
    package static var blobNotSynced: Self { Self() }
    /// A blob is named and entered before its bytes are synced.
    package static var blobNamedBeforeSync: Self { Self() }
    /// The folder of a blob's name is not synced.
    package static var blobFolderNotSynced: Self { Self() }
    /// A folder's own name is not synced.
    package static var folderNamesNotSynced: Self { Self() }
    /// A sync that failed is tried again as if it might succeed.
    package static var failedSyncTriedAgain: Self { Self() }
    /// After a sync of the log that failed, what it left is not written again before the next one.
    package static var logNotWrittenAgain: Self { Self() }
    /// The snapshot of before an upgrade is not synced.
    package static var snapshotNotSynced: Self { Self() }
  }
#endif
