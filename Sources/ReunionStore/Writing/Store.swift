public import ReunionCore
import ReunionDisk
public import ReunionFlow

/// One replica's data on one disk: a folder with a SQLite database and blobs.
///
/// ```swift
/// let opened = try Store.open(folder: "album", model: model)
/// try opened.write(in: space) { transaction in
///   try transaction.create(Photo.self) { $0.caption = "Harbour" }
/// }
/// let photos = try opened.fetch(Query<Photo>(in: space).sorted(by: \.caption))
/// print(photos.map(\.caption))
/// try opened.close()
/// ```
/// It has records in spaces, queries that can live, blobs, undo and conflicts. It has no network:
/// `Replica` holds a store and syncs it. One process has a folder open at a time, and once: keep
/// the store, and share it among threads and tasks.
///
/// *Thread*: any. One write runs at a time, others wait. Reads do not wait for writes: they see the
/// last commit. Both block their thread while they read or write the disk; `groupedWrite` and the
/// `async` calls of `Replica` do not.
///
/// *Durability*: with `Durability.full`, what a write reports as done is on the disk.
///
/// *Errors*: most calls throw a `StoreError`. A full disk rolls the write back, and the store goes
/// on. After a disk that failed, the next write opens the database anew and checks it first, which
/// reads the whole file. After `close()` each call throws `closed`.
public final class Store: Sendable {
  /// The folder of the store, as it was named to `open`.
  ///
  /// It holds the database `store.sqlite` with its log, and the folder `blobs`. It belongs to the
  /// store alone: no other program may write there. Copy it with `reunion backup`, since files that
  /// are copied one by one need not fit together.
  public let folder: String
  /// The model that the store was opened with. Entities that it lacks are kept and forwarded, and
  /// no fetch shows them.
  public let model: Model
  /// How it was opened.
  public let options: StoreOptions
  /// What opening it with its model did to what was there. It is nil if nothing was to be done, if
  /// the store is new, or if it was opened read-only.
  ///
  /// ```swift
  /// if let report = store.upgradeReport { print(report) }
  /// ```
  public let upgradeReport: UpgradeReport?

  let layout: Layout
  let deleteRules: DeleteRules
  /// The file with the records.
  package let database: Database
  let gate: Gate<StoreWriter>
  /// What reads; nil once the store is closed.
  let readers: Lock<[RecordReader]?>
  let observers = Observers<Commit>()
  let parts: StoreParts
  let waitingWrites = WaitingWrites()
  /// What was read lately to be sent.
  let recentWindows = RecentWindows()
  let recordSums = RecordSums()
  let rises = Rises()
  /// The horizons of the spaces of which somebody asked.
  let horizons = Lock<[SpaceID: Horizon]>([:])
  let peerSessions = Lock(PeerSessions())
  let renewal = Variable<WordsRenewal?>(nil)
  let currentSites: Lock<Sites>
  /// What positions are told apart by from those that another store made.
  let positionKey: [UInt8]

  /// Opens the store in a folder; see `open`.
  init(
    folder: String, model: Model, options: StoreOptions, parts: StoreParts
  ) throws(StoreError) {
    try model.validate()
    self.parts = parts
    self.folder = folder
    self.model = model
    deleteRules = DeleteRules(model)
    self.options = options
    let disk = options.disk
    database = Database(path: folder + "/store.sqlite", options: options)
    readers = Lock([])
    guard !options.isReadOnly else {
      let lock = try Self.lock(folder, on: disk)
      let connection = try database.openToRead()
      defer { connection.close() }
      layout = try LayoutUpgrade(connection: connection, model: model).readWhole()
        .limited(by: model)
      upgradeReport = nil
      currentSites = Lock(try Identity.sites(connection))
      positionKey = try PositionKey.read(connection)
      gate = Gate(
        StoreWriter(records: nil, clock: HybridClock(last: Stamp(rawValue: 0)), lock: lock))
      return
    }
    try Self.refuseBackup(folder, on: disk)
    try disk.makeFolder(folder)
    let lock = try Self.lock(folder, on: disk)
    try disk.makePrivate(folder)
    let isExpected = try disk.exists(folder + "/identity")
    if !isExpected { try disk.syncNames(of: folder) }
    let connection = try database.open(isExpected: isExpected)
    for name in ["blobs", "partial"] { try disk.makeFolder(folder + "/" + name) }
    parts.blobs.sweepBrokenOff(in: folder, on: disk)
    let upgrade = LayoutUpgrade(
      connection: connection, model: model, bugs: options.seededBugs)
    let upgraded = try upgrade.run(
      guardedBy: UpgradeGuard(
        snapshot: UpgradeSnapshot(of: folder, on: disk),
        blobByteCount: { (hash) throws(StoreError) in
          try parts.blobs.byteCount(of: hash, in: folder, on: disk)
        }, options: options))
    layout = upgraded.layout.limited(by: model, options.seededBugs)
    upgradeReport = upgraded.report
    let identity = Identity(connection: connection, folder: folder, options: options)
    let (sites, isNonceDue) = try identity.establish()
    currentSites = Lock(sites)
    positionKey = try PositionKey.read(connection)
    // What a session staged that never ended; its push comes again.
    // A full disk does not keep the album closed.
    if try connection.number("SELECT 1 FROM reunion_staged LIMIT 1") != nil {
      try? connection.execute("DELETE FROM reunion_staged")
    }
    let last = try connection.number("SELECT max(stamp) FROM reunion_space") ?? 0
    let records = try RecordWriter(RecordReader(connection, layout: layout))
    gate = Gate(
      StoreWriter(
        records: records, clock: HybridClock(last: Stamp(rawValue: UInt64(bitPattern: last))),
        lock: lock, isNonceDue: isNonceDue))
    try parts.blobs.opened(self, records.reader)
    if try WordsRenewal.isDue(connection, layout) { renewWords() }
  }

  private static func lock(_ folder: String, on disk: any Disk) throws(StoreError) -> any DiskFile {
    let lock = try disk.open(folder + "/lock", .writing)
    guard try lock.tryLock() else {
      guard !OpenDatabases.contains(folder + "/store.sqlite") else {
        throw StoreError(
          .inUse,
          "This program has \(folder) open already: keep one replica of a folder, and use it"
            + " everywhere.")
      }
      throw StoreError(
        .inUse, "Another program has \(folder) open: close it there, then try again.")
    }
    return lock
  }

  deinit {
    // Closing twice does nothing; what fails here is found at the next opening.
    try? close()
  }

  /// The number of the device that this store is: 64 random bits, drawn when the store was made.
  ///
  /// A copy of the folder that is used elsewhere keeps it, and goes on as another incarnation of
  /// the same device. A server may know this device by another number in one of its spaces: see
  /// `device(in:)`.
  public var device: UInt64 { site.device }

  /// The number of the device that this store is in a space. It is its own, or the one that a
  /// server gave it there because somebody else has its own.
  ///
  /// ```swift
  /// let isMine = try store.creator(of: Photo.self, photo.id, in: space) == store.device(in: space)
  /// print(isMine ? "You added this." : "Somebody else added this.")
  /// ```
  public func device(in space: SpaceID) -> UInt64 { site(in: space).device }

  /// The site under which this store writes in every space that knows no other.
  package var site: Site { currentSites.withLock { $0.own } }

  /// The site under which this store writes in a space.
  package func site(in space: SpaceID) -> Site { currentSites.withLock { $0[space] } }

  /// What a commit that is made now draws and names.
  func mark(_ stamp: Stamp, in space: SpaceID) -> CommitMark {
    CommitMark(site: site(in: space), stamp: stamp, random: options.random())
  }

  /// An id for a new record: 48 bits of the wall clock's milliseconds, then 80 random bits.
  ///
  /// Ids sort by the time at which they were made, which is the order of a query without another
  /// one. Two of the same millisecond have no order between them, and a device whose clock is wrong
  /// sorts its records to another time.
  ///
  /// *Thread*: any. *Cost*: no disk is asked; nothing is kept for an id that is not used.
  public func newID() -> RecordID {
    RecordID(
      milliseconds: options.wallMilliseconds(), random: (options.random(), options.random()))
  }

  /// Closes the store: waits for a write under way, and frees the folder.
  ///
  /// ```swift
  /// let again = try Store.open(folder: "album", model: model)
  /// defer { try? again.close() }
  /// ```
  /// Later calls throw `closed`, and so do grouped writes that still wait. A read that is under way
  /// ends as it would have. Signals of live queries keep their last value. Closing twice does
  /// nothing, and a released store closes itself; only this call says what went wrong.
  ///
  /// *Durability*: nothing that was reported as done depends on it. It notes that this opening is
  /// over, unless nothing was written since.
  /// - Throws: `nestedWrite` inside a write; `diskFull` or `ioFailed` if that note could not be
  ///   written, and then the folder is free all the same.
  public func close() throws {
    try gate.pass { (writer) throws(StoreError) in
      guard !writer.isClosed else { return }
      writer.isClosed = true
      readers.withLock { $0 = nil }
      let lock = writer.lock.take()
      guard let records = writer.records.take() else {
        writer.closeFailed()
        try lock?.unlock()
        return
      }
      let connection = records.reader.connection
      do throws(StoreError) {
        try commitReported(connection)
        if !writer.isNonceDue {
          try connection.transaction { () throws(StoreError) in
            try records.arrivals.sweep()
          }
          try Identity(connection: connection, folder: folder, options: options).rotate()
        }
      } catch {
        writer.closeFailed(connection)
        try lock?.unlock()
        throw error
      }
      connection.close()
      try lock?.unlock()
    }
  }

  /// Calls a closure after each commit that changed something, until the result is cancelled or
  /// released.
  ///
  /// ```swift
  /// let watching = store.observeCommits { commit in
  ///   print("Changed in", commit.space, commit.entities)
  /// }
  /// try store.write(in: space) { try $0.create(Album.self) { $0.name = "Summer" } }
  /// watching.cancel()
  /// ```
  /// It hears of commits of this device and of those that sync brings, and not of those before.
  /// Prefer `live(_:)` for what a screen shows: it says when a result changes, which few commits
  /// do.
  ///
  /// *Thread*: that of the writer, after the commit, after the live queries and before the write
  /// returns. No lock is held: the closure may read and write, and hears of its own writes. The
  /// writer waits for it. *Ordering*: commits of several threads may be told in another order than
  /// they were made in.
  /// - Parameter body: what is told of each commit.
  /// - Returns: what ends it. Hold it for as long as you want to hear.
  public func observeCommits(
    _ body: @escaping @Sendable (Commit) -> Void
  ) -> SignalSubscription { observers.add(body) }
}
