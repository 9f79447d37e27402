import ReunionCore

/// In which order records arrived: what a peer is pushed that has everything up to some number.
///
/// An entry is added with each write of a record. The one before is stale from then on: the record's
/// row names another number. Stale entries are skipped by who reads, and removed many at a time, so
/// that a commit need not touch the page of each; after a crash some stay, and harm nothing.
final class ArrivalLog {
  static let create =
    """
    CREATE TABLE reunion_arrival(number INTEGER PRIMARY KEY, entity INTEGER NOT NULL, \
    record BLOB NOT NULL)
    """

  /// How many stale entries are kept before they are removed.
  private static let staleMax = 256

  private let connection: Connection
  private var insert: Statement?
  private var stale: [Int64] = []
  /// How many of them are from transactions that took place.
  private var settledCount = 0

  init(_ connection: Connection) { self.connection = connection }

  /// The row of an arrival: spaces have 2^23 numbers, arrivals in one 2^40.
  static func number(_ arrival: UInt64, space: Int64) -> Int64 {
    space << 40 | Int64(clamping: arrival)
  }

  /// Adds an entry of a record, which makes its earlier one stale.
  func add(
    _ arrival: UInt64, _ key: RecordKey, space: Int64, replacing previous: UInt64?
  ) throws(StoreError) {
    let statement = try inserting()
    try statement.bind(1, Self.number(arrival, space: space))
    try statement.bind(2, Int64(key.entity))
    try statement.bind(3, key.id)
    try statement.run()
    if let previous, previous != arrival { forget(previous, space: space) }
  }

  private func inserting() throws(StoreError) -> Statement {
    if let insert { return insert }
    let statement = try connection.statement(
      "INSERT OR REPLACE INTO reunion_arrival VALUES(?1, ?2, ?3)")
    insert = statement
    return statement
  }

  /// Makes an entry stale.
  func forget(_ arrival: UInt64, space: Int64) {
    stale.append(Self.number(arrival, space: space))
  }

  /// Removes stale entries where there are many, or all; at the end of a transaction.
  func sweep(all: Bool = false) throws(StoreError) {
    guard all ? !stale.isEmpty : stale.count >= Self.staleMax else { return settledCount = stale.count }
    let delete = try connection.statement("DELETE FROM reunion_arrival WHERE number = ?1")
    for number in stale.sorted() {
      try delete.bind(1, number)
      try delete.run()
    }
    stale.removeAll(keepingCapacity: true)
    settledCount = 0
  }

  /// Forgets what a transaction made stale that was rolled back.
  func rollBack() { stale.removeLast(max(stale.count - settledCount, 0)) }
}
