import ReunionCore
import ReunionStore
import ReunionTesting
import TestThreads
import Testing

/// The negative controls: bugs that are switched on, each of which the fault tests must find.
@Suite(.onOwnThread) struct SeededBugTests {
  static let byPowerCut: [SeededBug] = [
    .reportBeforeCommit, .databaseNotSynced, .logSyncedLate,
    .blobNotSynced, .blobNamedBeforeSync, .blobFolderNotSynced, .rowBeforeBlob,
  ]
  /// The moments at which these show are short.
  static let byManyPowerCuts: [SeededBug] = [.receivedBlobNotChecked]
  static let byError: [SeededBug] = [.folderNamesNotSynced, .failedSyncTriedAgain]
  static let byDamage: [SeededBug] = [.checksumsNotChecked]

  @Test func `every seeded bug of disks and files is found`() {
    var caught = 0
    for bug in Self.byPowerCut {
      caught += find(bug) { seed in _ = try PowerCutTests.run(seed: seed, cuts: 40, bugs: [bug]) }
    }
    for bug in Self.byManyPowerCuts {
      caught += find(bug) { seed in
        _ = try PowerCutTests.run(seed: seed, cuts: 1_000, chance: 0.4, bugs: [bug])
      }
    }
    for bug in Self.byError {
      caught += find(bug) { seed in
        for number in stride(from: 1 + Int(seed % 3), to: 400, by: 3) {
          _ = try DiskErrorTests.run(seed: seed / 3, .calls(number, count: 1), bugs: [bug])
        }
      }
    }
    for bug in Self.byDamage {
      caught += find(bug) { seed in
        _ = try DamagedFileTests.run(seed: seed, count: 20, bugs: [bug])
      }
    }
    let seeded = Set(
      Self.byPowerCut + Self.byManyPowerCuts + Self.byError + Self.byDamage
    ).count
    #expect(caught == seeded)
    print("faults: caught \(caught) / seeded \(seeded)")
  }

  /// Looks for a bug in one seed after another; only a broken promise counts.
  private func find(_ bug: SeededBug, _ run: (UInt64) throws -> Void) -> Int {
    for seed in UInt64(1)...40 {
      do {
        try run(seed)
      } catch let loss as Loss {
        print("caught \(bug): \(loss)")
        return 1
      } catch {
        print("\(bug) at seed \(seed): \(error)")
      }
    }
    Issue.record("\(bug) was not caught in 40 seeds")
    return 0
  }
}
