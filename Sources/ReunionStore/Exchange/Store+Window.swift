package import ReunionCore
import ReunionDisk

extension Store {
  /// Records that one window looks at, so that a reader of a large space does not take long.
  static let windowRecordsMax = 8192

  /// Reads a part of a push in one transaction: records that arrived after `reading.after`, until
  /// their changes have about `bytesMax` bytes or nothing is left. A record is never split.
  ///
  /// A leaf sends what its own `device` wrote alone. To a leaf (`toLeaf`, its device) a deleted record
  /// goes without the values that others wrote, and one that came back goes whole. The window in which
  /// nothing is left ends the push: who takes all of its windows may raise its vector by what the end
  /// names. A position of a push that has this device's own changes alone (`ownOnly`) is worth nothing to
  /// others. *Thread*: any. *Cost*: O(records looked at), at most 8,192, and O(vector entries that rose).
  package func window(
    in space: SpaceID, _ reading: Conversation.Reading, ofDevice device: UInt64? = nil,
    ownOnly: Bool = false, toLeaf leaf: UInt64? = nil, bytesMax: Int
  ) throws -> PushWindow {
    let site = site(in: space)
    return try readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else {
        return PushWindow(
          changes: [], cursor: 0, end: Conversation.WindowEnd(cursor: 0, position: [], raised: []))
      }
      var reading = reading
      reading.held = reading.held.lowered(to: try reader.retired(space: number))
        .lowered(to: try reader.doubted(space: number))
      let row = try reader.spaceRow(number)
      var first = reading.after
      if options.seededBugs.vectorRisesPastHole {
        first = max(first, max(2, row?.arrival ?? 0) - 2)
      }
      var sieve = Sieve(
        reading, of: site, ofDevice: device, toLeaf: leaf, bytesMax: bytesMax, options.seededBugs)
      let place = RecentWindows.Place(
        space: number, after: first, vectorAfter: reading.vectorAfter, site: site,
        ownOnly: ownOnly)
      if let row, let known = recentWindows.window(at: place, row) {
        guard known.records.allSatisfy({ sieve.take($0) }) else { return sieve.window }
        return sieve.ended(known.end)
      }
      var records: [StoredRecord] = []
      var isWhole = true
      try reader.scan(space: number, after: first) { record in
        if records.count <= RecentWindows.recordsMax { records.append(record) }
        isWhole = sieve.take(record)
        return isWhole
      }
      guard isWhole else { return sieve.window }
      let end = try end(of: number, space, reading.vectorAfter, row, reader, ownOnly: ownOnly)
      if let row {
        recentWindows.keep(
          RecentWindows.Window(row: row, records: records, end: end), at: place)
      }
      return sieve.ended(end)
    }
  }

  private func end(
    of number: Int64, _ space: SpaceID, _ vectorAfter: UInt64, _ row: SpaceRow?,
    _ reader: RecordReader, ownOnly: Bool
  ) throws(StoreError) -> Conversation.WindowEnd {
    Conversation.WindowEnd(
      cursor: row?.arrival ?? 0,
      position: try position(in: space, number, row, reader, ownOnly: ownOnly),
      raised: try reader.raised(space: number, after: vectorAfter, row))
  }

  /// The position of a space as of now.
  private func position(
    in space: SpaceID, _ number: Int64, _ row: SpaceRow?, _ reader: RecordReader,
    ownOnly: Bool
  ) throws(StoreError) -> [UInt8] {
    guard let row, row.arrival > 0, !positionKey.isEmpty else { return [] }
    let incarnation = UInt32(truncatingIfNeeded: site(in: space).incarnation)
    func point(upTo arrival: UInt64) throws(StoreError) -> StorePosition.Point {
      let tags =
        row.tags.last(upTo: arrival) != nil
        ? row.tags : try reader.tags(space: number, upTo: arrival)
      guard let tags, let run = tags.last(upTo: arrival) else {
        return StorePosition.Point(tag: 0, ownSeq: 0)
      }
      // Under an earlier incarnation there were none of this one's.
      return StorePosition.Point(
        tag: run.tag, ownSeq: tags.incarnation == incarnation ? run.ownSeq : 0)
    }
    var earlier: [StorePosition.Point] = []
    for mark in StorePosition.marks(before: row.arrival) { earlier.append(try point(upTo: mark)) }
    return StorePosition(
      arrival: row.arrival, incarnation: incarnation, last: try point(upTo: row.arrival),
      earlier: earlier
    ).encoded(key: positionKey, space: space, ownOnly: ownOnly)
  }
}

/// Takes of records what one peer lacks, until there is enough of it.
private struct Sieve {
  private(set) var window: PushWindow
  private let reading: Conversation.Reading
  private let site: Site
  private let device: UInt64?
  private let leaf: UInt64?
  private let bytesMax: Int
  private let bugs: SeededBugs
  private var byteCount = 0
  private var recordCount = 0

  init(
    _ reading: Conversation.Reading, of site: Site, ofDevice device: UInt64?, toLeaf leaf: UInt64?,
    bytesMax: Int, _ bugs: SeededBugs
  ) {
    window = PushWindow(changes: [], cursor: reading.after)
    self.reading = reading
    self.site = site
    self.device = device
    self.leaf = leaf
    self.bytesMax = bytesMax
    self.bugs = bugs
  }

  /// Takes what the peer lacks of a record; false, and nothing, where there is enough.
  mutating func take(_ record: StoredRecord) -> Bool {
    guard byteCount < bytesMax, recordCount < Store.windowRecordsMax else { return false }
    recordCount += 1
    window.cursor = record.arrival
    if bugs.deletedNotSent, !record.state.isAlive { return true }
    let (state, isAnew) = leaf.map(record.state.ofLeaf) ?? (record.state, false)
    let isWanted = isAnew && !bugs.broughtBackInPart
    for cell in state.cells where isWanted || reading.wants(cell, of: site, device) {
      window.changes.append(Change(entity: record.key.entity, record: record.key.id, cell: cell))
      byteCount += cell.approximateBytes
    }
    return true
  }

  /// The window that ends a push.
  func ended(_ end: Conversation.WindowEnd) -> PushWindow {
    var window = window
    window.cursor = end.cursor
    window.end = end
    if let device { window.end?.raised = end.raised.filter { $0.site.device == device } }
    return window
  }
}

extension Conversation.Reading {
  /// Whether a cell goes with this push.
  fileprivate func wants(_ cell: Cell, of site: Site, _ device: UInt64?) -> Bool {
    let dot = cell.dot
    if let device, dot.site.device != device { return false }
    if let ownSeq, dot.site == site, dot.seq > ownSeq { return true }
    return !held.covers(dot)
  }
}

extension RecordState {
  /// What a leaf is sent of a record, and whether it may lack any of it, whatever its vector says. What
  /// its own device wrote goes whole: it may have to bring that back.
  fileprivate func ofLeaf(_ device: UInt64) -> (state: RecordState, isAnew: Bool) {
    guard !isSurelyAlive else { return (self, false) }
    guard isDeleted else { return (self, cells.contains { $0.merge == .deletion }) }
    return (RecordState(cells.map { $0.dot.site.device == device ? $0 : $0.hollow }), false)
  }
}

extension RecordReader {
  /// The entries of a space's vector that rose after an arrival, by site. Cost: O(entries found).
  func raised(
    space: Int64, after arrival: UInt64, _ row: SpaceRow?
  ) throws(StoreError) -> [Dot] {
    let select = try connection.statement(
      "SELECT site, seq FROM reunion_vector WHERE space = ?1 AND at > ?2")
    defer { select.reset() }
    try select.bind(1, space)
    try select.bind(2, Int64(bitPattern: arrival))
    var vector = VersionVector()
    while try select.step() {
      vector.raise(try numbers.site(select.int(0)), to: UInt64(bitPattern: select.int(1)))
    }
    if let row, let last = row.lastSite, row.lastAt > arrival {
      vector.raise(try numbers.site(last), to: row.lastSeq)
    }
    return vector.entries
  }
}
