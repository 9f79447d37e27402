import Dispatch
public import ReunionCore
public import ReunionFlow
public import ReunionStore
package import ReunionSync

/// One device's copy of the data: a folder with a SQLite file and blobs. It works offline and syncs
/// when it can.
///
///     let replica = try Replica(folder: "notes", model: Model(Note.schema))
///     let space = try await replica.space(joining: link)
///     try replica.sync(space, joining: link)
///     try await replica.write(in: space) { try $0.create(Note.self) { $0.text = "Milk" } }
///
/// Each call that reads or writes has two forms. In an `async` function Swift picks the one that does
/// not block the thread; everywhere else it picks the one that returns when it is done.
///
/// *Thread*: any. *Durability*: a write is on the disk when it returns.
public final class Replica: Sendable {
  /// The store behind it, for tools. An app does not need it.
  public let store: Store
  package let clock: any FlowClock
  /// Where sessions work, one piece at a time.
  let sessions = DispatchQueue(label: "reunion.replica")
  /// Where the `async` forms wait for the disk.
  let disk = DiskQueue(label: "reunion.replica.disk")
  /// One change at a time of what the folder knows of the person.
  let personal = Lock(())
  private let refusals = Emitter<RefusedChange>()
  private let watchedRefusals: SignalSubscription
  private let network = Lock(Network())
  /// One attachment is made at a time: what it keeps on the disk it makes once.
  private let attaching = Lock(())
  private let serving = Serving()

  private struct Network {
    var opener: LinkOpener?
    /// What ends with it.
    var endings: [@Sendable () -> Void] = []
    /// What others keep with it, by the type.
    var attachments: [ObjectIdentifier: any Sendable] = [:]
    var isClosed = false
  }

  /// Opens the replica in a folder, or makes a new one there.
  ///
  /// - Parameters:
  ///   - folder: The folder; only its owner can read it from now on, because its contents may be
  ///     secret.
  ///   - model: The app's entities. Without one, records are kept and forwarded unseen.
  ///   - options: When a write is done, the wall clock, the disk, and whether it is only read.
  ///   - clock: What connections wait by.
  /// - Throws: `StoreError` with a sentence that names the remedy: the folder is in use, cannot be
  ///   written, is damaged, or was written by a newer version.
  public init(
    folder: String, model: Model = Model(entities: []), options: StoreOptions = StoreOptions(),
    clock: any FlowClock = .system
  ) throws {
    store = try Store.open(folder: folder, model: model, options: options)
    self.clock = clock
    watchedRefusals = store.observeCommits { [refusals] commit in
      for change in commit.refused { refusals.send(change) }
    }
  }

  /// The folder that it is in.
  public var folder: String { store.folder }

  /// What opening it with its model did to what was there; nil where nothing was to be done.
  public var upgradeReport: UpgradeReport? { store.upgradeReport }

  /// What the server refuses of this device's changes, once it has been taken back here.
  ///
  ///     let watching = replica.refusedChanges.observe { print($0.sentence ?? "You may not change that.") }
  ///
  /// Observe it before you sync: nothing is repeated. *Thread*: that of a commit; never wait in it.
  public var refusedChanges: Occurrences<RefusedChange> { refusals.occurrences }

  /// An id for a new record.
  public func newID() -> RecordID { store.newID() }

  /// Disconnects, waits for work under way and closes the files. Later calls throw `closed`.
  ///
  /// A released replica closes itself; only this call says what went wrong. Closing twice does nothing.
  /// - Throws: `StoreError` if the last notes could not be written. Every write that was reported as
  ///   done is still on the disk, and the next start continues from there.
  public func close() throws {
    let (opener, endings) = network.withLock { network in
      defer { network = Network(isClosed: true) }
      return (network.opener, network.endings)
    }
    for end in endings { end() }
    serving.end()
    sessions.sync {}
    opener?.close()
    try store.close()
  }

  /// What opens the links of its connections.
  func linkOpener() throws -> LinkOpener {
    try network.withLock { network in
      guard !network.isClosed else {
        throw StoreError(.closed, "The replica is closed: open it again to sync.")
      }
      if let opener = network.opener { return opener }
      let made = try LinkOpener()
      network.opener = made
      return made
    }
  }

  /// Keeps a connection with a server until it is disconnected, or the replica is closed.
  package func keep(_ connection: Connection, in space: SpaceID) {
    serving.keep(connection, in: space)
  }

  /// Whether the replica syncs a space with a server just now, and whether it would.
  package func isServed(_ space: SpaceID) -> Signal<Bool> { serving.isServed(space) }
  package func hasServer(_ space: SpaceID) -> Bool { serving.hasServer(space) }

  /// Has something end when the replica is closed.
  ///
  /// - Throws: `closed` if it is.
  package func whenClosing(_ end: @escaping @Sendable () -> Void) throws {
    try network.withLock { network in
      guard !network.isClosed else {
        throw StoreError(.closed, "The replica is closed: open it again to sync.")
      }
      network.endings.append(end)
    }
  }

  /// The one object of a type that is kept with the replica; made at the first call, once.
  package func attachment<Object: Sendable>(
    _ make: () throws -> Object
  ) rethrows -> Object {
    let key = ObjectIdentifier(Object.self)
    return try attaching.withLock { _ in
      if let object = network.withLock({ $0.attachments[key] as? Object }) { return object }
      let made = try make()
      network.withLock { $0.attachments[key] = made }
      return made
    }
  }

  /// Runs the work of sessions, one piece at a time; on virtual time inside it, so that a test repeats.
  package var executor: Session.Executor {
    if let clock = clock as? TestClock {
      return { work in clock.schedule(at: clock.now, work) }
    }
    return { [sessions] work in sessions.async(execute: work) }
  }
}
