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
    Failed(
      seed: 718_972_237, steps: "11-13,22,29,31,41,44,46-47",
      broken: "2, as the world thought: a deletion had seen a later change of the same number"),
    Failed(
      seed: 718_971_597, steps: "1-3,6-9,11-17,20-23,25,27-30,32-53",
      broken: "7, as the world thought: a deleted value had another number at a leaf"),
    Failed(
      seed: 258_620_726, steps: "11-12,24-26,31,40-42,52",
      broken: "2, as the world thought: a member that became a viewer brought what others wrote"),
    Failed(
      seed: 881_054_708, steps: "8,12,43-44,56",
      broken: "2, as the world thought: a viewer brought back what a server had lost"),
    Failed(
      seed: 139_247_412,
      steps: "0-4,8-9,12-14,16,19,24-25,27-28,32-35,39,41,43,45-48,50-51,54",
      broken: "8, as the world thought: a site was given up between two looks"),
    Failed(
      seed: 139_259_308, steps: "1-3,6,8,12,30,33-34,41-42,44-46,48,51-53",
      broken: "8, as the world thought: the same at a leaf"),
    Failed(
      seed: 139_264_419, steps: "6,8-9,14-16,18-19,30,49,51-52,54",
      broken: "2: a cleared field lost to a value that a leaf does not have, and was not kept"),
    Failed(
      seed: 369_258_634, steps: "4,7,16,19-20,26-27,36,46,52,56",
      broken: "2: a value that a leaf got hollow counted as seen by it, and was not kept"),
    Failed(
      seed: 280_182_751, steps: "4-5,7-11,13-20,22-23,25,27-31,36-37,39-42,44",
      broken: "2: a value that its author lost and wrote over was not kept"),
    Failed(
      seed: 410_005_103, steps: "2,6,9,25,40,45,56",
      broken: "11, as the world thought: what a refused write would have beaten"),
    Failed(
      seed: 420_003_049, steps: "21-22,25-27,37,40,45",
      broken: "3: a creation that was issued anew counted as one of a record that was made again"),
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

  @Test func `what no vector shows, since numbers name two writes, an audit mends`() throws {
    let simulation = Notebook.simulation()
    let numbers = try #require(History.numbers("3,16,20,35,39,43"))
    let history = simulation.history(seed: 258_622_872).keeping(numbers)
    #expect(try simulation.run(history).isAudited)
  }
}
