/// What should go wrong on a simulated disk.
///
/// ```swift
/// let disk = SimulatedDisk(seed: 1)
/// var options = StoreOptions()
/// options.disk = disk
/// let full = try Store.open(folder: "/album", model: Model(Album.schema), options: options)
/// disk.faults.capacityBytes = disk.byteCount
/// do { try full.write(in: space) { try $0.create(album) } } catch { print(error) }    // diskFull
/// disk.faults = DiskFaults()
/// try full.write(in: space) { try $0.create(album) }    // goes on
/// ```
public struct DiskFaults: Hashable, Sendable {
  /// The calls that fail with `ioFailed`, by `SimulatedDisk.callCount`: the first call is 1.
  public var failingCalls: Range<Int>?
  /// How many bytes all files may have together; a call that needs more fails with `diskFull`.
  public var capacityBytes: UInt64?

  /// No faults.
  public init() {}
}

/// What kind of call a disk gets.
enum DiskCall {
  case read, write, name, sync, syncFolder

  /// Whether a power cut after it may leave something else than one before it.
  var isChange: Bool { self != .read }
}
