import ReunionCore
import ReunionFlow
public import ReunionStore

/// One replica of a `World`: a real store on a simulated disk, under a clock that may be wrong.
///
/// ```swift
/// let world = World(seed: 3, model: Model(Album.schema))
/// let phone = try world.makeReplica("phone")
/// try phone.write { try $0.create(Album.self) { $0.name = "Harbour" } }
/// phone.cutPower()
/// try phone.start()
/// print(try phone.fetch(Query<Album>(in: world.space)).count)    // 1: it was on the disk
/// world.remove()
/// ```
///
/// You can kill its process, cut its machine's power, copy its folder, or put the folder back to an
/// earlier moment. *Thread*: that of the world.
public final class WorldReplica: Sendable {
  /// How a replica is made.
  public struct Options: Hashable, Sendable {
    /// When its writes are reported as done.
    public var durability = StoreOptions.Durability.full
    /// How far its wall clock is off; below 0 it is late.
    public var clockErrorMilliseconds: Int64 = 0

    /// Makes options; by default durable writes and a correct clock.
    public init(
      durability: StoreOptions.Durability = .full, clockErrorMilliseconds: Int64 = 0
    ) {
      self.durability = durability
      self.clockErrorMilliseconds = clockErrorMilliseconds
    }
  }

  /// The files of a replica at one moment. Writes that come later do not change it.
  public struct Snapshot: Sendable { let disk: SimulatedDisk }

  private struct State {
    var disk: SimulatedDisk
    var store: Store?
    var last: Store
    /// What the disk holds of a process that has ended in the middle of a call.
    var leftover: (disk: SimulatedDisk, end: ReplicaEnd)?
    var model: Model
    /// Whether its store is being opened with another model than before.
    var isUpgrading = false
  }

  package static let folder = "/app/store"

  /// Its name in reports.
  public let name: String
  /// Its place among the world's replicas.
  public let number: Int
  /// When its writes are reported as done.
  public let durability: StoreOptions.Durability
  unowned let world: World
  private let clockError: Lock<Int64>
  private let workDelay = Lock(0)
  private let state: Lock<State>

  /// Makes the store, or opens the one that is on the disk.
  init(
    name: String, number: Int, model: Model, options: Options, disk: SimulatedDisk, world: World
  ) throws {
    self.name = name
    self.number = number
    durability = options.durability
    self.world = world
    clockError = Lock(options.clockErrorMilliseconds)
    let store = try Store.open(
      folder: Self.folder, model: model,
      options: Self.storeOptions(disk, options.durability, clockError, world))
    state = Lock(State(disk: disk, store: store, last: store, model: model))
  }

  /// What it knows about the app's records.
  public var model: Model { state.withLock { $0.model } }

  /// The present store, another object after each start; it is closed while the process does not
  /// run.
  public var store: Store { state.withLock { $0.last } }

  /// Writes in the world's space, as a person at this replica would.
  ///
  /// - Throws: as `Store.write`: `closed` while the process does not run, and what the disk's
  ///   faults make of it.
  @discardableResult
  public func write<Success>(_ body: (WriteTransaction) throws -> Success) throws -> Success {
    try store.write(in: world.space, body)
  }

  /// The records that a query finds at this replica, for a query of `World.space`.
  ///
  /// - Throws: as `Store.fetch`.
  public func fetch<E: Entity>(_ query: Query<E>) throws -> [E] { try store.fetch(query) }

  /// The store; nil while the process does not run.
  public var running: Store? { state.withLock { $0.store } }

  /// The disk; another object after a crash.
  public var disk: SimulatedDisk { state.withLock { $0.disk } }

  /// How far its wall clock is off; it may jump.
  public var clockErrorMilliseconds: Int64 {
    get { clockError.withLock { $0 } }
    set { clockError.withLock { $0 = newValue } }
  }

  /// How long the work of its sessions waits for its turn, as on a busy machine.
  public var workDelayMilliseconds: Int {
    get { workDelay.withLock { $0 } }
    set { workDelay.withLock { $0 = newValue } }
  }

  /// Whether its process has ended in the middle of a call and nobody has noticed yet.
  var isGone: Bool { state.withLock { $0.leftover != nil } }

  /// Starts the process: opens the store, and connects if a connection is wanted. If it runs,
  /// nothing happens.
  ///
  /// - Throws: what the store says, as on a disk that fails; then the process does not run.
  public func start() throws {
    guard running == nil else { return }
    let opened = try Store.open(folder: Self.folder, model: model, options: storeOptions)
    state.withLock {
      $0.store = opened
      $0.last = opened
      $0.isUpgrading = false
    }
    // It may have ended in the middle of an upgrade.
    if !isGone { world.started(self) }
  }

  /// Ends the process as it should end, and starts another version of the app.
  ///
  /// - Throws: what the store says; then the process does not run, and `start()` tries again.
  public func reopen(with model: Model) throws {
    try close()
    willUpgrade(to: model)
    try start()
  }

  /// Lets the next start, which may be cut off in the middle, open the store with another model.
  func willUpgrade(to model: Model) {
    state.withLock {
      $0.model = model
      $0.isUpgrading = true
    }
  }

  /// Ends the process as it should end: stops the sessions and closes the store.
  ///
  /// - Throws: what the store says. The process does not run then either.
  public func close() throws {
    guard let store = running else { return }
    world.stopped(self, .closed)
    state.withLock { $0.store = nil }
    try store.close()
  }

  /// Kills the process; its machine goes on, so that what it had written and not synced is there.
  /// It starts again at `start()`.
  public func kill() { end(.killed, leaving: disk.copy()) }

  /// Cuts the machine's power: of what was not synced some is lost, and some is garbage. It starts
  /// again at `start()`.
  public func cutPower() { end(.powerCut, leaving: disk.afterPowerCut()) }

  /// The files as they are now, as in a backup of the machine.
  public func snapshot() -> Snapshot { Snapshot(disk: disk.copy()) }

  /// Kills the process and puts its files back to an earlier moment. They stay the same files, so
  /// that nothing on the machine shows it.
  public func restore(_ snapshot: Snapshot) { end(.restored, leaving: snapshot.disk.copy()) }

  /// Ends the process after `calls` more calls that change the disk, in the middle of whatever it
  /// does then.
  package func endAfter(calls: Int, _ end: ReplicaEnd) {
    let left = Lock(calls)
    disk.observeChanges { [weak self, disk] _ in
      guard
        left.withLock({ left in
          left -= 1
          return left == 0
        })
      else { return }
      let leftover = end == .powerCut ? disk.afterPowerCut() : disk.copy()
      self?.vanish(end, leaving: leftover)
    }
  }

  /// Ends a process that has ended in the middle of a call.
  func reap() {
    guard let (leftover, end) = state.withLock({ $0.leftover.take() }) else { return }
    self.end(end, leaving: leftover)
  }

  private func vanish(_ end: ReplicaEnd, leaving disk: SimulatedDisk) {
    let isFirst = state.withLock { state -> Bool in
      guard state.leftover == nil, state.store != nil || state.isUpgrading else { return false }
      state.leftover = (disk, end)
      return true
    }
    guard isFirst else { return }
    // Nothing that it says from now on is heard.
    world.silence(self, tellsOthers: end != .powerCut)
    world.clock.schedule(at: world.clock.now) { [weak self] in self?.reap() }
  }

  private func end(_ end: ReplicaEnd, leaving disk: SimulatedDisk) {
    self.disk.observeChanges(nil)
    world.stopped(self, end)
    // The old store ends on the old disk, of which nobody knows any more.
    let old = state.withLock { state in
      state.disk = disk
      state.leftover = nil
      return state.store.take()
    }
    withExtendedLifetime(old) {}
  }

  private var storeOptions: StoreOptions {
    Self.storeOptions(disk, durability, clockError, world)
  }

  private static func storeOptions(
    _ disk: SimulatedDisk, _ durability: StoreOptions.Durability, _ clockError: Lock<Int64>,
    _ world: World
  ) -> StoreOptions {
    var options = StoreOptions()
    options.disk = world.seededBugs.over(disk)
    options.durability = durability
    let (clock, random) = (world.clock, world.random)
    options.wallMilliseconds = {
      let right = Int64(clamping: clock.wallMilliseconds)
      return UInt64(clamping: right + clockError.withLock { $0 })
    }
    options.random = { random.draw { $0.next() } }
    options.seededBugs = world.seededBugs
    if let sliceChanges = world.sliceChanges { options.sliceChanges = sliceChanges }
    options.checkpointPages = 40
    return options
  }
}

/// How a process of a replica ends.
package enum ReplicaEnd: String, Hashable, Sendable {
  case closed, killed, powerCut, restored
}
