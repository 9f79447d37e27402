import ReunionTesting
import TestThreads
import Testing

/// Histories that once broke a promise, each with the steps that it took.
@Suite(.onOwnThread) struct FailedSeedTests {
  struct Failed: CustomTestStringConvertible {
    let seed: UInt64
    let steps: String
    var testDescription: String { "FIRST=\(seed) STEPS=\(steps)" }
  }

  static let failed = [
    Failed(seed: 400_004_358, steps: "0-1,7,12-13,18-19"),
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
