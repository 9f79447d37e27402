import ReunionTesting
import TestThreads
import Testing

/// Histories that once broke a promise, each with the steps that it took and what it broke.
@Suite(.onOwnThread) struct FailedSeedTests {
  struct Failed: CustomTestStringConvertible {
    let seed: UInt64
    let steps: String
    let broken: String
    var testDescription: String { "FIRST=\(seed) STEPS=\(steps): \(broken)" }
  }

  static let failed = [
    Failed(
      seed: 400_004_358, steps: "0-1,7,12-13,18-19",
      broken: "5: a store did not open again, since its log was broken in the middle"),
    Failed(
      seed: 237_566_391, steps: "28,32-33,43-44,50-51",
      broken: "3: a server that was put back claimed a register that it did not hold"),
    Failed(
      seed: 9485, steps: "3-4,20-22,24-25,29-31,40-43",
      broken: "3: a server claimed what a guest had lost with what covered it"),
    Failed(
      seed: 362_232_541, steps: "2,4,6,8-10,12-13,16,18,20",
      broken: "3: a log whose sync failed was taken into the database all the same"),
    Failed(
      seed: 718_970_112, steps: "36,39-40,42-44",
      broken: "1: a guest that was put back to before it took a refusal back was not told again"),
    Failed(
      seed: 718_973_386, steps: "46-47,55,57-59",
      broken: "1: the same with a part of a counter"),
  ]

  @Test(arguments: failed) func `a history that once broke a promise keeps it`(
    _ failed: Failed
  ) throws {
    let simulation = Notebook.simulation()
    let numbers = try #require(History.numbers(failed.steps))
    let history = simulation.history(seed: failed.seed)
    try simulation.run(history.keeping(numbers))
    try simulation.run(history)
  }
}
