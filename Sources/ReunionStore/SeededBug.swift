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
  /// A position is believed whatever history it is of: a cursor is used again after a restore.
  case positionUnchecked
  /// A store that finds itself rolled back goes on under its old incarnation.
  case incarnationNotRenewed
  /// A cache keeps what its peer has lost.
  case cacheKeepsWhatIsLost
  /// A vector is believed whatever it claims of one's own site.
  case vectorBelievedUnbounded
  /// A store that gives up its site tells nobody.
  case retirementUnsaid
  /// A store that compares everything forgets what would show that a peer went back.
  case proofForgotten
  /// What a peer claims to hold of one's own site counts as proved.
  case claimTakenAsProof
  /// A session acknowledges before the commit.
  case acknowledgeBeforeCommit
  /// What was erased in one space is taken from those that have not named it yet, and refused to them.
  case erasureReachesAll
  /// A device keeps in a space the number that another space says it has, whoever wrote under it.
  case numberCarried
  /// Whoever gives up a site, even one that nobody holds, has everybody compare everything.
  case guestEndsSessions
  /// A reader that finds no file has the database forget the blob.
  case absenceForgotten
  /// A clock that leapt is believed at once.
  case leapBelieved
  /// What was erased in one space is refused to all that have not named it.
  case refusalReachesAll
  /// Anybody opens a space under any id, also one that is the members of another.
  case spacesTaken
  /// A host makes a member that has the server's own number.
  case serverNumberGiven
  /// Who may edit one space of several is believed about the server's own site.
  case editorBelieved
  /// What a peer of one space says, without a proof, of a store having gone back counts in all spaces.
  case wordCountsEverywhere
  /// Who joins and has lost the number to somebody else gets another token, and writes under the old number.
  case givenNumberNotTaken
  /// A guest's requests are counted by a number that another space can carry in.
  case limitsByNumber
  /// A guest's device may have sites without end.
  case sitesWithoutEnd
  /// The guests of all spaces have one allowance of records together.
  case allowanceOfAll
  /// A collection takes what no living record names, at once.
  case sweepsByRowsOnly
  /// A live query with a limit that loses a record does not look for the one that follows.
  case liveWindowStaysShort
  /// That a live query could not be brought up to date is told to nobody.
  case liveFailureDropped

  // What the world shows.

  /// Deletes of others are not merged.
  case deletesIgnored
  /// What was removed from a set comes back.
  case removalsIgnored
  /// Moves of others in a list are not merged.
  case movesIgnored
  /// A register that lost is not kept as a conflict.
  case conflictNotKept
  /// Whether a leaf has seen what its change beats is not asked.
  case leafSightIgnored
  /// What was erased for good is taken from whoever still has it.
  case erasedTakenAgain
  /// A leaf that holds no values of a deleted record is not sent them when somebody brings it back.
  case broughtBackInPart
  /// A session goes on under the old site of a store that another one found rolled back.
  case renewedSiteTakesOn
  /// A cache says that it holds changes of its own that it has let go with what was written over them.
  case lostChangesClaimed
  /// The same, of what it wrote under earlier sites.
  case coveredChangesClaimed
  /// A cache believes the position that a copy of it told.
  case copyBelieved
  /// A vector rises to whatever a trusted peer claims of others' changes.
  case claimBelieved
  /// Of own changes those are not sent that the other side claims to hold.
  case ownClaimBelieved
  /// A guest that is refused what covered a change of its own is believed to have brought it.
  case lostCoverBelieved
  /// What is refused of others names all that the guest's device had sent.
  case refusalNamesAll
  /// What was refused is let in when it comes again, while its author takes it back.
  case refusedTakenLater
  /// Under NORMAL a new store's device is on the disk no earlier than what it writes.
  case identityNotSynced
  /// A blob that a disk failed to read once is not offered again.
  case unreadBlobForgotten
  /// A refused deletion is taken back, and what its record lacks is not asked for.
  case takenBackWithoutBlobs
  /// A blob that one peer lacks is asked of no other.
  case blobAskedOfOneAlone
  /// Changes to entities that the model does not know are dropped.
  case unknownEntitiesDropped
  /// A change to what is newer than one's own clock gets no later stamp.
  case stampNotRaised
  /// Of a catch-up the newest rows are sent alone, and all is claimed.
  case vectorRisesPastHole
  /// A part of a push is shown before the push is whole.
  case halfCatchUpShown
  /// The cursor of a push is set in a commit before its changes.
  case cursorSetFirst
  /// Records that were deleted are not sent any more.
  case deletedNotSent
  /// Everybody may do everything.
  case rolesNotChecked
  /// A guest is a guest at the first server alone.
  case rolesCheckedAtOneServer
  /// Of a guest's push what was staged is not checked.
  case stagedPartNotChecked
  /// What was refused is not said.
  case refusalNotSent
  /// A refusal counts as answered once it was sent.
  case refusalForgotten
  /// A session does not hear of commits.
  case commitNotNoticed
  /// A session does not hear that its link has room again.
  case drainNotNoticed
  /// A message is sent whole, whatever its link carries at once.
  case linkLimitIgnored
  /// A blob that the other side lacks keeps the others back.
  case lackedBlobBlocks
  /// A blob that the other side lacked is never asked for again.
  case laterBlobNotHeard

  /// A session that takes in much does not say that it is there.
  case pongsNotSent

  // What lenses show.

  /// What a lens made is a cell like others, and is sent.
  case computedValueSent
  /// Who writes a field that a lens makes leaves the old one as it is.
  case wayBackForgotten
  /// What an older device writes later does not show where somebody wrote the new field.
  case olderDeviceIgnored
  /// A live query does not hear of fields that are made of those that changed.
  case madeFieldsUntouched

  // What rules for deletes show.

  /// A delete does nothing to the records that name the deleted one.
  case deleteRulesIgnored
  /// What is to be cleared goes on naming the deleted record.
  case clearedFieldStays
  /// That a record refuses is told when the others are deleted already.
  case refusalTooLate

  // What the minimum reader shows.

  /// A newer app writes, and does not say which version its readers need.
  case readerNotSaid
  /// Of several versions that were required the lowest counts.
  case readerComesDown

  // What a power cut shows.

  /// A write is reported before its COMMIT.
  case reportBeforeCommit
  /// The database is never synced.
  case databaseNotSynced
  /// A full acknowledgement under `synchronous = NORMAL`.
  case logSyncedLate
  /// A refusal counts as answered without the position at which it was taken back.
  case answerWithoutPosition
  /// A log is checked by the mode of who opens it.
  case logModeNotKept
  /// A salvage does not look whether the log is whole.
  case salvageTrustsLog
  /// A blob's bytes are not synced.
  case blobNotSynced
  /// A blob is named and entered before its bytes are synced.
  case blobNamedBeforeSync
  /// The folder of a blob's name is not synced.
  case blobFolderNotSynced
  /// A blob is entered before its file has its name.
  case rowBeforeBlob
  /// A file that was moved before a kill, and not entered, is not found again.
  case movedFileForgotten
  /// What was received of a blob is not checked.
  case receivedBlobNotChecked
  /// Of a blob that had arrived whole before a kill the rest is asked for.
  case wholePartialNotAdopted
  /// Several sessions write what has arrived of one blob.
  case partialSharedBySessions
  /// The end of a session leaves its transfer to nobody.
  case transferOutlivesSession
  /// A folder's own name is not synced.
  case folderNamesNotSynced
  /// A file whose sync failed is kept for the next try.
  case unsyncedFileKept
  /// A sync that failed is tried again as if it might succeed.
  case failedSyncTriedAgain
  /// After a sync of the log that failed, what it left is not written again before the next one.
  case logNotWrittenAgain
  /// The numbers of a commit that failed are given again, although a copy may hold its changes.
  case failedNumbersGivenAgain
  /// A commit that failed stays in the log, where the next process takes it up.
  case failedCommitLeft
  /// Pages of grouped writes go to the log before these are known to stay.
  case groupsSpill
  /// Pages are not checked when they are read.
  case checksumsNotChecked

  // What upgrades show.

  /// Records that are given columns lose the large blobs that they name, as a well-known framework's
  /// did.
  case upgradeDropsLargeBlobs
  /// An upgrade removes the rows of blobs.
  case upgradeReachesBlobs
  /// What an upgrade made is not compared with what there was.
  case upgradeNotCompared
  /// The steps of an upgrade are committed one by one.
  case upgradeInPieces
  /// The snapshot of before an upgrade is not synced.
  case snapshotNotSynced

  // What other programs show.

  /// The database's file is opened and closed while SQLite has it open.
  case databaseOpenedBeside
}
