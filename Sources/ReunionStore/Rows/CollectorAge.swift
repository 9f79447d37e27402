import ReunionCore
import ReunionDisk

/// The time that counts for collections: what passes of the store's time between two.
struct CollectorAge {
  private(set) var milliseconds: UInt64
  private var wall: UInt64

  private static let key = "collected"

  init(_ connection: Connection) throws(StoreError) {
    let statement = try connection.statement("SELECT value FROM reunion_meta WHERE key = ?1")
    defer { statement.reset() }
    try statement.bind(1, text: Self.key)
    (milliseconds, wall) = (0, 0)
    guard try statement.step() else { return }
    var reader = ByteReader(statement.bytes(0))
    guard let milliseconds = try? reader.integer(UInt64.self),
      let wall = try? reader.integer(UInt64.self)
    else { throw statement.damaged("the time of a collection") }
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
  func write(_ connection: Connection) throws(StoreError) {
    var writer = ByteWriter()
    writer.integer(milliseconds)
    writer.integer(wall)
    let insert = try connection.statement(
      "INSERT OR REPLACE INTO reunion_meta(key, value) VALUES(?1, ?2)")
    try insert.bind(1, text: Self.key)
    try insert.bind(2, writer.bytes)
    try insert.run()
  }
}
