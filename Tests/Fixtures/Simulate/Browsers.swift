import NodeBrowsers
import ReunionTesting

/// Runs the histories with browsers of some seeds, or some steps of each; returns whether nothing was broken. A
/// survey goes on after failures.
func simulateBrowsers(
  _ seeds: Range<UInt64>, steps: Set<Int>?, hazards: Hazards?, erases: Bool, like plain: Simulation,
  bug: String?, surveys: Bool
) throws -> Bool {
  var pipe = try NodeBrowsers()
  var (count, writeCount, failureCount) = (0, 0, 0)
  for seed in seeds {
    var simulation = BrowserSimulation(
      seed: seed, pipe: pipe, hazards: hazards, erases: erases)
    simulation.bug = bug
    simulation.sendsBlocks = plain.sendsBlocks
    simulation.raisesHorizon = plain.raisesHorizon
    var history = simulation.history(seed: seed)
    if let steps { history = history.keeping(steps) }
    do {
      count += 1
      writeCount += try simulation.run(history).browserWriteCount
    } catch {
      failureCount += 1
      let isBrief = surveys || steps != nil
      print(isBrief ? "seed \(seed): \(error)" : simulation.failure(history, "\(error)"))
      guard surveys else { return false }
      // What the pages are at is not known any more.
      pipe = try NodeBrowsers()
    }
  }
  print("browsers: \(count) histories, \(writeCount) writes, \(failureCount) broke a promise")
  return failureCount == 0
}
