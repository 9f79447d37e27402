public import ReunionCore
public import ReunionStore

/// An app in a hostile world: histories from seeds, in which its replicas write while networks
/// fail, disks fail, clocks err and processes die, beside an oracle that knows every write.
///
/// ```swift
/// let rename = WorldAction("rename") { store, space, random in
///   let album = try store.fetch(Query<Album>(in: space)).randomElement(using: &random)
///   try store.write(in: space) { transaction in
///     guard let album else { return _ = try transaction.create(Album.self) }
///     try transaction.set(\Album.name, of: album.id, to: "\(random.next() % 9)")
///   }
/// }
/// let simulation = Simulation(models: [Model(Album.schema)], actions: [rename])
/// if let failure = simulation.search(seeds: 1...20).failure { print(failure) }
/// ```
///
/// It is a value: a run changes nothing of it, and the same seed gives the same run, on every
/// machine.
/// *Thread*: the caller's; a search is over when it returns. *Cost*: a history of 60 steps runs
/// real stores and sessions on virtual time; search few seeds in a test, and many by night.
public struct Simulation: Sendable {
  /// The app's models, the newest first; older ones are on devices that nobody has updated.
  public var models: [Model]
  /// What the app does.
  public var actions: [WorldAction]
  /// What the app promises, beside the library's promises, which are checked in any case.
  public var promises: [WorldPromise] = []
  /// What may happen.
  public var hazards = Hazards.all
  /// How many steps a history has.
  public var stepCount = 60

  /// What the app shows of a store, a line for each record: equal in the end at all replicas that
  /// have one model.
  public var shown: (@Sendable (Store, SpaceID) throws -> [String])?

  package var seededBugs = SeededBugs()
  /// About how many changes of a guest's push are merged in one commit; nil for as many as ever.
  package var sliceChanges: Int?
  /// What the replicas show each other beside what they write.
  package var showsPresence = false
  /// Whether nobody notices the end of a link in what is shown: a bug, to be found.
  package var presenceOutlivesLink = false
  /// Whether replicas are told where their changes are.
  package var tellsStanding = false
  /// Whether nobody hears what others say of that: a bug, to be found.
  package var standingIsDeaf = false
  /// What newcomers are sent in place of long pushes; nil for these.
  package var sendsBlocks = false
  /// Whether replicas audit each other all along; where that is all that makes them equal, they do so at the end in any
  /// case.
  package var audits = false
  /// Whether the server of all lets go what was deleted, at any moment and of any age.
  package var raisesHorizon = false
  /// Where it is recorded what the machines go through.
  package var coverage: WorldCoverage?

  /// Makes a simulation of an app. It needs at least one model and one action: without either,
  /// drawing a history ends the program.
  public init(models: [Model], actions: [WorldAction]) {
    self.models = models
    self.actions = actions
  }

  /// The history of a seed.
  public func history(seed: UInt64) -> History {
    var writer = HistoryWriter(
      seed: seed, hazards: hazards, modelCount: models.count, actionCount: actions.count)
    return writer.write(stepCount: stepCount)
  }

  /// Facts about a history that ran to its end.
  public struct Outcome: Hashable, Sendable {
    /// A hash of everything that the links carried, and when. Equal runs have equal hashes.
    public let traceHash: UInt64
    /// The devices' hours, summed.
    public let deviceHours: Double
    /// How many writes the oracle knows.
    public let writeCount: Int
    /// Whether only an audit made all equal.
    package var isAudited = false
  }

  /// Runs a history to its end. There the network is good, and all run and are connected: what has
  /// not come together then never would.
  ///
  /// - Throws: `Violation`, the first broken promise. What an action throws, unless the disk of its
  ///   replica fails just then or its process has ended.
  @discardableResult
  public func run(_ history: History) throws -> Outcome {
    var run = try HistoryRun(history, of: self)
    return try run.run()
  }

  /// What a search found.
  public struct Report: Sendable {
    /// How many histories ran to their end.
    public var historyCount = 0
    /// The devices' hours in all of them.
    public var deviceHours = 0.0
    /// How many writes there were in all of them.
    public var writeCount = 0
    /// How many became equal only by an audit: a machine that was put back had given numbers twice.
    package var auditedCount = 0
    /// The first failure; nil if there was none.
    public var failure: Failure?
  }

  /// A history that broke a promise.
  public struct Failure: Sendable, CustomStringConvertible {
    /// The broken promise.
    public let violation: String
    /// The history without the steps that the failure does not need.
    public let history: History
    /// How many steps it had at first.
    package let wholeCount: Int
    let actionNames: [String]

    /// The command that runs it again, in this repository.
    public var command: String {
      "make simulate FIRST=\(history.seed) STEPS=\(history.stepNumbers)"
    }

    /// The broken promise, the steps that led there, and the numbers that `History.keeping` takes.
    public var description: String {
      let steps = history.steps.map { "  \($0.number): \(text($0.step))" }
      let members = history.members.enumerated().map { "\($0) \($1.name)" }
      let routes = history.routes.map { route in
        "\(route.dialler)→\(route.acceptor)\(route.terms.isLeaf ? " leaf" : "")"
          + (route.terms.role == .admin ? "" : " \(route.terms.role)")
      }
      return
        ([
          "\(violation)", "seed \(history.seed), steps \(history.stepNumbers) of \(wholeCount)",
          "replicas: " + members.joined(separator: ", ")
            + "; connections: " + routes.joined(separator: ", "),
        ]
        + steps).joined(separator: "\n")
    }

    private func text(_ step: HistoryStep) -> String {
      guard case .act(let replica, let action) = step else { return "\(step)" }
      return "act(replica: \(replica), \(actionNames[action % max(actionNames.count, 1)]))"
    }
  }

  /// Runs the histories of many seeds. It stops at the first one that breaks a promise, and
  /// shortens it.
  ///
  /// - Parameters:
  ///   - seeds: One history for each.
  ///   - isOver: Asked before each history; true ends the search.
  /// - Returns: How much was run, and the failure. Nothing is thrown: what an action throws is a
  ///   failure, too.
  public func search(seeds: some Sequence<UInt64>, until isOver: () -> Bool = { false }) -> Report {
    var report = Report()
    for seed in seeds {
      guard !isOver() else { break }
      let history = history(seed: seed)
      do {
        let outcome = try run(history)
        report.historyCount += 1
        report.deviceHours += outcome.deviceHours
        report.writeCount += outcome.writeCount
        report.auditedCount += outcome.isAudited ? 1 : 0
      } catch {
        report.failure = shortened(history, "\(error)")
        break
      }
    }
    return report
  }

  /// The same failure with as few steps as the search can find. It runs the history again and
  /// again, each time with other steps left out.
  public func shortened(_ history: History, _ violation: String) -> Failure {
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
    return Failure(
      violation: violation, history: history.keeping(steps), wholeCount: history.steps.count,
      actionNames: actions.map(\.name))
  }
}
