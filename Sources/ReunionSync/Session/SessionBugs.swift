#if SEEDED_BUGS
  package import ReunionCore

  extension SeededBug {
    /// Others are not told what an audit brought back.
    package static var repairNotPassedOn: Self { Self() }
    /// A step of an audit goes out before the changes that it is about.
    package static var auditAheadOfChanges: Self { Self() }
    /// A block goes on in its middle for a side that asked for all once more.
    package static var blockGoesOnAfterNameAll: Self { Self() }
    /// A block counts as if it had what arrived since it was made.
    package static var blockOlderThanPosition: Self { Self() }
    /// A session acknowledges before the commit.
    package static var acknowledgeBeforeCommit: Self { Self() }
    /// A cache says that it holds changes of its own that it has let go with what was written over them.
    package static var lostChangesClaimed: Self { Self() }
    /// A cache believes the position that a copy of it told.
    package static var copyBelieved: Self { Self() }
    /// Of own changes those are not sent that the other side claims to hold.
    package static var ownClaimBelieved: Self { Self() }
    /// A blob that a disk failed to read once is not offered again.
    package static var unreadBlobForgotten: Self { Self() }
    /// A refused deletion is taken back, and what its record lacks is not asked for.
    package static var takenBackWithoutBlobs: Self { Self() }
    /// A blob that one peer lacks is asked of no other.
    package static var blobAskedOfOneAlone: Self { Self() }
    /// A part of a push is shown before the push is whole.
    package static var halfCatchUpShown: Self { Self() }
    /// The cursor of a push is set in a commit before its changes.
    package static var cursorSetFirst: Self { Self() }
    /// A refusal counts as answered once it was sent.
    package static var refusalForgotten: Self { Self() }
    /// A session does not hear of commits.
    package static var commitNotNoticed: Self { Self() }
  }
#endif
