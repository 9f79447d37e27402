package import ReunionCore
public import ReunionDisk

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// How a store is opened.
public struct StoreOptions: Sendable {
  /// When a write is reported as done.
  public enum Durability: Sendable {
    /// When it is on the disk.
    case full
    /// When it survives the death of the program; a power cut may take the last seconds.
    case normal
  }

  /// When a write is reported as done.
  public var durability = Durability.full
  /// The wall clock, in milliseconds since 1970.
  public var wallMilliseconds: @Sendable () -> UInt64
  /// Whether the store is opened read-only, as it is: nothing is upgraded, repaired or noted, and
  /// writes throw `notWritable`. In a damaged store you can read what is on whole pages; the rest
  /// throws `damaged`.
  public var isReadOnly = false
  /// The disk that the store's folder is on.
  public var disk: any Disk = .system
  /// Random bits, for ids.
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
