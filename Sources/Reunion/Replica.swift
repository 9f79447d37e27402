import Dispatch
public import ReunionCore
public import ReunionFlow
public import ReunionStore
package import ReunionSync

/// One device's copy of the data: a folder with a SQLite file and blobs. It works offline and syncs
/// when it can.
///
/// ```swift
/// let replica = try Replica(folder: "album", model: Model(Album.schema, Photo.schema))
/// let link = "http://192.168.1.20:8080/#join=SECRET"
/// let space = try await replica.space(joining: link)
/// try replica.sync(space, joining: link)
/// try await replica.write(in: space) { try $0.create(Photo.self) { $0.caption = "Harbour" } }
/// ```
///
/// Each call that reads or writes has two forms. In an `async` function Swift picks the one that
/// does not block the thread; everywhere else it picks the one that returns when it is done.
///
/// Make one for a folder, and use it everywhere: it can be shared between threads and tasks. A
/// second one for the same folder throws `inUse`, in this program and in any other.
///
/// *Thread*: any. *Durability*: a write is on the disk when it returns, unless the options say
/// `normal`. *Lifetime*: its connections end with it; a released replica closes itself.
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

  /// Opens the replica in a folder, or makes a new one there, and upgrades what an older model
  /// wrote.
  ///
  /// *Cost*: reads a handful of pages. A new replica, or one whose folder was copied, takes some
  /// ten syncs. An upgrade that touches records copies the database first, and compares all records
  /// with that copy. `Store.plan` says beforehand what it would do, `upgradeReport` afterwards what
  /// it did.
  /// - Parameters:
  ///   - folder: The folder, on a local disk, made with its parents where it is missing. Only its
  ///     owner can read it from now on, because its contents may be secret.
  ///   - model: The app's entities. Without one, records are kept and forwarded unseen.
  ///   - options: When a write is done, the wall clock, the disk, and whether it is only read.
  ///   - clock: What connections wait by. With a `TestClock`, they also work on its time.
  /// - Throws: `StoreError` with a sentence that names the remedy; the store is then as it was.
  ///   - `inUse`: this program or another one has the folder open. Two windows of one app share a
  ///     replica instead.
  ///   - `invalidModel`: two fields have one number, say, or one became a text that was a number.
  ///     You meet it at the first start after the mistake.
  ///   - `newerVersion`: a newer version of the library wrote it. Update the app; delete nothing.
  ///   - `damaged`: bytes are not those that were written. Open it with `isReadOnly`, or salvage
  ///     it.
  ///   - `isBackup`: the folder is a backup, which is restored to another folder before it is used.
  ///   - `upgradeRefused`: an upgrade would have changed what it must leave as it is.
  ///   - `notWritable`, `diskFull`, `outOfMemory`, `ioFailed`: the system's answer.
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

  /// What opening it with its model did to what was there; nil where nothing was to be done, or the
  /// replica is new.
  ///
  /// It stays the same for the life of this object. `description` is a few lines for a log, or for
  /// a person who asks what an update did.
  public var upgradeReport: UpgradeReport? { store.upgradeReport }

  /// What the server refuses of this device's changes, once it has been taken back here.
  ///
  /// ```swift
  /// let watching = replica.refusedChanges.observe { change in
  ///   print(change.sentence ?? "You may not change that.")
  /// }
  /// ```
  ///
  /// A write that the server will refuse succeeds here first: the device may be offline. The
  /// refusal comes with a later exchange, undoes the write by a new change, and is told here,
  /// record by record.
  ///
  /// Observe it before you sync, and keep the observation: nothing is repeated. *Thread*: that of a
  /// commit; never wait in it.
  public var refusedChanges: Occurrences<RefusedChange> { refusals.occurrences }

  /// An id for a new record, for when something must be named before it is written.
  ///
  /// Nothing is written. Two devices never draw the same, since 80 of its bits are random. The rest
  /// is the wall clock, so that ids sort by when they were drawn. A closed replica still draws
  /// them.
  public func newID() -> RecordID { store.newID() }

  /// Disconnects, waits for work under way and closes the files. Later calls throw `closed`.
  ///
  /// A released replica closes itself; only this call says what went wrong. Closing twice does
  /// nothing. Signals keep the value that they had.
  ///
  /// *Thread*: any that may wait, but none of the replica's own. In the closure of a write it
  /// throws `nestedWrite`. In an observer of what arrives it would wait for itself.
  /// - Throws: `StoreError` if the last notes could not be written. Every write that was reported
  ///   as done is still on the disk, and the next start continues from there.
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

  /// What the audits of its sessions share.
  package var audits: Audits {
    attachment {
      // On virtual time inside the caller, so that a test repeats.
      guard !(clock is TestClock) else { return Audits(clock: clock) { $0() } }
      let queue = DispatchQueue(label: "reunion.audits", qos: .utility)
      return Audits(clock: clock) { queue.async(execute: $0) }
    }
  }

  /// Runs the work of sessions, one piece at a time; on virtual time inside it, so that a test
  /// repeats.
  package var executor: Session.Executor {
    if let clock = clock as? TestClock {
      return { work in clock.schedule(at: clock.now, work) }
    }
    return { [sessions] work in sessions.async(execute: work) }
  }
}
