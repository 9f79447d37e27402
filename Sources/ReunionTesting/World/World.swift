import Reunion
public import ReunionCore
public import ReunionFlow
public import ReunionStore
import ReunionSync

/// Replicas, networks, disks and clocks in one process, on virtual time, from one seed.
///
/// Everything that happens follows from the seed, so you can repeat a failed run exactly. Stores
/// are real, on disks in memory.
///
/// ```swift
/// let world = World(seed: 7, model: Model(Album.schema, Photo.schema))
/// let phone = try world.makeReplica("phone"), server = try world.makeReplica("server")
/// world.connect(phone, to: server).setQuality(.radio)
/// try phone.write { try $0.create(Album.self) { $0.name = "Harbour" } }
/// world.run(for: .seconds(60))
/// print(try server.fetch(Query<Album>(in: world.space)).count)    // 1
/// world.remove()
/// ```
///
/// It is for a scene that you write by hand; `Simulation` draws scenes from seeds, and checks them.
/// Nothing here sleeps: a minute passes in `run(for:)` as fast as its work is done.
///
/// *Thread*: one at a time.
public final class World: Sendable {
  /// The seed of this world.
  public let seed: UInt64
  /// Virtual time.
  public let clock = TestClock()
  /// The one source of randomness.
  public let random: SharedRandom
  /// The space that its replicas share.
  public let space: SpaceID

  /// What its machines have gone through.
  package let coverage: WorldCoverage?
  let log = LinkLog()
  let model: Model
  let seededBugs: SeededBugs
  /// About how many changes of a guest's push its stores merge in one commit; nil for as many as
  /// ever.
  let sliceChanges: Int?
  private let taps: WorldTaps
  private let auditing: Lock<Audits?>
  private let due = Lock(false)
  /// How many records changed somewhere since an audit had found them to differ.
  let repairedCount = Lock(0)
  private let pages = Lock<(any WorldPages)?>(nil)
  private let members = Lock<(replicas: [WorldReplica], connections: [WorldConnection])>(([], []))

  /// Makes a world without replicas, of which those that are made later have this model.
  public convenience init(seed: UInt64, model: Model) {
    self.init(seed: seed, model: model, seededBugs: SeededBugs())
  }

  package init(
    seed: UInt64, model: Model, seededBugs: SeededBugs, sliceChanges: Int? = nil,
    coverage: WorldCoverage? = nil, taps: WorldTaps = WorldTaps()
  ) {
    self.seed = seed
    self.model = model
    self.seededBugs = seededBugs
    self.sliceChanges = sliceChanges
    self.coverage = coverage
    self.taps = taps
    auditing = Lock(taps.audits ? Audits(clock: clock) { $0() } : nil)
    random = SharedRandom(seed: seed)
    space = random.draw { SpaceID(high: $0.next(), low: $0.next()) }
  }

  /// What its replicas show each other; nil where they show nothing.
  var presence: WorldPresence? { taps.presence }
  /// What its replicas are told of where their changes are; nil where nothing is.
  var standing: WorldStanding? { taps.standing }
  /// What newcomers are sent in place of long pushes; nil where they are sent these.
  var blocks: WorldBlocks? { taps.blocks }
  /// Whether deletes go for good at the one that nobody has to dial for others, and then at those that dial it.
  var raisesHorizon: Bool { taps.raisesHorizon }
  /// What audits share; nil where replicas do not audit each other.
  var audits: Audits? { auditing.withLock { $0 } }

  /// Whether each session begins with an audit.
  var areAuditsDue: Bool { due.withLock { $0 } }

  /// Has replicas audit each other from now on: each session ends, and the next one begins with an audit.
  func beginAudits() {
    auditing.withLock { $0 = Audits(clock: clock) { $0() } }
    due.withLock { $0 = true }
    for connection in connections { connection.cut() }
  }

  /// The server of all: the only replica that dials nobody. Nil if there are several.
  var root: WorldReplica? {
    let roots = replicas.filter { replica in !connections.contains { $0.dialler === replica } }
    return roots.count == 1 ? roots[0] : nil
  }
  /// The replicas, in the order in which they were made.
  public var replicas: [WorldReplica] { members.withLock { $0.replicas } }
  /// The connections, in the order in which they were made.
  public var connections: [WorldConnection] { members.withLock { $0.connections } }
  /// A hash of all that the links carried, and when.
  package var traceHash: UInt64 { log.trace.hash }

  /// Makes a replica with an empty store, and starts it.
  ///
  /// - Parameters:
  ///   - name: What reports call it.
  ///   - model: What its app knows; without one it is the world's.
  ///   - options: When its writes are done, and how wrong its clock is.
  /// - Returns: The replica, which nobody is connected to yet.
  /// - Throws: `StoreError`, such as `invalidModel`: its disk does what it should.
  @discardableResult
  public func makeReplica(
    _ name: String, model: Model? = nil,
    options: WorldReplica.Options = WorldReplica.Options()
  ) throws -> WorldReplica {
    try add(
      name, model: model ?? self.model, options: options,
      disk: SimulatedDisk(seed: random.draw { $0.next() }))
  }

  /// Copies a replica's files to a new disk, makes another replica of them, and starts it: two live
  /// clones.
  ///
  /// - Throws: what the store says.
  @discardableResult
  package func cloneReplica(_ replica: WorldReplica, as name: String) throws -> WorldReplica {
    let options = WorldReplica.Options(
      durability: replica.durability, clockErrorMilliseconds: replica.clockErrorMilliseconds)
    return try add(
      name, model: replica.model, options: options, disk: replica.disk.copyToNewDisk())
  }

  private func add(
    _ name: String, model: Model, options: WorldReplica.Options, disk: SimulatedDisk
  ) throws -> WorldReplica {
    let replica = try WorldReplica(
      name: name, number: replicas.count, model: model, options: options, disk: disk, world: self)
    members.withLock { $0.replicas.append(replica) }
    return replica
  }

  /// Keeps a replica connected to another one, until `WorldConnection.disconnect`. It comes again
  /// after each failure, as an app's connection does, by virtual time.
  @discardableResult
  public func connect(
    _ dialler: WorldReplica, to acceptor: WorldReplica,
    _ terms: WorldConnection.Terms = WorldConnection.Terms()
  ) -> WorldConnection {
    let connection = WorldConnection(
      dialler, acceptor, terms: terms, seed: random.draw { $0.next() }, world: self)
    members.withLock { $0.connections.append(connection) }
    connection.connect()
    return connection
  }

  /// Takes the pages that a process beside the world runs.
  func add(_ pages: any WorldPages) { self.pages.withLock { $0 = pages } }

  /// Lets virtual time pass, and with it all that the replicas and the network do in that time.
  public func run(for duration: Duration) { clock.advance(by: duration) }

  /// Ends all connections and processes, so that nothing keeps anything alive. Call it at the end
  /// of a test: replicas and connections hold each other, and do not use them afterwards.
  public func remove() {
    pages.withLock { $0.take() }?.remove()
    for connection in connections { connection.disconnect() }
    for replica in replicas { replica.kill() }
    run(for: .seconds(30))
    members.withLock { $0 = ([], []) }
  }

  // What replicas and connections ask of it.

  /// Runs the work of a session in order, as soon as its replica has time for it.
  func executor(at replica: WorldReplica) -> Session.Executor {
    let last = Lock(clock.now)
    return { [clock, weak replica] work in
      let moment = last.withLock { last in
        let delay = Duration.milliseconds(replica?.workDelayMilliseconds ?? 0)
        last = max(last, clock.now.advanced(by: delay))
        return last
      }
      clock.schedule(at: moment, work)
    }
  }

  func configuration(terms: WorldConnection.Terms, authority: Authority) -> Session.Configuration {
    var configuration = Session.Configuration(
      space: space, isLeaf: terms.isLeaf, authority: authority)
    // Small messages and little memory, so that pushes come in many parts.
    configuration.messageBytesSoftMax = 512
    configuration.gatheredBytesMax = 1024
    configuration.packedChangesMin = 8
    // What newcomers take changes what every known seed does.
    if blocks != nil { configuration.features = .all.withoutHorizon }
    if blocks != nil || raisesHorizon { configuration.windowBytes = 2048 }
    if raisesHorizon { configuration.features = .all }
    configuration.audits = audits
    configuration.repaired = { [repairedCount] count in repairedCount.withLock { $0 += count } }
    if let coverage { configuration.record = { coverage.record($0) } }
    return configuration
  }

  /// The session of a replica that was dialled.
  func session(
    of replica: WorldReplica, _ store: Store, over link: StreamLink, authority: Authority,
    with other: WorldReplica? = nil
  ) -> Session {
    var configuration = configuration(terms: WorldConnection.Terms(), authority: authority)
    configuration.presence = other.flatMap { presence?.tap(replica, with: $0) }
    configuration.standing = other.flatMap { standing?.tap(replica, with: $0) }
    configuration.blocks = blocks?.blocks(of: replica, store)
    if raisesHorizon, root === replica {
      configuration.tellsHorizon = true
      configuration.features = .all.withoutBehind
    }
    return Session(
      link: seededBugs.over(link), store: store, configuration: configuration, clock: clock,
      execute: executor(at: replica))
  }

  func connections(of replica: WorldReplica) -> [WorldConnection] {
    connections.filter { $0.dialler === replica || $0.acceptor === replica }
  }

  func started(_ replica: WorldReplica) {
    for connection in connections(of: replica) where connection.dialler === replica {
      connection.resume()
    }
  }

  func stopped(_ replica: WorldReplica, _ end: ReplicaEnd) {
    for connection in connections(of: replica) { connection.stopped(replica, end) }
    pages.withLock { $0 }?.stopped(replica, end)
  }

  func silence(_ replica: WorldReplica, tellsOthers: Bool) {
    for connection in connections(of: replica) {
      connection.silence(replica, tellsOther: tellsOthers)
    }
    pages.withLock { $0 }?.silence(replica, tellsOther: tellsOthers)
  }
}
