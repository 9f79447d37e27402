import ReunionCore
import ReunionStore
import ReunionTesting
import TestThreads
import Testing

/// Small and exhaustive, beside random and large: no seed.
@Suite(.onOwnThread) struct SmallHistoryTests {
  /// After an operation nobody meets, two do, or all.
  static let meetings: [[(Int, Int)]] = [[], [(0, 1)], [(0, 1), (1, 2), (0, 1)]]

  @Test
  func `every order of insert, delete, update and re-insert on three replicas ends as it must`()
    throws
  {
    let stage = try SmallStage()
    // All meetings for three operations; for four, nobody or all.
    var count = 0
    for history in SmallHistory.all(count: 3, meetings: Self.meetings)
      + SmallHistory.all(count: 4, meetings: [[], Self.meetings[2]])
    {
      count += 1
      if let fault = try stage.fault(of: history) {
        Issue.record("\(fault)")
        return
      }
    }
    print("small histories: \(count), 0 broken promises")
    #expect(count > 1_000)
  }

  @Test(arguments: [SeededBug.deletesIgnored, .arrivalNotRaisedOnMerge, .deletedNotSent])
  func `a small history shows what a random one would (negative control)`(bug: SeededBug) throws {
    let stage = try SmallStage(seededBugs: [bug])
    let histories = SmallHistory.all(count: 3, meetings: Self.meetings)
    #expect(try histories.contains { try stage.fault(of: $0) != nil })
  }
}
