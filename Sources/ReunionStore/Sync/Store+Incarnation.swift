package import ReunionCore
import ReunionFlow

extension Store {
  /// Writes under a new incarnation from now on, because a peer holds more of `site` than this store
  /// wrote: it was rolled back or copied. Durable when this returns.
  ///
  /// What the peer is not known to hold is issued anew: its numbers may name other changes there,
  /// which are fetched again. Does nothing where this store writes under another site already.
  /// Cost: reads every record.
  package func mintIncarnation(after site: Site, found peer: Site) throws {
    let commits = try gate.pass { (writer) throws(StoreError) -> [Commit] in
      guard self.site == site else { return [] }
      let records = try writer.ready(database: database, layout: layout)
      let identity = Identity(
        connection: records.reader.connection, folder: folder, options: options)
      let new = Site(device: site.device, incarnation: options.random())
      let clock = writer.clock.last
      let commits: [Commit]
      do throws(StoreError) {
        commits = try records.reader.connection.transaction { () throws(StoreError) in
          try identity.write(incarnation: new.incarnation)
          guard !options.seededBugs.contains(.rolledBackWritesStay) else { return [] }
          // The log names changes by their old numbers.
          try records.reader.connection.execute("DELETE FROM reunion_undo")
          let commits = try records.reissue(site, as: new, beyond: peer, clock: clock)
          for commit in commits { liveQueries.mark(commit) }
          return commits
        }
      } catch {
        writer.recover(from: error)
        throw error
      }
      records.arrivals.settle()
      writer.spaces = [:]
      currentSite.withLock { $0 = new }
      return commits
    }
    tell(commits)
  }
}

extension RecordWriter {
  /// Notes what a peer holds of one's own site.
  func setHeld(of site: Site, by peer: Int64, space: Int64, to seq: UInt64) throws(StoreError) {
    let insert = try reader.connection.statement(
      "INSERT OR REPLACE INTO reunion_peer_held(space, peer, site, seq) VALUES(?1, ?2, ?3, ?4)")
    try insert.bind(1, space)
    try insert.bind(2, peer)
    try insert.bind(3, try reader.numbers.number(of: site))
    try insert.bind(4, Int64(bitPattern: seq))
    try insert.run()
  }

  /// Issues a site's changes anew in every space, beyond those that a peer is known to hold.
  fileprivate func reissue(
    _ old: Site, as new: Site, beyond peer: Site, clock: Stamp
  ) throws(StoreError) -> [Commit] {
    var commits: [Commit] = []
    for id in try reader.spaces() {
      let before = try space(id)
      guard before.vector[old] > 0 else { continue }
      var reissue = Reissue(
        records: self, space: before.number, old: old, new: new,
        floor: try held(of: old, by: peer, space: before.number))
      var after = before
      try reissue.run(arrival: &after.arrival)
      try lower(old, to: reissue.floor, in: &after)
      after.vector.raise(new, to: reissue.lastSeq)
      try write(&after, over: before, clock: clock)
      commits.append(Commit(space: id, arrival: after.arrival, touches: reissue.touches))
    }
    return commits
  }

  private func held(of site: Site, by peer: Site, space: Int64) throws(StoreError) -> UInt64 {
    guard let peer = try reader.numbers.existingNumber(of: peer),
      let site = try reader.numbers.existingNumber(of: site)
    else { return 0 }
    let statement = try reader.connection.statement(
      "SELECT seq FROM reunion_peer_held WHERE space = ?1 AND peer = ?2 AND site = ?3")
    defer { statement.reset() }
    try statement.bind(1, space)
    try statement.bind(2, peer)
    try statement.bind(3, site)
    return try statement.step() ? UInt64(bitPattern: statement.int(0)) : 0
  }
}

/// Gives the changes of one site new numbers under another, in the order that they had.
///
/// Stamps and values stay. A delete names what it saw by dots, so that each delete that saw a
/// re-issued change gets a form that names it anew.
private struct Reissue {
  let records: RecordWriter
  let space: Int64
  let old: Site
  let new: Site
  /// The changes up to this one keep their numbers.
  let floor: UInt64
  private(set) var touches = Touches()
  private(set) var lastSeq: UInt64 = 0
  /// The old numbers, rising; the new one is the position, from 1.
  private var seqs: [UInt64] = []

  init(records: RecordWriter, space: Int64, old: Site, new: Site, floor: UInt64) {
    self.records = records
    self.space = space
    self.old = old
    self.new = new
    self.floor = floor
  }

  mutating func run(arrival: inout UInt64) throws(StoreError) {
    let number = try records.reader.numbers.number(of: old)
    var found: [StoredRecord] = []
    var seqs = Set(try conflictSeqs(number))
    for entity in try records.reader.entities(space: space) {
      try records.reader.forEach(entity: entity, space: space) { (record) throws(StoreError) in
        let own = record.state.cells.filter(isReissued)
        seqs.formUnion(own.map(\.dot.seq))
        if !own.isEmpty || record.state.cells.contains(where: { namesReissued($0) }) {
          found.append(record)
        }
      }
    }
    self.seqs = seqs.sorted()
    lastSeq = UInt64(seqs.count)
    for record in found {
      var state = RecordState()
      for cell in record.state.cells {
        for form in forms(of: cell) { _ = state.merge(form) }
      }
      arrival += 1
      try records.write(
        StoredRecord(key: record.key, state: state, arrival: arrival), over: record, space: space)
      touches.add(record.key, .all)
    }
    try renumberConflicts(number)
  }

  private func isReissued(_ cell: Cell) -> Bool {
    cell.dot.site == old && cell.dot.seq > floor
  }

  private func namesReissued(_ cell: Cell) -> Bool {
    if let seen = cell.seen { return seen[old] > floor }
    return cell.namedItem.map { $0.site == old && $0.seq > floor } ?? false
  }

  /// What a cell becomes; another site's that names a renumbered change stays, beside one of ours
  /// with the new names.
  private mutating func forms(of cell: Cell) -> [Cell] {
    var renamed = cell
    if isReissued(cell) { renamed.dot = Dot(site: new, seq: newSeq(upTo: cell.dot.seq)) }
    guard namesReissued(cell) else { return [renamed] }
    if let seen = cell.seen {
      var sight = VersionVector()
      for dot in seen.entries where dot.site != old { sight.raise(dot.site, to: dot.seq) }
      sight.raise(old, to: floor)
      sight.raise(new, to: newSeq(upTo: seen[old]))
      renamed.value =
        cell.removedMember.map { Cell.memberRemovalValue(of: $0, seen: sight) }
        ?? Cell.deletionValue(seen: sight)
    } else if let item = cell.namedItem {
      let item = Dot(site: new, seq: newSeq(upTo: item.seq))
      renamed.value =
        cell.position.map { Cell.placeValue(of: item, at: $0) } ?? Cell.itemRemovalValue(of: item)
    }
    if isReissued(cell) { return [renamed] }
    lastSeq += 1
    renamed.dot = Dot(site: new, seq: lastSeq)
    return [cell, renamed]
  }

  /// The new number of the last old one up to `seq`.
  private func newSeq(upTo seq: UInt64) -> UInt64 {
    var low = 0
    var high = seqs.count
    while low < high {
      let middle = (low + high) / 2
      if seqs[middle] <= seq { low = middle + 1 } else { high = middle }
    }
    return UInt64(low)
  }

  private func conflictSeqs(_ site: Int64) throws(StoreError) -> [UInt64] {
    let statement = try records.reader.connection.statement(
      "SELECT DISTINCT seq FROM reunion_conflict WHERE space = ?1 AND site = ?2 AND seq > ?3")
    defer { statement.reset() }
    try statement.bind(1, space)
    try statement.bind(2, site)
    try statement.bind(3, Int64(bitPattern: floor))
    var seqs: [UInt64] = []
    while try statement.step() { seqs.append(UInt64(bitPattern: statement.int(0))) }
    return seqs
  }

  /// Kept conflicts are told apart by their dots.
  private func renumberConflicts(_ site: Int64) throws(StoreError) {
    for seq in try conflictSeqs(site) {
      let update = try records.reader.connection.statement(
        """
        UPDATE reunion_conflict SET site = ?4, seq = ?5 \
        WHERE space = ?1 AND site = ?2 AND seq = ?3
        """)
      try update.bind(1, space)
      try update.bind(2, site)
      try update.bind(3, Int64(bitPattern: seq))
      try update.bind(4, try records.reader.numbers.number(of: new))
      try update.bind(5, Int64(bitPattern: newSeq(upTo: seq)))
      try update.run()
    }
  }
}
