import ReunionCore
import ReunionStore
import TestThreads
import Testing

/// Forged changes through real sessions: none is applied, none is relayed, each is told to who sent it, and
/// every honest one beside them arrives (guarantee 11).
@Suite(.onOwnThread) struct ForgeryTests {
  static var countMax: Int { Extent.isFull ? 1_000_000 : 20_000 }

  @Test func `no forged change is applied or relayed, and each is told`() throws {
    let run = try ForgeryRun(seed: Extent.seed ?? 1)
    try run.run(forged: Self.countMax)
    print(
      "forgery: \(run.count.forged) forged changes of \(Forgery.allCases.count + 1) kinds refused and told,",
      "\(run.count.honest) honest ones held by all")
    #expect(run.count.honest > run.count.forged / 20)
  }

  @Test(arguments: Forgery.allCases) func `a kind that is let through is found`(kind: Forgery)
    throws
  {
    let run = try ForgeryRun(seed: 2, letting: kind)
    #expect(throws: Loss.self) { try run.run(forged: 200) }
  }

  @Test(arguments: [SeededBug.rolesNotChecked, .stagedPartNotChecked, .refusalNotSent])
  func `a seeded bug of admission is found`(bug: SeededBug) throws {
    let run = try ForgeryRun(seed: 3, bugs: [bug])
    #expect(throws: Loss.self) { try run.run(forged: 5_000) }
  }
}
