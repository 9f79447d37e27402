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
  /// others.
  /// *Thread*: any. *Cost*: O(records looked at), at most 8,192, and O(vector entries that rose).
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
      let row = try reader.spaceRow(number)
      var first = reading.after
      if options.seededBugs.vectorRisesPastHole {
        first = max(first, max(2, row?.arrival ?? 0) - 2)
      }
      let floors = try reader.floors(space: number)
      let place = RecentWindows.Place(
        space: number, after: first, vectorAfter: reading.vectorAfter, site: site,
        ownOnly: ownOnly)
      let known = row.flatMap { recentWindows.window(at: place, $0) }
      let told = PastVector(
        reader, space: number, at: reading.vectorAfter, rises, options.seededBugs,
        seqs: known?.told ?? [:])
      let lacking = Lacking(reading: reading, told: told, floors: floors, site: site)
      var sieve = Sieve(
        lacking, ofDevice: device, toLeaf: leaf, isWhole: reading.goesWhole && !ownOnly,
        bytesMax: bytesMax,
        options.seededBugs)
      if let known {
        for record in known.records {
          guard try sieve.take(record) else { return sieve.window }
        }
        return try sieve.ended(known.end, with: reading.audited, reader, space: number)
      }
      var records: [StoredRecord] = []
      var isWhole = true
      try reader.scan(space: number, after: first) { (record) throws(StoreError) in
        if records.count <= RecentWindows.recordsMax { records.append(record) }
        isWhole = try sieve.take(record)
        return isWhole
      }
      guard isWhole else { return sieve.window }
      let end = try end(of: number, space, reading.vectorAfter, row, reader, ownOnly: ownOnly)
      if let row {
        recentWindows.keep(
          RecentWindows.Window(row: row, records: records, told: sieve.lacking.told.seqs, end: end),
          at: place)
      }
      return try sieve.ended(end, with: reading.audited, reader, space: number)
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
  func position(
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

/// What one peer lacks: what it neither said that it holds nor was told.
private struct Lacking {
  let reading: Conversation.Reading
  /// What it was told, be it there or on its way.
  var told: PastVector
  /// Sites of which no more counts as held than this, whatever was said.
  let floors: [Site: UInt64]
  /// The store's own site.
  let site: Site

  mutating func lacks(_ dot: Dot) throws(StoreError) -> Bool {
    if let ownSeq = reading.ownSeq, dot.site == site, dot.seq > ownSeq { return true }
    if let floor = floors[dot.site], dot.seq > floor { return true }
    if reading.held.covers(dot) { return false }
    return try dot.seq > told.seq(of: dot.site)
  }
}

/// Takes of records what one peer lacks, until there is enough of it.
private struct Sieve {
  private(set) var window: PushWindow
  private(set) var lacking: Lacking
  private let device: UInt64?
  private let leaf: UInt64?
  /// Whether a record that came back goes whole: the peer may have let it go.
  private let isWhole: Bool
  private let bytesMax: Int
  private let bugs: SeededBugs
  private var byteCount = 0
  private var recordCount = 0

  init(
    _ lacking: Lacking, ofDevice device: UInt64?, toLeaf leaf: UInt64?, isWhole: Bool,
    bytesMax: Int,
    _ bugs: SeededBugs
  ) {
    window = PushWindow(changes: [], cursor: lacking.reading.after)
    self.lacking = lacking
    self.device = device
    self.leaf = leaf
    self.isWhole = isWhole
    self.bytesMax = bytesMax
    self.bugs = bugs
  }

  /// Takes what the peer lacks of a record; false, and nothing, where there is enough.
  mutating func take(_ record: StoredRecord) throws(StoreError) -> Bool {
    guard byteCount < bytesMax, recordCount < Store.windowRecordsMax else { return false }
    recordCount += 1
    window.cursor = record.arrival
    if bugs.deletedNotSent, !record.state.isAlive { return true }
    let (state, isAnew) = leaf.map(record.state.ofLeaf) ?? (record.state, false)
    var isWanted = isAnew && !bugs.broughtBackInPart
    // Of one that came back the peer may have let go what its vector covers.
    let wasDeleted = isWhole && !state.isSurelyAlive
    if wasDeleted, !bugs.cameBackInPart, state.cameBack {
      for cell in state.cells where !isWanted { isWanted = try lacking.lacks(cell.dot) }
      if isWanted {
        window.whole.append(RecordName(entity: record.key.entity, record: record.key.id))
      }
    }
    var cells: [Cell] = []
    for cell in state.cells {
      if !isWanted { guard try wants(cell) else { continue } }
      cells.append(cell)
    }
    if wasDeleted, !cells.isEmpty, cells.count < state.cells.count {
      // Nor may it be taken for alive where the peer has let the delete go, or for somebody else's.
      let device = lacking.site.device
      cells += state.cells.filter { cell in
        let isOwnCreation = cell.merge == .creation && cell.dot.site.device == device
        return (cell.merge == .deletion || isOwnCreation) && !cells.contains(cell)
      }
    }
    for cell in cells {
      window.changes.append(Change(entity: record.key.entity, record: record.key.id, cell: cell))
      byteCount += cell.approximateBytes
    }
    return true
  }

  /// Whether a cell goes with this push.
  private mutating func wants(_ cell: Cell) throws(StoreError) -> Bool {
    if let device, cell.dot.site.device != device { return false }
    return try lacking.lacks(cell.dot)
  }

  /// The window that ends a push, with records that go whole as far as there is room, one at least.
  mutating func ended(
    _ end: Conversation.WindowEnd, with audited: [RecordName], _ reader: RecordReader,
    space: Int64
  ) throws(StoreError) -> PushWindow {
    for name in audited where window.audited.isEmpty || byteCount < bytesMax {
      window.audited.append(name)
      guard let record = try reader.record(RecordKey(name), space: space) else { continue }
      let state = leaf.map { record.state.ofLeaf($0).state } ?? record.state
      for cell in state.cells where device.map({ $0 == cell.dot.site.device }) ?? true {
        window.changes.append(Change(entity: name.entity, record: name.record, cell: cell))
        byteCount += cell.approximateBytes
      }
    }
    window.cursor = end.cursor
    window.end = end
    if let device { window.end?.raised = end.raised.filter { $0.site.device == device } }
    return window
  }
}

extension RecordState {
  /// Whether it was deleted, and is alive all the same.
  var cameBack: Bool { cells.contains { $0.merge == .deletion } && isAlive }

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
