import ReunionCore
import ReunionDisk

/// The time that counts for collections: what passes of the store's time between two.
struct CollectorAge {
  private(set) var milliseconds: UInt64
  private var wall: UInt64

  private static let key = "collected"

  init(_ connection: DatabaseConnection) throws(StoreError) {
    (milliseconds, wall) = (0, 0)
    guard let kept = try connection.kept(Self.key) else { return }
    var reader = ByteReader(kept)
    guard let milliseconds = try? reader.integer(UInt64.self),
      let wall = try? reader.integer(UInt64.self)
    else { throw connection.damaged("the time of a collection") }
    (self.milliseconds, self.wall) = (milliseconds, wall)
  }

  /// The age at the next collection: later in any case, by half of the grace at most.
  func advanced(to now: UInt64, _ graceMilliseconds: UInt64) -> CollectorAge {
    var next = self
    let passed = wall == 0 || now < wall ? 0 : now - wall
    next.milliseconds += max(1, min(passed, graceMilliseconds / 2))
    next.wall = now
    return next
  }

  /// Keeps it, in the transaction that is under way.
  func write(_ connection: DatabaseConnection) throws(StoreError) {
    var writer = ByteWriter()
    writer.integer(milliseconds)
    writer.integer(wall)
    try connection.keep(writer.bytes, as: Self.key)
  }
}
