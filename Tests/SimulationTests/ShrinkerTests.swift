import ReunionStore
import ReunionTesting
import TestThreads
import Testing

/// A failing history is shortened to the steps that it needs.
@Suite(.onOwnThread) struct ShrinkerTests {
  @Test func `keeps what is needed together, in its order, and nothing else`() {
    for needed in [[], [0], [59], [3, 40], [1, 2, 3, 30, 58]] as [[Int]] {
      var calls = 0
      let short = Shrinker.shortened(Array(0..<60)) { part in
        calls += 1
        return needed.allSatisfy(part.contains)
      }
      #expect(short == needed)
      #expect(calls < 400)
    }
  }

  @Test func `leaves what does not fail as it is`() {
    #expect(Shrinker.shortened([1, 2, 3]) { _ in false } == [1, 2, 3])
  }

  @Test func `what depends on an odd number of steps still loses all but one`() {
    let short = Shrinker.shortened(Array(0..<31)) { $0.count % 2 == 1 }
    #expect(short.count == 1)
  }

  @Test func `a history that breaks a promise is shortened to a few steps that still break it`()
    throws
  {
    var simulation = Notebook.simulation(hazards: [], seededBugs: [.arrivalNotRaisedOnMerge])
    simulation.stepCount = 40
    let failure = try #require(simulation.search(seeds: 1...200).failure)
    #expect(failure.history.steps.count <= 12)
    #expect(throws: (any Error).self) { try simulation.run(failure.history) }
    let numbers = try #require(History.numbers(failure.history.stepNumbers))
    let again = simulation.history(seed: failure.history.seed).keeping(numbers)
    #expect(again == failure.history)
  }
}
