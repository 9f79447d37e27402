import Reunion
public import ReunionCore
public import ReunionFlow
public import ReunionStore
import ReunionSync
import FoundationEssentials

/// Replicas, links and clocks in one process, on virtual time, from one seed.
///
/// Everything that happens follows from the seed, so that a run that fails can be repeated exactly.
/// Stores are real, in folders of their own that `remove()` deletes.
///
///     let world = try World(seed: 7, model: model)
///     let phone = try world.makeReplica("phone"), server = try world.makeReplica("server")
///     world.connect(phone, to: server, faults: LinkFaults(cutChance: 0.1))
///     world.run(for: .seconds(60))
public final class World: Sendable {
  /// The seed of this world.
  public let seed: UInt64
  /// Virtual time.
  public let clock = TestClock()
  /// The one source of randomness.
  public let random: SharedRandom
  /// The space that its replicas share.
  public let space: SpaceID

  /// What has happened on the links.
  package let trace = Trace()

  let model: Model
  let folder: String
  let seededBugs: Set<SeededBug>
  private let openConnections = Lock<[WorldConnection]>([])
  private let replicas = Lock<[WorldReplica]>([])

  /// Makes a world without replicas.
  ///
  /// - Throws: when its folder cannot be made.
  public convenience init(seed: UInt64, model: Model) throws {
    try self.init(seed: seed, model: model, seededBugs: [])
  }

  package init(seed: UInt64, model: Model, seededBugs: Set<SeededBug>) throws {
    self.seed = seed
    self.model = model
    self.seededBugs = seededBugs
    random = SharedRandom(seed: seed)
    space = random.draw { SpaceID(high: $0.next(), low: $0.next()) }
    let memory = "/dev/shm"
    let base =
      FileManager.default.fileExists(atPath: memory)
      ? memory : FileManager.default.temporaryDirectory.path
    folder = "\(base)/reunion-world-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  /// Makes a replica with a store of its own.
  ///
  /// Its wall clock is off by `clockErrorMilliseconds`. Throws where the store cannot be made.
  public func makeReplica(
    _ name: String, clockErrorMilliseconds: Int64 = 0
  ) throws -> WorldReplica {
    let replica = try WorldReplica(
      name: name, clockErrorMilliseconds: clockErrorMilliseconds, world: self)
    replicas.withLock { $0.append(replica) }
    return replica
  }

  /// Keeps two replicas connected, with faults, until `disconnect`.
  @discardableResult
  public func connect(
    _ one: WorldReplica, to two: WorldReplica, faults: LinkFaults = .none
  ) -> WorldConnection {
    let connection = WorldConnection(one, two, faults: faults, world: self)
    openConnections.withLock { $0.append(connection) }
    connection.connect()
    return connection
  }

  /// Lets virtual time pass.
  public func run(for duration: Duration) { clock.advance(by: duration) }

  /// Ends all connections, closes the stores and deletes their folders.
  public func remove() {
    for connection in openConnections.withLock({ $0 }) { connection.disconnect() }
    run(for: .seconds(1))
    for replica in replicas.withLock({ $0 }) { try? replica.store.close() }
    openConnections.withLock { $0 = [] }
    replicas.withLock { $0 = [] }
    try? FileManager.default.removeItem(atPath: folder)
  }
}
