public import ReunionCore
import ReunionDisk
public import ReunionFlow

/// One replica's data on one disk: a folder with a SQLite database and blobs.
///
/// ```swift
/// let store = try Store.open(folder: "album", model: Model(Photo.schema))
/// try store.write(in: space) { transaction in
///   var photo = Photo(id: transaction.newID())
///   photo.caption = "Harbour"
///   try transaction.create(photo)
/// }
/// let photos = try store.fetch(Query<Photo>(in: space).sorted(by: \.caption))
/// ```
///
/// *Thread*: any. One write runs at a time, others wait; reads do not wait for writes and see the
/// last commit. *Durability*: with `Durability.full`, what a write reports as done is on the disk.
/// *Errors*: a full disk rolls back and the store goes on; after a failing disk the next write opens
/// the database anew and checks it first.
public final class Store: Sendable {
  /// The folder of the store.
  public let folder: String
  /// The model that the store was opened with.
  public let model: Model
  /// How it was opened.
  public let options: StoreOptions
  /// What opening it with its model did to what was there; nil where nothing was to be done, or the
  /// store is new.
  public let upgradeReport: UpgradeReport?

  let layout: Layout
  let deleteRules: DeleteRules
  package let database: Database
  let gate: Gate<StoreWriter>
  /// What reads; nil once the store is closed.
  let readers: Lock<[RecordReader]?>
  let observers = Observers<Commit>()
  let parts: StoreParts
  let waitingWrites = WaitingWrites()
  /// What was read lately to be sent.
  let recentWindows = RecentWindows()
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
      gate = try Gate(
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
    gate = try Gate(
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

  /// The number of the device that this store is: a copy that is restored elsewhere keeps it.
  public var device: UInt64 { site.device }

  /// The number of the device that this store is in a space: its own, or the one that it was given there
  /// since somebody else has its own.
  public func device(in space: SpaceID) -> UInt64 { site(in: space).device }

  /// The site under which this store writes in every space that knows no other.
  package var site: Site { currentSites.withLock { $0.own } }

  /// The site under which this store writes in a space.
  package func site(in space: SpaceID) -> Site { currentSites.withLock { $0[space] } }

  /// What a commit that is made now draws and names.
  func mark(_ stamp: Stamp, in space: SpaceID) -> CommitMark {
    CommitMark(site: site(in: space), stamp: stamp, random: options.random())
  }

  /// An id for a new record.
  public func newID() -> RecordID {
    RecordID(
      milliseconds: options.wallMilliseconds(), random: (options.random(), options.random()))
  }

  /// Closes the store: waits for a write under way, and frees the folder.
  ///
  /// A released store closes itself. Later calls throw `closed`.
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

  /// Calls a closure after each commit that changed a space, until the result is released.
  ///
  /// *Thread*: that of the writer, after the commit and outside of all locks. Commits of several
  /// threads may be reported in another order than they were made in.
  public func observeCommits(
    _ body: @escaping @Sendable (Commit) -> Void
  ) -> SignalSubscription { observers.add(body) }
}
