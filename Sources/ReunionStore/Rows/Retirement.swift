import ReunionCore
import ReunionDisk

/// A site that its store gave up when it found itself rolled back, as a record: an entity that every
/// model has, and none may take.
///
/// Its changes above the floor may stand for others elsewhere, under the same numbers. From then on
/// no vector covers them: they go to everybody, and each replica has what any had.
enum Retirement {
  static let entity = ReservedEntity.retirement
  /// The field that holds the number of the site's last change that is the same everywhere.
  static let floorField: UInt32 = 1

  static func id(of site: Site) -> RecordID {
    RecordID(high: site.device, low: site.incarnation)
  }

  static func site(of record: RecordID) -> Site {
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
  /// The arrival at which a retired site became known last; 0 where none is.
  func lastRetirement(space: Int64) throws(StoreError) -> UInt64 {
    let select = try connection.statement(
      """
      SELECT max(arrival) FROM reunion_unknown_record \
      WHERE space = ?1 AND entity = \(Retirement.entity)
      """)
    defer { select.reset() }
    try select.bind(1, space)
    return try select.step() ? UInt64(bitPattern: select.int(0)) : 0
  }
}

extension RecordWriter {
  /// Has every peer compare a space in full when it comes again; what it told proves still whether it went
  /// back.
  func forgetPositions(space: Int64) throws(StoreError) {
    let select = try reader.connection.statement(
      "SELECT site, position FROM reunion_peer WHERE space = ?1")
    try select.bind(1, space)
    var kept: [(site: Int64, position: [UInt8])] = []
    do {
      defer { select.reset() }
      while try select.step() { kept.append((select.int(0), select.bytes(1))) }
    }
    let update = try reader.connection.statement(
      "UPDATE reunion_peer SET position = ?3 WHERE space = ?1 AND site = ?2")
    for (site, position) in kept {
      try update.bind(1, space)
      try update.bind(2, site)
      try update.bind(3, PeerPosition.proof(position))
      try update.run()
    }
  }

  /// Lowers what is said to be held of retired sites. Where anything was, everything is compared
  /// again: what was believed to be held may have been passed over.
  func lowerRetired(
    _ floors: [Site: UInt64], in space: inout SpaceState
  ) throws(StoreError) {
    var isLowered = false
    for (site, floor) in floors where space.vector[site] > floor {
      if !isLowered { space.arrival += 1 }
      isLowered = true
      try lower(site, to: floor, in: &space)
    }
    if isLowered { try forgetPositions(space: space.number) }
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
