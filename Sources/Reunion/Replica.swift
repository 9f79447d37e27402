import Dispatch
public import ReunionCore
public import ReunionFlow
public import ReunionStore
import ReunionSync

/// One device's copy of the data: a folder with a SQLite file and blobs, which works offline and
/// syncs when it can.
///
///     let replica = try Replica(folder: "notes", model: Model(Note.schema))
///     try replica.write(in: space) { try $0.create(note) }
///     let connection = try replica.sync(space, with: server)
///
/// *Thread*: any. *Durability*: a write is on disk when it returns.
public final class Replica: Sendable {
  /// The store behind it, for everything that is not repeated here.
  public let store: Store
  private let clock: any FlowClock
  private let queue = DispatchQueue(label: "reunion.replica")
  private let loop = Lock<EventLoop?>(nil)

  /// Opens the replica in a folder, and makes it where there is none.
  ///
  /// - Throws: `StoreError` with a sentence that names the remedy: the folder is in use, cannot be
  ///   written, is damaged, or was written by a newer version.
  public init(
    folder: String, model: Model = Model(entities: []), clock: any FlowClock = .system
  ) throws {
    store = try Store.open(folder: folder, model: model)
    self.clock = clock
  }

  /// Changes records in one transaction: all of it is on disk when this returns, or none.
  @discardableResult
  public func write<Result>(
    in space: SpaceID, _ body: (WriteTransaction) throws -> Result
  ) throws -> Result {
    try store.write(in: space, body)
  }

  /// The records that a query asks for, as of now.
  public func fetch<Record: Entity>(_ query: Query<Record>) throws -> [Record] {
    try store.fetch(query)
  }

  /// The records that a query asks for, now and after every commit that changes them.
  public func live<Record: Entity>(_ query: Query<Record>) throws -> Signal<[Record]> {
    try store.live(query)
  }

  /// Keeps a space in sync with a server, until the connection is released or disconnected.
  public func sync(_ space: SpaceID, with server: Membership) throws -> Connection {
    let loop = try eventLoop()
    let queue = queue
    let url = server.webSocketURL(space)
    let token = server.token
    let connection = Connection(
      store: store, configuration: Session.Configuration(space: space), clock: clock,
      execute: { work in queue.async(execute: work) },
      makeLink: { WebSocketLink(url: url, bearer: token, on: loop) })
    connection.connect()
    return connection
  }

  /// Waits for what is under way and closes the store.
  public func close() {
    queue.sync {}
    loop.withLock { $0.take() }?.stop()
    // What fails here is found at the next opening.
    try? store.close()
  }

  private func eventLoop() throws -> EventLoop {
    try loop.withLock { loop in
      if let loop { return loop }
      let made = try EventLoop()
      loop = made
      return made
    }
  }
}
