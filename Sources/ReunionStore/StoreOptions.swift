package import ReunionCore
public import ReunionDisk

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How a store is opened. The defaults are right for an app; tests change the clock, the disk and
/// the random bits.
///
/// ```swift
/// var options = StoreOptions()
/// options.durability = .normal
/// options.wallMilliseconds = { 1_700_000_000_000 }
/// let opened = try Store.open(folder: "album", model: model, options: options)
/// ```
/// An option holds for one opening: a store may be opened with others the next time.
public struct StoreOptions: Sendable {
  /// When a write is reported as done. A store may be opened with another one at any time.
  public enum Durability: Sendable {
    /// When it is on the disk: SQLite's log is synced at each commit (`synchronous = FULL`). After
    /// a power cut everything is there that was reported.
    case full
    /// When it survives the death of the program: the log is synced only now and then (`synchronous
    /// = NORMAL`), and a write costs far less. A power cut may take the last writes, and never one
    /// in the middle: what stays is whole.
    case normal
  }

  /// When a write is reported as done: `full`, unless you say otherwise.
  public var durability = Durability.full
  /// The wall clock, in milliseconds since 1970.
  ///
  /// New ids and the stamps of writes are made of it, and what is deleted for its age goes by it
  /// (`SettledTime`). It is called on any thread, for each write and for each new id. It may jump:
  /// writes are ordered all the same, since a stamp is later than what its author had seen.
  public var wallMilliseconds: @Sendable () -> UInt64
  /// Whether the store is opened read-only, as it is: nothing is upgraded, repaired or noted, and
  /// writes throw `notWritable`. Its lock is taken all the same, so that the folder must not be
  /// open elsewhere.
  ///
  /// In a damaged store you can read what is on whole pages; the rest throws `damaged`. A model
  /// that needs columns which the store lacks is refused with `invalidModel`.
  ///
  /// ```swift
  /// var options = StoreOptions()
  /// options.isReadOnly = true
  /// let saved = try Store.open(folder: "album", model: model, options: options)
  /// print(try saved.count(Query<Photo>(in: space)))
  /// ```
  public var isReadOnly = false
  /// The disk that the store's folder is on. A test gives one that fails on purpose
  /// (`ReunionTesting.SimulatedDisk`).
  public var disk: any Disk = .system
  /// Random bits: for ids, for the device's number, and for what tells copies of a store apart. A
  /// test gives its own to repeat a run; an app must not, since two stores that draw the same take
  /// each other for one.
  public var random: @Sendable () -> UInt64
  /// Faults that the simulator must find; none outside of it.
  package var seededBugs = SeededBugs()
  /// About how many changes of a guest's push are merged in one commit.
  package var sliceChanges = 500
  /// After how many pages the write-ahead log is taken into the database; tests make it small.
  package var checkpointPages = 2000
  /// How much of the file the connection that writes keeps in memory; tests make it small.
  package var writerCacheKibibytes = 8192
  /// Whether pages carry checksums; only a control in tests goes without.
  package var checksums = true

  /// Whether pages are checked when they are read.
  package var checksPages: Bool { checksums && !seededBugs.checksumsNotChecked }

  /// The defaults: durable, on the system's clock and randomness.
  public init() {
    wallMilliseconds = {
      var now = timespec()
      guard clock_gettime(CLOCK_REALTIME, &now) == 0 else { return 0 }
      return UInt64(clamping: now.tv_sec) * 1000 + UInt64(clamping: now.tv_nsec) / 1_000_000
    }
    random = { UInt64.random(in: 0 ... .max) }
  }
}
