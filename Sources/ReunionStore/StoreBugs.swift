#if SEEDED_BUGS
  package import ReunionCore

  extension SeededBug {
    /// Sums for audits stay as they were when records change.
    package static var auditSumsNotRefreshed: Self { Self() }
    /// The vector covers what was staged before the push is whole.
    package static var vectorRisesWithFirstPart: Self { Self() }
    /// Of two registers with one stamp, the one that came first stays.
    package static var tieBreakMissing: Self { Self() }
    /// A merged record keeps its old arrival number.
    package static var arrivalNotRaisedOnMerge: Self { Self() }
    /// What a rolled-back store wrote is not issued anew under its new incarnation.
    package static var rolledBackWritesStay: Self { Self() }
    /// A position is believed whatever history it is of: a cursor is used again after a restore.
    package static var positionUnchecked: Self { Self() }
    /// A store that finds itself rolled back goes on under its old incarnation.
    package static var incarnationNotRenewed: Self { Self() }
    /// A cache keeps what its peer has lost.
    package static var cacheKeepsWhatIsLost: Self { Self() }
    /// A vector is believed whatever it claims of one's own site.
    package static var vectorBelievedUnbounded: Self { Self() }
    /// A store that gives up its site tells nobody.
    package static var retirementUnsaid: Self { Self() }
    /// A store that compares everything forgets what would show that a peer went back.
    package static var proofForgotten: Self { Self() }
    /// What a peer claims to hold of one's own site counts as proved.
    package static var claimTakenAsProof: Self { Self() }
    /// What was erased in one space is taken from those that have not named it yet, and refused to them.
    package static var erasureReachesAll: Self { Self() }
    /// Whoever gives up a site, even one that nobody holds, has everybody compare everything.
    package static var guestEndsSessions: Self { Self() }
    /// A reader that finds no file has the database forget the blob.
    package static var absenceForgotten: Self { Self() }
    /// A clock that leapt is believed at once.
    package static var leapBelieved: Self { Self() }
    /// What was erased in one space is refused to all that have not named it.
    package static var refusalReachesAll: Self { Self() }
    /// What a peer of one space says, without a proof, of a store having gone back counts in all spaces.
    package static var wordCountsEverywhere: Self { Self() }
    /// A guest's device may have sites without end.
    package static var sitesWithoutEnd: Self { Self() }
    /// A collection takes what no living record names, at once.
    package static var sweepsByRowsOnly: Self { Self() }
    /// A live query with a limit that loses a record does not look for the one that follows.
    package static var liveWindowStaysShort: Self { Self() }
    /// That a live query could not be brought up to date is told to nobody.
    package static var liveFailureDropped: Self { Self() }
    /// Deletes of others are not merged.
    package static var deletesIgnored: Self { Self() }
    /// What was removed from a set comes back.
    package static var removalsIgnored: Self { Self() }
    /// Moves of others in a list are not merged.
    package static var movesIgnored: Self { Self() }
    /// A register that lost is not kept as a conflict.
    package static var conflictNotKept: Self { Self() }
    /// Whether a leaf has seen what its change beats is not asked.
    package static var leafSightIgnored: Self { Self() }
    /// What was erased for good is taken from whoever still has it.
    package static var erasedTakenAgain: Self { Self() }
    /// A leaf that holds no values of a deleted record is not sent them when somebody brings it back.
    package static var broughtBackInPart: Self { Self() }
    /// A session goes on under the old site of a store that another one found rolled back.
    package static var renewedSiteTakesOn: Self { Self() }
    /// The same, of what it wrote under earlier sites.
    package static var coveredChangesClaimed: Self { Self() }
    /// A peer that comes back is believed to hold what has risen since.
    package static var riseForgotten: Self { Self() }
    /// A peer is believed to hold all that it told, where some of that was not believed.
    package static var unbelievedNamed: Self { Self() }
    /// Only what a peer named counts as seen by it, and not what its position stands for.
    package static var sightByToldAlone: Self { Self() }
    /// A peer's position is taken for one of now: what it got after it told that goes back to it.
    package static var markedAsOfNow: Self { Self() }
    /// A vector rises to whatever a trusted peer claims of others' changes.
    package static var claimBelieved: Self { Self() }
    /// A guest that is refused what covered a change of its own is believed to have brought it.
    package static var lostCoverBelieved: Self { Self() }
    /// What is refused of others names all that the guest's device had sent.
    package static var refusalNamesAll: Self { Self() }
    /// What was refused is let in when it comes again, while its author takes it back.
    package static var refusedTakenLater: Self { Self() }
    /// Under NORMAL a new store's device is on the disk no earlier than what it writes.
    package static var identityNotSynced: Self { Self() }
    /// Changes to entities that the model does not know are dropped.
    package static var unknownEntitiesDropped: Self { Self() }
    /// A change to what is newer than one's own clock gets no later stamp.
    package static var stampNotRaised: Self { Self() }
    /// Of a catch-up the newest rows are sent alone, and all is claimed.
    package static var vectorRisesPastHole: Self { Self() }
    /// Records that were deleted are not sent any more.
    package static var deletedNotSent: Self { Self() }
    /// Everybody may do everything.
    package static var rolesNotChecked: Self { Self() }
    /// Of a guest's push what was staged is not checked.
    package static var stagedPartNotChecked: Self { Self() }
    /// What was refused is not said.
    package static var refusalNotSent: Self { Self() }
    /// What a lens made is a cell like others, and is sent.
    package static var computedValueSent: Self { Self() }
    /// A device that writes a field made by a lens leaves the old one as it is.
    package static var wayBackForgotten: Self { Self() }
    /// What an older device writes later does not show where somebody wrote the new field.
    package static var olderDeviceIgnored: Self { Self() }
    /// A live query does not hear of fields that are made of those that changed.
    package static var madeFieldsUntouched: Self { Self() }
    /// A delete does nothing to the records that name the deleted one.
    package static var deleteRulesIgnored: Self { Self() }
    /// What is to be cleared goes on naming the deleted record.
    package static var clearedFieldStays: Self { Self() }
    /// That a record refuses is told when the others are deleted already.
    package static var refusalTooLate: Self { Self() }
    /// A newer app writes, and does not say which version its readers need.
    package static var readerNotSaid: Self { Self() }
    /// Of several versions that were required the lowest counts.
    package static var readerComesDown: Self { Self() }
    /// Whoever may lack deletes that are gone goes on by what it holds.
    package static var oldNotNoticed: Self { Self() }
    /// Whoever comes new does not know that deletes are gone which it never held.
    package static var newcomerUnaware: Self { Self() }
    /// Whoever holds all of one store at any time lacks no delete that is gone here.
    package static var anyReachedBelieved: Self { Self() }
    /// Bytes go after their grace, whoever still lacks the delete.
    package static var bytesGoBeforeStable: Self { Self() }
    /// What the peer has let go stays at whoever comes back.
    package static var absentStays: Self { Self() }
    /// Whoever comes back lets go what the peer lacks, be it new.
    package static var unsentGoes: Self { Self() }
    /// A record that begins once more, though it had been let go, is like any new one.
    package static var begunNotMarked: Self { Self() }
    /// What is held of a deleted record stays where it was made again by somebody who has let it go.
    package static var oldRemainsStay: Self { Self() }
    /// What is under way to a peer is replaced by what the peer had of it before.
    package static var underWayReplaced: Self { Self() }
    /// Of a record that came back goes what is new of it.
    package static var cameBackInPart: Self { Self() }
    /// What a push brings of a deleted record is taken for all that its sender needs of it.
    package static var deletedLeavesNothingToTell: Self { Self() }
    /// What an earlier session of a device still brings is taken after a later one has begun.
    package static var earlierSessionTaken: Self { Self() }
    /// A session that stands below a new horizon goes on.
    package static var sessionGoesOnBelow: Self { Self() }
    /// What a peer has let go goes here as well, whatever of it stood there by then.
    package static var followedBlindly: Self { Self() }
    /// A write is reported before its COMMIT.
    package static var reportBeforeCommit: Self { Self() }
    /// A refusal counts as answered without the position at which it was taken back.
    package static var answerWithoutPosition: Self { Self() }
    /// A log is checked by the mode of who opens it.
    package static var logModeNotKept: Self { Self() }
    /// A blob is entered before its file has its name.
    package static var rowBeforeBlob: Self { Self() }
    /// A file that was moved before a kill, and not entered, is not found again.
    package static var movedFileForgotten: Self { Self() }
    /// What was received of a blob is not checked.
    package static var receivedBlobNotChecked: Self { Self() }
    /// Of a blob that had arrived whole before a kill the rest is asked for.
    package static var wholePartialNotAdopted: Self { Self() }
    /// Several sessions write what has arrived of one blob.
    package static var partialSharedBySessions: Self { Self() }
    /// The end of a session leaves its transfer to nobody.
    package static var transferOutlivesSession: Self { Self() }
    /// A file whose sync failed is kept for the next try.
    package static var unsyncedFileKept: Self { Self() }
    /// The numbers of a commit that failed are given again, although a copy may hold its changes.
    package static var failedNumbersGivenAgain: Self { Self() }
    /// A commit that failed stays in the log, where the next process takes it up.
    package static var failedCommitLeft: Self { Self() }
    /// Pages of grouped writes go to the log before these are known to stay.
    package static var groupsSpill: Self { Self() }
    /// Pages are not checked when they are read.
    package static var checksumsNotChecked: Self { Self() }
    /// Records that are given columns lose the large blobs that they name, as a well-known framework's
    /// did.
    package static var upgradeDropsLargeBlobs: Self { Self() }
    /// An upgrade removes the rows of blobs.
    package static var upgradeReachesBlobs: Self { Self() }
    /// What an upgrade made is not compared with what there was.
    package static var upgradeNotCompared: Self { Self() }
    /// The steps of an upgrade are committed one by one.
    package static var upgradeInPieces: Self { Self() }
    /// The database's file is opened and closed while SQLite has it open.
    package static var databaseOpenedBeside: Self { Self() }
  }
#endif
