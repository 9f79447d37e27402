import ReunionCore
package import ReunionDisk

/// In which order records arrived: what a peer is pushed that has everything up to some number.
///
/// A row names 64 records that arrived one after the other; its number is that of the first one. The
/// newest entries, too few for a row, stand in the row of their space, which each commit writes in
/// any case. When a record arrives again, its earlier entry is stale: the record names another
/// number. Stale entries are skipped by who reads, and removed many at a time, so that a commit need
/// not touch the page of each; after a crash some stay, and harm nothing.
package final class ArrivalLog {
  static let create =
    "CREATE TABLE reunion_arrival(number INTEGER PRIMARY KEY, records BLOB NOT NULL)"

  /// How many stale entries are kept before they are removed.
  private static let staleMax = 1024

  private let connection: DatabaseConnection
  /// What the transaction that is under way has added.
  private var added: [Int64: [(arrival: UInt64, key: RecordKey)]] = [:]
  private var stale: [Int64] = []
  /// How many of them are from transactions that took place.
  private var settledCount = 0

  init(_ connection: DatabaseConnection) { self.connection = connection }

  /// The number of an arrival: spaces have 2^23 numbers, arrivals in one 2^40.
  static func number(_ arrival: UInt64, space: Int64) -> Int64 {
    space << 40 | Int64(clamping: arrival)
  }

  /// The space of a row.
  package static func space(_ number: Int64) -> Int64 { number >> 40 }

  /// What the transaction that is under way has added for a space.
  func added(_ space: Int64) -> [RecordKey] { added[space]?.map(\.key) ?? [] }

  /// Adds an entry of a record, which makes its earlier one stale. Numbers rise.
  func add(_ arrival: UInt64, _ key: RecordKey, space: Int64, replacing previous: UInt64?) {
    added[space, default: []].append((arrival, key))
    if let previous { forget(previous, space: space) }
  }

  /// Makes an entry stale.
  func forget(_ arrival: UInt64, space: Int64) {
    stale.append(Self.number(arrival, space: space))
  }

  /// Writes the rows that have become full; the space's row is for the caller to write.
  package func finish(_ space: inout SpaceState) throws(StoreError) {
    for (arrival, key) in added.removeValue(forKey: space.number) ?? [] {
      // A number under which nothing arrived is an entry that was always stale.
      while space.recent.end < arrival { try add(nil, to: &space) }
      try add(key, to: &space)
    }
    while space.recent.end <= space.arrival { try add(nil, to: &space) }
    if stale.count >= Self.staleMax { try sweep() }
  }

  private func add(_ key: RecordKey?, to space: inout SpaceState) throws(StoreError) {
    space.recent.append(key)
    guard space.recent.count == Arrivals.countMax else { return }
    let insert = try connection.statement("INSERT INTO reunion_arrival VALUES(?1, ?2)")
    try insert.bind(1, Self.number(space.recent.first, space: space.number))
    try insert.bind(2, space.recent.bytes)
    try insert.run()
    space.recent = Arrivals(first: space.recent.end)
  }

  /// Notes that a transaction took place.
  func settle() { settledCount = stale.count }

  /// Forgets what a transaction did that was rolled back.
  func rollBack() { rollBack(to: settledCount) }

  /// Where a part of a transaction begins that may be rolled back alone.
  var mark: Int { stale.count }

  /// Forgets what was done since a mark.
  func rollBack(to mark: Int) {
    added.removeAll()
    stale.removeLast(max(stale.count - mark, 0))
  }

  /// Empties stale entries, and removes rows in which no other is left; in a transaction.
  func sweep() throws(StoreError) {
    var numbers = stale.sorted()[...]
    var waiting: [Int64] = []
    while let number = numbers.first {
      let select = try connection.statement(
        "SELECT number, records FROM reunion_arrival WHERE number <= ?1 ORDER BY number DESC LIMIT 1"
      )
      try select.bind(1, number)
      guard try select.step() else {
        waiting.append(number)
        numbers = numbers.dropFirst()
        continue
      }
      let first = select.int(0)
      var keys = try Arrivals.keys(select.bytes(1), select)
      select.reset()
      let end = first + Int64(keys.count)
      let mine = numbers.prefix { $0 < end }
      if mine.isEmpty { waiting.append(number) }
      numbers = numbers.dropFirst(max(mine.count, 1))
      for number in mine { keys[Int(number - first)] = nil }
      if !mine.isEmpty { try write(keys, at: first) }
    }
    // Those that no row holds yet stand in the row of their space. What a rollback takes from here is
    // stale all the same, and skipped by who reads.
    stale = waiting.count < Self.staleMax / 2 ? waiting : []
    settledCount = 0
  }

  private func write(_ keys: [RecordKey?], at first: Int64) throws(StoreError) {
    let isEmpty = keys.allSatisfy { $0 == nil }
    let statement = try connection.statement(
      isEmpty
        ? "DELETE FROM reunion_arrival WHERE number = ?1"
        : "UPDATE reunion_arrival SET records = ?2 WHERE number = ?1")
    try statement.bind(1, first)
    if !isEmpty {
      var row = Arrivals(first: 0)
      for key in keys { row.append(key) }
      try statement.bind(2, row.bytes)
    }
    try statement.run()
  }
}

/// Records that arrived one after the other; some entries may be stale.
package struct Arrivals {
  static let countMax = 64

  /// The number of the first one.
  let first: UInt64
  private(set) var count = 0
  /// Of each its entity and id, the upper half as its difference from the one before, since ids of
  /// one time are close; 0 for a stale one.
  private(set) var bytes: [UInt8] = []
  /// The upper half of the last id.
  private var lastHigh: UInt64 = 0

  init(first: UInt64) { self.first = first }

  init(first: UInt64, _ keys: [RecordKey?]) {
    self.first = first
    for key in keys { append(key) }
  }

  /// The number of the next one.
  var end: UInt64 { first + UInt64(count) }

  mutating func append(_ key: RecordKey?) {
    bytes.varint(UInt64(key?.entity ?? 0))
    if let key {
      bytes.varint(PackedClock.zigzag(key.id.high, lastHigh))
      bytes.integer(key.id.low)
      lastHigh = key.id.high
    }
    count += 1
  }

  /// Reads what `bytes` holds, which a statement has read.
  package static func keys(_ bytes: [UInt8], _ statement: Statement) throws(StoreError)
    -> [RecordKey?]
  {
    guard let keys = bytes.withUnsafeBytes({ try? keys($0) }) else {
      throw statement.damaged("an arrival")
    }
    return keys
  }

  private static func keys(_ bytes: UnsafeRawBufferPointer) throws(WireError) -> [RecordKey?] {
    var input = ClockInput(bytes)
    var keys: [RecordKey?] = []
    var high: UInt64 = 0
    while input.remaining > 0 {
      let entity = UInt32(truncatingIfNeeded: try input.varint())
      guard entity != 0 else {
        keys.append(nil)
        continue
      }
      high = PackedClock.unzigzag(try input.varint(), high)
      let id = RecordID(high: high, low: try input.integer())
      keys.append(RecordKey(entity: entity, id: id))
    }
    return keys
  }
}
