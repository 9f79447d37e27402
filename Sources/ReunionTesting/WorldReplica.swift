import FoundationEssentials
import ReunionCore
import ReunionFlow
public import ReunionStore

/// A replica of a simulated world: a real store, with a wall clock that may be wrong.
public final class WorldReplica: Sendable {
  /// Its name in reports.
  public let name: String
  let world: World
  private let clockErrorMilliseconds: Int64
  private let current: Lock<Store>

  init(name: String, clockErrorMilliseconds: Int64, world: World) throws {
    self.name = name
    self.world = world
    self.clockErrorMilliseconds = clockErrorMilliseconds
    current = Lock(
      try Self.open(name: name, clockErrorMilliseconds: clockErrorMilliseconds, world: world))
  }

  /// The store as it is now; another object after a crash.
  public var store: Store { current.withLock { $0 } }

  /// Ends the store at once, as a killed process would, and opens it again.
  ///
  /// Connections notice by themselves; `WorldConnection` starts over with the new store.
  public func crash() throws {
    try store.close()
    try reopen()
  }

  /// The files of a replica at one moment.
  public struct Snapshot: Sendable {
    let files: [String: Data]
  }

  /// Keeps the store's files as they are; like a crash, it ends connections.
  public func snapshot() throws -> Snapshot {
    try store.close()
    var files: [String: Data] = [:]
    for file in Self.files { files[file] = try Data(contentsOf: url(file)) }
    try reopen()
    return Snapshot(files: files)
  }

  /// Puts the store back to what it was, as a virtual machine's snapshot does: what it wrote since is
  /// gone, and nothing on the disk tells.
  public func rollBack(to snapshot: Snapshot) throws {
    try store.close()
    // Into the same files: a new one would be noticed.
    for (file, bytes) in snapshot.files { try bytes.write(to: url(file)) }
    try reopen()
  }

  private static let files = ["store.sqlite", "identity"]

  private func url(_ file: String) -> URL { URL(filePath: "\(world.folder)/\(name)/\(file)") }

  private func reopen() throws {
    let store = try Self.open(
      name: name, clockErrorMilliseconds: clockErrorMilliseconds, world: world)
    current.withLock { $0 = store }
  }

  private static func open(
    name: String, clockErrorMilliseconds: Int64, world: World
  ) throws -> Store {
    var options = StoreOptions()
    let clock = world.clock
    options.wallMilliseconds = {
      UInt64(clamping: Int64(clamping: clock.wallMilliseconds) + clockErrorMilliseconds)
    }
    let random = world.random
    options.random = { random.draw { $0.next() } }
    options.seededBugs = world.seededBugs
    return try Store.open(folder: "\(world.folder)/\(name)", model: world.model, options: options)
  }
}
