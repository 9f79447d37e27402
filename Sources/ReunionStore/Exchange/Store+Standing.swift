package import ReunionCore
import ReunionDisk

/// What something is made of: who wrote it, the arrival at which that changed last, and the blobs that it names.
package struct Makeup: Hashable, Sendable {
  package var dots: [Dot]
  package var arrival: UInt64
  package var blobs: Set<BlobHash>
}

/// What a store knows for those who ask what stands where.
extension Store {
  /// How far this store has come with a space: what stands here by now, and the blobs but for those that are
  /// missing. Where more are missing than a message tells, it says of none that they are here. *Cost*: a look at
  /// each blob that the space names.
  package func standing(in space: SpaceID) throws -> ReplicaStanding {
    let arrival = try arrival(of: space)
    // After the arrival: what came meanwhile may be missing, too.
    let missing = try blobs.missing(in: space, limit: StandingUpdate.missingMax + 1).map(\.hash)
    guard missing.count <= StandingUpdate.missingMax else {
      return ReplicaStanding(changes: arrival, blobs: 0)
    }
    return ReplicaStanding(changes: arrival, blobs: arrival, missing: missing)
  }

  /// The arrivals at or below which all stands here that devices wrote, in their order; 0 for one of which
  /// nothing is held. *Cost*: a handful of rows for each.
  package func arrivals(
    ofDevices devices: [UInt64], in space: SpaceID
  ) throws -> [UInt64] {
    try readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else {
        return devices.map { _ in 0 }
      }
      var arrivals: [UInt64] = []
      for device in devices { arrivals.append(try reader.arrival(ofDevice: device, space: number)) }
      return arrivals
    }
  }

  /// The devices whose registers name blobs in living records of a space, of each blob. *Cost*: O(records that name
  /// them).
  package func namers(
    of hashes: Set<BlobHash>, in space: SpaceID
  ) throws -> [BlobHash: Set<UInt64>] {
    guard !hashes.isEmpty else { return [:] }
    return try readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return [:] }
      var found: [BlobHash: Set<UInt64>] = [:]
      for hash in hashes {
        found[hash] = Set(try reader.namers(of: hash, space: number).map(\.device))
      }
      return found
    }
  }

  /// The last changes of a device that are held here, of each of its sites, and the highest arrival: what it has
  /// written stands here by then.
  package func ownChanges(in space: SpaceID) throws -> (dots: [Dot], arrival: UInt64) {
    let device = device(in: space)
    return try readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return ([], 0) }
      return (
        try reader.vector(space: number, ofDevice: device).entries,
        try reader.arrival(space: number)
      )
    }
  }

  /// Of how many records what this device wrote arrived after an arrival, up to `recordsMax`, and the bytes of it.
  /// *Cost*: O(records that arrived since).
  package func unsent(
    after arrival: UInt64, in space: SpaceID, recordsMax: Int
  ) throws -> (recordCount: Int, byteCount: UInt64) {
    let site = site(in: space)
    return try readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return (0, 0) }
      return try reader.unsent(after: arrival, by: site, space: number, recordsMax: recordsMax)
    }
  }

  /// What a record is made of as it stands; nil where nothing is known of it.
  package func makeup(
    of id: RecordID, entity: UInt32, in space: SpaceID
  ) throws -> Makeup? {
    try readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space),
        let record = try reader.record(RecordKey(entity: entity, id: id), space: number)
      else { return nil }
      let blobs = record.state.isAlive ? record.state.cells.compactMap(\.value.blob?.hash) : []
      return Makeup(
        dots: record.state.cells.map(\.dot), arrival: record.arrival, blobs: Set(blobs))
    }
  }

  /// What names a blob in living records; nil where nothing does. *Cost*: O(records that name it).
  package func makeup(of blob: BlobHash, in space: SpaceID) throws -> Makeup? {
    try readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return nil }
      let statement = try reader.connection.statement(
        "SELECT record, entity FROM reunion_blob_reference WHERE hash = ?1 AND space = ?2")
      defer { statement.reset() }
      try statement.bind(1, blob.bytes)
      try statement.bind(2, number)
      var makeup = Makeup(dots: [], arrival: 0, blobs: [blob])
      while try statement.step() {
        let key = RecordKey(
          entity: UInt32(truncatingIfNeeded: statement.int(1)), id: try statement.identifier(0))
        guard let record = try reader.record(key, space: number), record.state.isAlive else {
          continue
        }
        makeup.dots += record.state.cells.filter { $0.value.blob?.hash == blob }.map(\.dot)
        makeup.arrival = max(makeup.arrival, record.arrival)
      }
      return makeup.dots.isEmpty ? nil : makeup
    }
  }
}

extension RecordReader {
  /// The arrival at which what a device wrote was held last.
  fileprivate func arrival(ofDevice device: UInt64, space: Int64) throws(StoreError) -> UInt64 {
    var arrival: UInt64 = 0
    for dot in try vector(space: space, ofDevice: device).entries {
      guard let site = try numbers.existingNumber(of: dot.site) else { continue }
      arrival = max(arrival, try entry(of: site, space: space)?.at ?? 0)
    }
    return arrival
  }

  /// As `Store.unsent`.
  func unsent(
    after arrival: UInt64, by site: Site, space: Int64, recordsMax: Int
  ) throws(StoreError) -> (recordCount: Int, byteCount: UInt64) {
    var (recordCount, byteCount): (Int, UInt64) = (0, 0)
    guard let row = try spaceRow(space) else { return (0, 0) }
    // Of a commit of long ago the number may be lower: then what others wrote over it counts, too.
    let isRecent = row.tags.last(upTo: arrival) != nil
    let tags = isRecent ? row.tags : try tags(space: space, upTo: arrival)
    let isPresent = tags?.incarnation == UInt32(truncatingIfNeeded: site.incarnation)
    let sentSeq = isPresent ? tags?.last(upTo: arrival)?.ownSeq ?? 0 : 0
    try scan(space: space, after: arrival) { record in
      let own = record.state.cells.filter { $0.dot.site == site && $0.dot.seq > sentSeq }
      recordCount += own.isEmpty ? 0 : 1
      byteCount += own.reduce(0) { $0 + UInt64($1.value.bytes.count) }
      return recordCount < recordsMax
    }
    return (recordCount, byteCount)
  }
}
