package import ReunionCore
import ReunionDisk

/// A site that its store gave up when it found itself rolled back, as a record: an entity that every
/// model has, and none may take.
///
/// Its changes above the floor may stand for others elsewhere, under the same numbers. From then on
/// no vector covers them: they go to everybody, and each replica has what any had.
package enum Retirement {
  package static let entity = ReservedEntity.retirement
  /// The field that holds the number of the site's last change that is the same everywhere.
  static let floorField: UInt32 = 1

  /// At which arrival less was said to be held last, because a site was given up: peers that were told
  /// something before then compare everything.
  static let create = """
    CREATE TABLE reunion_lowering(space INTEGER PRIMARY KEY, arrival INTEGER NOT NULL)
    """

  /// Takes every site that was given up for one that was held: an earlier version did.
  static func noteLowerings(_ connection: DatabaseConnection) throws(StoreError) {
    try connection.execute(
      """
      INSERT INTO reunion_lowering SELECT space, max(arrival) FROM reunion_unknown_record \
      WHERE entity = \(entity) GROUP BY space
      """)
  }

  static func id(of site: Site) -> RecordID {
    RecordID(high: site.device, low: site.incarnation)
  }

  package static func site(of record: RecordID) -> Site {
    Site(device: record.high, incarnation: record.low)
  }

  /// The record that retires a site, written as the first changes after another's.
  static func record(of site: Site, floor: UInt64, after dot: Dot, at stamp: Stamp) -> RecordState {
    let creation = Cell(
      field: Cell.existence, merge: .creation, dot: Dot(site: dot.site, seq: dot.seq + 1),
      stamp: stamp, value: .null)
    let register = Cell(
      field: floorField, merge: .register, dot: Dot(site: dot.site, seq: dot.seq + 2),
      stamp: stamp, value: .int(Int64(clamping: floor)))
    return RecordState([creation, register])
  }
}

extension RecordReader {
  /// The retired sites of a space, each with its floor. Cost: O(retired sites).
  func retired(space: Int64) throws(StoreError) -> [Site: UInt64] {
    let select = try connection.statement(
      """
      SELECT record, kind, value FROM reunion_unknown_cell \
      WHERE space = ?1 AND entity = \(Retirement.entity) AND field = \(Retirement.floorField)
      """)
    defer { select.reset() }
    try select.bind(1, space)
    var floors: [Site: UInt64] = [:]
    while try select.step() {
      let kind = ValueKind(rawValue: UInt8(truncatingIfNeeded: select.int(1)))
      let floor = Value(kind: kind, bytes: select.bytes(2)).int ?? 0
      floors[Retirement.site(of: try select.identifier(0))] = UInt64(clamping: floor)
    }
    return floors
  }
}

extension RecordReader {
  /// The arrival at which less was said to be held last; 0 where that never was.
  func lastLowering(space: Int64) throws(StoreError) -> UInt64 {
    let select = try connection.statement("SELECT arrival FROM reunion_lowering WHERE space = ?1")
    defer { select.reset() }
    try select.bind(1, space)
    return try select.step() ? UInt64(bitPattern: select.int(0)) : 0
  }
}

extension RecordWriter {
  /// Notes that less is said to be held from an arrival on.
  func noteLowering(space: Int64, at arrival: UInt64) throws(StoreError) {
    let insert = try reader.connection.statement(
      "INSERT OR REPLACE INTO reunion_lowering(space, arrival) VALUES(?1, ?2)")
    try insert.bind(1, space)
    try insert.bind(2, Int64(bitPattern: arrival))
    try insert.run()
  }

  /// Lowers what is said to be held of retired sites; returns those of which more was.
  func lowerRetired(
    _ floors: [Site: UInt64], in space: inout SpaceState
  ) throws(StoreError) -> [Site: UInt64] {
    let lowered = floors.filter { space.vector[$0.key] > $0.value }
    guard !lowered.isEmpty else { return [:] }
    space.arrival += 1
    for (site, floor) in lowered { try lower(site, to: floor, in: &space) }
    return lowered
  }

  /// Has records arrive again that have changes of some sites above their floors, so that each peer gets
  /// them once, whatever it was believed to hold. Cost: reads every record.
  func arriveAgain(_ floors: [Site: UInt64], in space: inout SpaceState) throws(StoreError) {
    var found: [StoredRecord] = []
    try reader.forEach(space: space.number) { record in
      let isAbove = record.state.cells.contains { cell in
        floors[cell.dot.site].map { cell.dot.seq > $0 } ?? false
      }
      if isAbove { found.append(record) }
    }
    for record in found {
      space.arrival += 1
      try write(
        StoredRecord(key: record.key, state: record.state, arrival: space.arrival), over: record,
        space: space.number)
    }
  }
}

extension VersionVector {
  /// The vector without what is above the floors of retired sites.
  func lowered(to floors: [Site: UInt64]) -> VersionVector {
    var vector = self
    for (site, floor) in floors where vector[site] > floor {
      vector.remove(site)
      vector.raise(site, to: floor)
    }
    return vector
  }
}
