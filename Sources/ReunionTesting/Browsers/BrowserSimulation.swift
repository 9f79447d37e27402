/// An app in a hostile world in which some of the replicas are browsers.
///
/// *Thread*: the caller's.
package struct BrowserSimulation: Sendable {
  /// The core that the pages load.
  package enum Core: String, Sendable, CaseIterable {
    /// The one that the apps ship, which has only registers.
    case apps
    /// The one with counters, sets and lists.
    case whole
  }

  package let core: Core
  private let pipe: any BrowserPipe
  /// A bug that the pages load (`Tests/World/bugs.mjs`).
  package var bug: String?
  package private(set) var simulation: Simulation
  /// Whether newcomers, pages too, are sent blocks.
  package var sendsBlocks: Bool {
    get { simulation.sendsBlocks }
    set { simulation.sendsBlocks = newValue }
  }

  /// Whether deletes go, far sooner than any server lets them.
  package var raisesHorizon: Bool {
    get { simulation.raisesHorizon }
    set { simulation.raisesHorizon = newValue }
  }

  /// Makes the simulation of a seed: even ones are on the core that the apps ship. Of four, two have all
  /// hazards, and two little beside restores, if not said otherwise. Where records are erased for good
  /// (`erases`), the core is the whole one.
  package init(
    seed: UInt64, pipe: any BrowserPipe, stepCount: Int = 20, hazards: Hazards? = nil,
    erases: Bool = false
  ) {
    let hazards = hazards ?? (seed % 4 < 2 ? .all : .restoring)
    core = seed.isMultiple(of: 2) && !erases ? .apps : .whole
    self.pipe = pipe
    var simulation =
      core == .apps
      ? Scrapbook.simulation(hazards: hazards)
      : Notebook.simulation(hazards: hazards, erases: erases)
    simulation.stepCount = stepCount
    self.simulation = simulation
  }

  /// The history of a seed.
  package func history(seed: UInt64) -> BrowserHistory {
    var writer = BrowserHistoryWriter(seed: seed, simulation: simulation)
    return writer.write(seed: seed)
  }

  /// What a history that ran to its end was like.
  package struct Outcome: Hashable, Sendable {
    /// A hash of all that the links carried, and when.
    package let traceHash: UInt64
    /// How many writes there were, and how many of them in browsers.
    package let writeCount: Int
    package let browserWriteCount: Int
    /// Of how many records pages were told that changes were refused.
    package let refusedCount: Int
  }

  /// Runs a history to its end.
  ///
  /// - Throws: the first broken promise.
  @discardableResult
  package func run(_ history: BrowserHistory) throws -> Outcome {
    var run = try BrowserRun(history, of: self, pipe: pipe)
    return try run.run()
  }

  /// What is broken in a failing history, with as few steps as are found to be needed, and the
  /// command that runs it again.
  package func failure(_ history: BrowserHistory, _ violation: String) -> String {
    var violation = violation
    let steps = Shrinker.shortened(history.steps) { steps in
      do {
        try run(history.keeping(steps))
        return false
      } catch {
        violation = "\(error)"
        return true
      }
    }
    let short = history.keeping(steps)
    return """
      \(violation)
      seed \(history.seed), steps \(short.stepNumbers) of \(history.steps.count)
      \(short)
      replay: make simulate BROWSERS=yes\(raisesHorizon ? " HORIZON=yes" : "") FIRST=\(history.seed) \
      STEPS=\(short.stepNumbers)
      """
  }
}
