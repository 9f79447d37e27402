import NodeBrowsers
import ReunionTesting

/// Runs the histories with browsers of some seeds, or some steps of one; gives whether all is well.
func simulateBrowsers(
  _ seeds: Range<UInt64>, steps: Set<Int>?, hazards: Hazards?, erases: Bool, blocks: Bool,
  bug: String?
) throws -> Bool {
  let pipe = try NodeBrowsers()
  var (count, writeCount) = (0, 0)
  for seed in seeds {
    var simulation = BrowserSimulation(
      seed: seed, pipe: pipe, hazards: hazards, erases: erases)
    simulation.bug = bug
    simulation.sendsBlocks = blocks
    var history = simulation.history(seed: seed)
    if let steps { history = history.keeping(steps) }
    do {
      let outcome = try simulation.run(history)
      count += 1
      writeCount += outcome.browserWriteCount
    } catch {
      print(steps == nil ? simulation.failure(history, "\(error)") : "seed \(seed): \(error)")
      return false
    }
  }
  print("browsers: \(count) histories, \(writeCount) writes, 0 broken promises")
  return true
}
