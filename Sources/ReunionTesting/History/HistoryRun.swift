import Reunion
import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync

/// A history under way: the world, the oracle beside it, and the checks between the steps.
struct HistoryRun {
  let simulation: Simulation
  let history: History
  let world: World
  var oracle = Oracle()
  var claims = Claims()
  var snapshots: [Int: [WorldReplica.Snapshot]] = [:]
  /// Replicas that are not to be started by themselves.
  var closed: Set<Int> = []
  /// Which of the simulation's models each replica has.
  var versions: [Int: Int] = [:]
  /// What each replica surely had on its disk.
  var durable: [Int: VersionVector] = [:]
  /// The devices of browsers: each is a leaf, beside the replicas that are.
  var browserDevices: Set<UInt64> = []
  /// The sites that were put back, and to which nobody could show it by a position.
  var unseen: Set<Site> = []
  private var checks: SeededRandom
  private let promises: [(sentence: String, check: WorldPromise.Check)]
  private var deviceHours = 0.0

  init(_ history: History, of simulation: Simulation) throws {
    promises = simulation.promises.map { ($0.sentence, $0.begin()) }
    self.simulation = simulation
    self.history = history
    checks = SeededRandom(seed: history.seed &+ 77)
    oracle.letsGo = simulation.raisesHorizon
    world = World(
      seed: history.seed, model: simulation.models[0], seededBugs: simulation.seededBugs,
      sliceChanges: simulation.sliceChanges, coverage: simulation.coverage,
      taps: WorldTaps(
        presence: simulation.showsPresence
          ? WorldPresence(outlivesLink: simulation.presenceOutlivesLink) : nil,
        standing: simulation.tellsStanding ? WorldStanding(isDeaf: simulation.standingIsDeaf) : nil,
        blocks: simulation.sendsBlocks ? WorldBlocks() : nil,
        raisesHorizon: simulation.raisesHorizon, audits: simulation.audits))
    for member in history.members {
      let version = member.model % simulation.models.count
      let replica = try world.makeReplica(
        member.name, model: simulation.models[version], options: member.options)
      versions[replica.number] = version
    }
    for route in history.routes {
      world.connect(world.replicas[route.dialler], to: world.replicas[route.acceptor], route.terms)
    }
  }

  /// Runs to the end; throws the first broken promise.
  mutating func run() throws -> Simulation.Outcome {
    defer { world.remove() }
    for numbered in history.steps {
      var random = SeededRandom(seed: history.seed ^ UInt64(numbered.number) &* 0x9e37_79b9)
      let start = world.clock.now
      try perform(numbered.step, &random)
      try settleStep()
      if simulation.raisesHorizon { try raiseHorizon(numbered.number) }
      // Of a part of a history a copy that acts may be left out.
      if case .act(let number, _) = numbered.step, number < world.replicas.count {
        try world.presence?.show(numbered.number, at: world.replicas[number])
        let replica = world.replicas[number]
        try Self.healthy(replica) { try world.standing?.note(replica) }
      }
      deviceHours += Self.hours(start.duration(to: world.clock.now)) * Double(world.replicas.count)
      // By the number of the step, so that what is left out moves no check.
      checks = SeededRandom(seed: history.seed &* 31 &+ UInt64(numbered.number))
      if checks.happens(0.3) { try check() }
    }
    let isAudited = try settle()
    var outcome = Simulation.Outcome(
      traceHash: world.traceHash, deviceHours: deviceHours, writeCount: oracle.writes.count)
    outcome.isAudited = isAudited
    return outcome
  }

  private static func hours(_ duration: Duration) -> Double {
    Double(duration.components.seconds) / 3600
  }

  /// Learns what has happened, and starts what has ended.
  mutating func settleStep() throws {
    for replica in world.replicas {
      replica.reap()
      guard replica.running == nil, !closed.contains(replica.number) else { continue }
      try start(replica)
    }
    claims.learn(world)
    try checkStanding()
    try look()
  }

  /// Has the oracle look at all stores, whose disks are in order for the moment.
  mutating func look() throws {
    for replica in world.replicas where replica.running != nil { try look(at: replica) }
  }

  private mutating func look(at replica: WorldReplica) throws {
    try Self.healthy(replica) {
      try oracle.look(at: replica, role: role(of: replica)) { [world] place in
        try Self.above(replica, place, in: world)
      }
    }
  }

  /// What those that a replica dials hold of a record.
  static func above(
    _ replica: WorldReplica, _ place: RecordPlace, in world: World
  ) throws -> [RecordState] {
    let connections = world.connections.filter { $0.dialler === replica }
    return try connections.compactMap { connection in
      guard let store = connection.acceptor.running else { return nil }
      return try healthy(connection.acceptor) {
        try store.record(entity: place.entity, place.id, in: world.space)
      }
    }
  }

  /// Runs something while a replica's disk does what it should.
  static func healthy<Success>(
    _ replica: WorldReplica, _ body: () throws -> Success
  ) throws -> Success {
    let disk = replica.disk
    let faults = disk.faults
    disk.faults = DiskFaults()
    defer { disk.faults = faults }
    return try body()
  }

  /// What a replica may do at those that it dials.
  func role(of replica: WorldReplica) -> WorldRole {
    let roles = world.connections.filter { $0.dialler === replica }.map(\.terms.role)
    return roles.min() ?? .admin
  }

  /// Whether a replica may bring only what its own device wrote.
  func isLimited(_ replica: WorldReplica) -> Bool {
    role(of: replica) < .edit
      || world.connections.contains { $0.dialler === replica && $0.terms.isLeaf }
  }

  /// The devices that let go what others wrote where a peer has lost it: once any machine was put
  /// back, all that may not bring it.
  var lettingGo: Set<UInt64> {
    guard oracle.isAnyPutBack else { return [] }
    let limited = Set(world.replicas.filter(isLimited).map(\.number))
    return oracle.devices(of: limited).union(browserDevices)
  }

  /// Starts a process, and looks at what is left of what it had.
  mutating func start(_ replica: WorldReplica) throws {
    do {
      try replica.start()
    } catch {
      // A failing disk keeps it closed for a while; another reason is none.
      guard replica.disk.faults != DiskFaults() else {
        throw Violation(5, "\(replica.name) does not open again: \(error)")
      }
      return
    }
    guard let store = replica.running else { return }
    // Its end may have come right after it issued anew what a peer had lost.
    try look(at: replica)
    let holdings = try Self.healthy(replica) { try Holdings(store, world.space) }
    // What its peer has lost it lets go at any time.
    if isLimited(replica), oracle.isAnyPutBack { return }
    if let before = durable[replica.number] {
      try oracle.checkDurable(replica, holdings, since: before)
    }
    try claims.check(replica, holdings, oracle)
  }

  /// Checks every replica that runs.
  mutating func check() throws {
    try checkSeen()
    try look()
    let lettingGo = lettingGo
    for replica in world.replicas {
      guard let store = replica.running, !replica.isGone else { continue }
      let holdings = try Self.healthy(replica) { try Holdings(store, world.space) }
      try oracle.check(replica, holdings, lettingGo: lettingGo)
      durable[replica.number] = replica.durability == .full ? holdings.vector : nil
      try checkPromises(replica, store)
    }
    if let oversize = world.log.oversize {
      throw Violation(
        12,
        "a message of \(oversize.byteCount) bytes went over a link that carries \(oversize.bytesMax)"
      )
    }
  }

  private func checkPromises(_ replica: WorldReplica, _ store: Store) throws {
    for (sentence, check) in promises {
      let isKept = try Self.healthy(replica) { try check(store, world.space) }
      guard isKept else { throw Violation(0, "\(sentence) (at \(replica.name))") }
    }
  }
}
