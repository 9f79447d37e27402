import Foundation
import Reunion
import ReunionCore
import ReunionServer
import ReunionStore
import ReunionSync
import ReunionTesting
import ReunionTools
import TestThreads
import Testing

/// The negative controls of the world: bugs that are switched on, each of which it must catch.
@Suite(.onOwnThread) struct WorldBugTests {
  struct Known {
    let bug: SeededBug
    /// The seed at which it is known to show.
    var seed: UInt64 = 1
    /// What may happen there.
    var hazards = WorldBugTests.withoutLosses
    /// What is directed by hand, where random histories rarely meet it.
    var scene: BugScenes.Play?
  }

  /// No machine loses what it had, and all members may do everything.
  static let withoutLosses = Hazards.all.subtracting([
    .restores, .serverRestores, .normalDurability, .clones, .guests,
  ])

  static let known: [Known] = [
    Known(bug: .vectorRisesWithFirstPart, seed: 1),
    Known(bug: .arrivalNotRaisedOnMerge, seed: 2),
    Known(bug: .deletesIgnored, seed: 1),
    Known(bug: .removalsIgnored, seed: 1),
    Known(bug: .movesIgnored, seed: 1),
    Known(bug: .tieBreakMissing, seed: 11, hazards: []),
    Known(bug: .databaseNotSynced, seed: 4),
    Known(bug: .logSyncedLate, seed: 10),
    Known(bug: .conflictNotKept, seed: 3),
    Known(bug: .unknownEntitiesDropped, seed: 4),
    Known(bug: .stampNotRaised, seed: 1),
    Known(bug: .reportBeforeCommit, seed: 1),
    Known(bug: .acknowledgeBeforeCommit, scene: BugScenes.failingCommit),
    Known(bug: .vectorBelievedUnbounded, scene: BugScenes.ownChangesClaimed),
    Known(bug: .liveWindowStaysShort, seed: 1),
    Known(bug: .linkLimitIgnored, seed: 3),
    Known(bug: .drainNotNoticed, scene: BugScenes.fullLink),
    Known(bug: .wholePartialNotAdopted, scene: BugScenes.killedBeforeBlobIsNamed),
    Known(bug: .partialSharedBySessions, scene: BugScenes.blobFromTwo),
    Known(bug: .transferOutlivesSession, scene: BugScenes.blobFromTwo),
    Known(bug: .lackedBlobBlocks, scene: BugScenes.lackedBlob),
    Known(bug: .laterBlobNotHeard, scene: BugScenes.lackedBlob),
    Known(bug: .rolesCheckedAtOneServer, scene: GuestScenes.atSecondServer),
    Known(bug: .stagedPartNotChecked, scene: GuestScenes.inLargePush),
    Known(bug: .refusalForgotten, scene: GuestScenes.cutAnywhere),
    Known(bug: .answerWithoutPosition, seed: 718_970_112, hazards: .all),
    Known(bug: .takenBackWithoutBlobs, scene: GuestScenes.deletedBeforeItsBlob),
    Known(bug: .vectorRisesPastHole, seed: 1),
    Known(bug: .halfCatchUpShown, seed: 1),
    Known(bug: .cursorSetFirst, seed: 1),
    Known(bug: .deletedNotSent, seed: 1),
    Known(bug: .deletedLeavesNothingToTell, seed: 620, hazards: .all),
    Known(bug: .rolesNotChecked, seed: 1, hazards: .guests),
    Known(bug: .refusalNotSent, seed: 1, hazards: .guests),
    Known(bug: .commitNotNoticed, seed: 1),
    Known(bug: .positionUnchecked, seed: 1, hazards: .restoring),
    Known(bug: .incarnationNotRenewed, seed: 1, hazards: .restoring),
    Known(bug: .rolledBackWritesStay, seed: 1, hazards: .restoring),
    Known(bug: .retirementUnsaid, seed: 648, hazards: .restoring),
    Known(bug: .cacheKeepsWhatIsLost, seed: 1, hazards: .restoring),
    Known(bug: .renewedSiteTakesOn, scene: BugScenes.renewedElsewhere),
    Known(bug: .lostChangesClaimed, seed: 125, hazards: .restoring),
    Known(bug: .coveredChangesClaimed, scene: GuestScenes.coveredInCache),
    Known(bug: .copyBelieved, scene: GuestScenes.coveredInCache),
    Known(bug: .claimBelieved, scene: ClaimScenes.claimed),
    Known(bug: .ownClaimBelieved, scene: ClaimScenes.ownClaimed),
    Known(bug: .lostCoverBelieved, scene: ClaimScenes.lostCover),
    Known(bug: .refusalNamesAll, scene: ClaimScenes.copyOfGuest),
    Known(bug: .proofForgotten, scene: ClaimScenes.putBackTwice),
    Known(bug: .unreadBlobForgotten, scene: BugScenes.unreadBlob),
    Known(bug: .leafSightIgnored, scene: BugScenes.unseenByLeaf),
    Known(bug: .broughtBackInPart, seed: 281, hazards: .all),
    Known(bug: .blobAskedOfOneAlone, seed: 3075),
    Known(
      bug: .identityNotSynced, seed: 2658,
      hazards: withoutLosses.union([.guests, .normalDurability])),
    Known(bug: .refusedTakenLater, seed: 2915, hazards: withoutLosses.union(.guests)),
  ]

  /// Where the others are caught.
  static let elsewhere: [SeededBug: String] = [
    .auditSumsNotRefreshed: "ReunionSyncTests/AuditTests",
    .auditAheadOfChanges: "ReunionSyncTests/AuditTests",
    .repairNotPassedOn: "ReunionSyncTests/AuditTests",
    .erasureReachesAll: "ReunionStoreTests/TenantTests",
    .numberCarried: "ReunionServerTests/TenancyTests",
    .guestEndsSessions: "ReunionStoreTests/GivenUpTests",
    .refusalReachesAll: "ReunionServerTests/NonInterferenceTests",
    .spacesTaken: "ReunionServerTests/NonInterferenceTests",
    .serverNumberGiven: "ReunionServerTests/NonInterferenceTests",
    .editorBelieved: "ReunionServerTests/NonInterferenceTests",
    .wordCountsEverywhere: "ReunionServerTests/NonInterferenceTests",
    .givenNumberNotTaken: "ReunionServerTests/NonInterferenceTests",
    .limitsByNumber: "ReunionServerTests/NonInterferenceTests",
    .sitesWithoutEnd: "ReunionServerTests/NonInterferenceTests",
    .allowanceOfAll: "ReunionServerTests/NonInterferenceTests",
    .presenceOutlivesLink: "ReunionServerTests/PresenceRoomsTests",
    .blockOlderThanPosition: "SimulationTests/WorldBlockTests",
    .oldNotNoticed: "SimulationTests/WorldHorizonTests",
    .absentStays: "SimulationTests/WorldHorizonTests",
    .unsentGoes: "SimulationTests/WorldHorizonTests",
    .cameBackInPart: "SimulationTests/WorldHorizonTests",
    .sessionGoesOnBelow: "SimulationTests/WorldHorizonTests",
    .underWayReplaced: "ReunionStoreTests/HorizonTests",
    .newcomerUnaware: "SimulationTests/WorldHorizonTests",
    .followedBlindly: "ReunionStoreTests/HorizonTests",
    .begunNotMarked: "ReunionStoreTests/HorizonTests",
    .oldRemainsStay: "ReunionStoreTests/HorizonTests",
    .earlierSessionTaken: "ReunionStoreTests/AuthorityTests",
    .anyReachedBelieved: "ReunionStoreTests/ClosedPastTests",
    .bytesGoBeforeStable: "ReunionStoreTests/ClosedPastTests",
    .pastClosedBySilence: "ReunionServerTests/PastKeepersTests",
    .blockGoesOnAfterNameAll: "ReunionSyncTests/SentBlockTests",
    .reachToldBeforeDisk: "SimulationTests/WorldStandingTests",
    .reachKeptAfterRollback: "ReunionServerTests/StandingTests",
    .pongsNotSent: "SimulationTests/SlowLinkTests",
    .erasedTakenAgain: "SimulationTests/ErasureTests",
    .rolledBackWritesStay: "ReunionStoreTests/HistoryTests",
    .positionUnchecked: "ReunionStoreTests/HistoryTests",
    .retirementUnsaid: "ReunionStoreTests/HistoryTests",
    .claimTakenAsProof: "ReunionStoreTests/ReissueTests",
    .riseForgotten: "ReunionStoreTests/HistoryTests",
    .sightByToldAlone: "ReunionSyncTests/MeetingTests",
    .markedAsOfNow: "ReunionSyncTests/MeetingTests",
    .unbelievedNamed: "ReunionSyncTests/MeetingTests",
    .sweepsByRowsOnly: "ReunionStoreTests/CollectTests",
    .absenceForgotten: "ReunionStoreTests/AwayTests",
    .leapBelieved: "ReunionStoreTests/SettledTimeTests",
    .databaseOpenedBeside: "ReunionStoreTests/ForeignProgramTests",
    .liveFailureDropped: "FaultTests/LiveFailureTests",
    .logModeNotKept: "FaultTests/DurabilityModeTests",
    .salvageTrustsLog: "FaultTests/SalvageTests",
    .blobNotSynced: "FaultTests/SeededBugTests",
    .blobNamedBeforeSync: "FaultTests/SeededBugTests",
    .blobFolderNotSynced: "FaultTests/SeededBugTests",
    .rowBeforeBlob: "FaultTests/SeededBugTests",
    .movedFileForgotten: "FaultTests/MoveCutTests",
    .receivedBlobNotChecked: "FaultTests/SeededBugTests",
    .folderNamesNotSynced: "FaultTests/SeededBugTests",
    .failedSyncTriedAgain: "FaultTests/SeededBugTests",
    .unsyncedFileKept: "FaultTests/MoveCutTests",
    .logNotWrittenAgain: "FaultTests/FailedLogSyncTests",
    .failedNumbersGivenAgain: "FaultTests/FailedCommitTests",
    .failedCommitLeft: "FaultTests/FailedCloseTests",
    .checksumsNotChecked: "FaultTests/SeededBugTests",
    .groupsSpill: "FaultTests/GroupedSpillTests",
    .upgradeDropsLargeBlobs: "FaultTests/UpgradeChainTests",
    .upgradeReachesBlobs: "ReunionStoreTests/UpgradeGuardTests",
    .upgradeNotCompared: "FaultTests/UpgradeChainTests",
    .upgradeInPieces: "FaultTests/UpgradeCutTests",
    .snapshotNotSynced: "FaultTests/UpgradeCutTests",
    .computedValueSent: "ReunionStoreTests/LensHistoryTests",
    .wayBackForgotten: "ReunionStoreTests/LensHistoryTests",
    .olderDeviceIgnored: "ReunionStoreTests/LensHistoryTests",
    .madeFieldsUntouched: "ReunionStoreTests/LensEffectTests",
    .deleteRulesIgnored: "ReunionStoreTests/DeleteRuleHistoryTests",
    .clearedFieldStays: "ReunionStoreTests/DeleteRuleHistoryTests",
    .refusalTooLate: "ReunionStoreTests/DeleteRuleHistoryTests",
    .readerNotSaid: "ReunionStoreTests/RequiredReaderTests",
    .readerComesDown: "ReunionStoreTests/RequiredReaderTests",
  ]

  @Test func `the world catches every seeded bug`() {
    var caught = 0
    for known in Self.known {
      // Where the protocol has changed since, a seed soon after it.
      for seed in known.seed..<known.seed + (known.scene == nil ? 40 : 1) {
        let run = { (bugs: SeededBugs) throws in
          if let scene = known.scene { return try scene(bugs) }
          let simulation = Notebook.simulation(hazards: known.hazards, seededBugs: bugs)
          try simulation.run(simulation.history(seed: seed))
        }
        // The same without the bug breaks nothing.
        let (bugged, sound) = (Self.error { try run([known.bug]) }, Self.error { try run([]) })
        guard let error = bugged, sound == nil else {
          if known.scene != nil {
            print("not caught \(known.bug): \(bugged ?? ""); \(sound ?? "")")
          }
          continue
        }
        caught += 1
        print("caught \(known.bug) at seed \(seed): \(error)")
        break
      }
    }
    #expect(caught == Self.known.count)
    print("seeded bugs: caught \(caught) / \(Self.known.count)")
  }

  @Test func `every seeded bug is caught here, or by a test that names it`() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let files = try FileManager.default.subpathsOfDirectory(atPath: tests.path)
    for (bug, path) in Self.elsewhere {
      // The suite, in whichever room of its target.
      let (target, suite) = (path.prefix { $0 != "/" }, path.drop { $0 != "/" })
      let file = try #require(
        files.first { $0.hasPrefix(target + "/") && $0.hasSuffix(suite + ".swift") }, "\(path)")
      let text = try String(contentsOf: tests.appending(path: file), encoding: .utf8)
      #expect(text.contains(".\(bug)"), "\(path)")
    }
    let named = Set(Self.known.map(\.bug)).union(Self.elsewhere.keys).map(\.description)
    let declared = try declaredBugs(
      in: "ReunionStore", "ReunionSync", "ReunionServer", "ReunionTesting", "ReunionTools",
      "Reunion")
    #expect(Set(named) == declared)
  }

  private static func error(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch {
      return "\(error)"
    }
  }
}
