package import ReunionCore
package import ReunionDisk

/// A space as the connection that writes knows it.
package struct SpaceState {
  package let number: Int64
  /// The highest arrival number.
  package var arrival: UInt64
  /// What is held of each site, one's own included.
  package var vector: VersionVector
  /// The number of the site whose entry stands in the space's own row: the one that wrote last,
  /// since it will write again. A commit then touches one page for arrival number, stamp and
  /// vector.
  fileprivate(set) var lastSite: Int64?
  /// The arrival at which that entry rose.
  fileprivate var lastAt: UInt64
  /// The newest entries of the log of arrivals, too few for a row of it.
  var recent: Arrivals
  /// The tags of the newest commits, too few for a row of them.
  fileprivate(set) var tags: Tags
  /// The tag of the last commit.
  fileprivate var lastTag: UInt32
  /// Whether an entry of the vector was lowered.
  var isLowered = false
}

/// What each commit to a space draws and names.
package struct CommitMark {
  package let site: Site
  package let stamp: Stamp
  package let random: UInt64

  package init(site: Site, stamp: Stamp, random: UInt64) {
    self.site = site
    self.stamp = stamp
    self.random = random
  }
}

extension RecordWriter {
  /// The state of a space, which is made where it is not there.
  package func space(_ id: SpaceID) throws(StoreError) -> SpaceState {
    let number = try reader.numbers.number(of: id)
    guard let row = try reader.spaceRow(number) else {
      throw StoreError(.unexpected, "A space is not where it was written; please report this.")
    }
    return SpaceState(
      number: number, arrival: row.arrival, vector: try reader.vector(space: number),
      lastSite: row.lastSite, lastAt: row.lastAt,
      recent: Arrivals(first: row.arrival + 1 - UInt64(row.recent.count), row.recent),
      tags: row.tags,
      lastTag: try reader.lastRun(space: number, upTo: row.arrival, in: row.tags)?.tag ?? 0)
  }

  /// Writes what has changed of a space, and the clock's last stamp.
  ///
  /// Where the vector rose, or a record changed, the arrival number rises and the commit draws a tag.
  package func write(
    _ space: inout SpaceState, over old: SpaceState, _ mark: CommitMark
  ) throws(StoreError) {
    let raised = space.vector.entries(otherThanIn: old.vector)
    if !raised.isEmpty, space.arrival == old.arrival { space.arrival += 1 }
    try noteRises(raised, in: space, over: old)
    if raised.count == 1, let site = raised.first?.site {
      let number = try reader.numbers.number(of: site)
      if let last = space.lastSite, last != number {
        try raise(try reader.numbers.site(last), in: space, at: space.lastAt)
      }
      space.lastSite = number
      space.lastAt = space.arrival
    } else {
      for dot in raised { try raise(dot.site, in: space, at: space.arrival) }
      // What stands in the space's row is written to the table as of then, when another takes its place.
      if let last = try space.lastSite.map(reader.numbers.site),
        raised.contains(where: { $0.site == last })
      {
        space.lastAt = space.arrival
      }
    }
    try arrivals.finish(&space)
    if space.arrival > old.arrival { try tag(&space, mark) }
    let update = try reader.connection.statement(
      """
      UPDATE reunion_space SET arrival = ?2, stamp = ?3, site = ?4, seq = ?5, at = ?6, \
      recent = ?7, tags = ?8 WHERE number = ?1
      """)
    try update.bind(1, space.number)
    try update.bind(2, Int64(bitPattern: space.arrival))
    try update.bind(3, Int64(bitPattern: mark.stamp.rawValue))
    if let last = space.lastSite {
      let seq = space.vector[try reader.numbers.site(last)]
      try update.bind(4, last)
      try update.bind(5, Int64(bitPattern: seq))
      try update.bind(6, Int64(bitPattern: space.lastAt))
    } else {
      for position: Int32 in 4...6 { try update.bindNull(position) }
    }
    space.isLowered = false
    try update.bind(7, space.recent.bytes)
    try update.bind(8, space.tags.bytes)
    try update.run()
    guard reader.connection.changeCount == 1 else {
      throw StoreError(.unexpected, "A space is not where it was written; please report this.")
    }
  }

  private func noteRises(
    _ raised: [Dot], in space: SpaceState, over old: SpaceState
  ) throws(StoreError) {
    guard let rises, !raised.isEmpty else { return }
    let entries = try raised.map { (dot) throws(StoreError) in
      (site: try reader.numbers.number(of: dot.site), from: old.vector[dot.site])
    }
    rises.note(entries, at: space.arrival, after: old.arrival, space: space.number)
  }

  private func raise(_ site: Site, in space: SpaceState, at arrival: UInt64) throws(StoreError) {
    let raise = try reader.connection.statement(
      "INSERT OR REPLACE INTO reunion_vector(space, site, seq, at) VALUES(?1, ?2, ?3, ?4)")
    try raise.bind(1, space.number)
    try raise.bind(2, try reader.numbers.number(of: site))
    try raise.bind(3, Int64(bitPattern: space.vector[site]))
    try raise.bind(4, Int64(bitPattern: arrival))
    try raise.run()
  }

  /// Lowers a site's entry in the vector: what is beyond must come again.
  func lower(_ site: Site, to seq: UInt64, in space: inout SpaceState) throws(StoreError) {
    var vector = VersionVector()
    for dot in space.vector.entries where dot.site != site { vector.raise(dot.site, to: dot.seq) }
    vector.raise(site, to: min(seq, space.vector[site]))
    space.vector = vector
    if !space.isLowered { try forgetMarks(space: space.number) }
    space.isLowered = true
    let number = try reader.numbers.number(of: site)
    let delete = try reader.connection.statement(
      "DELETE FROM reunion_vector WHERE space = ?1 AND site = ?2")
    try delete.bind(1, space.number)
    try delete.bind(2, number)
    try delete.run()
    if space.lastSite == number { space.lastSite = nil }
    if vector[site] > 0 { try raise(site, in: space, at: space.arrival) }
  }

  // Tags

  private func tag(_ space: inout SpaceState, _ mark: CommitMark) throws(StoreError) {
    space.lastTag = Tags.next(
      after: space.lastTag, random: mark.random, stamp: mark.stamp, arrival: space.arrival)
    let full = space.tags.append(
      Tags.Run(end: space.arrival, tag: space.lastTag, ownSeq: space.vector[mark.site]),
      by: mark.site)
    if let full { try keep(full, space: space.number) }
  }

  private func keep(_ tags: Tags, space: Int64) throws(StoreError) {
    let last = try reader.lastTagRow(space: space)
    let insert = try reader.connection.statement("INSERT INTO reunion_tag VALUES(?1, ?2)")
    try insert.bind(1, Tags.number(tags.row, space: space))
    try insert.bind(2, tags.bytes)
    try insert.run()
    guard let last else { return }
    let block = tags.row / Tags.rowsPerBlock
    let lastBlock = last / Tags.rowsPerBlock
    guard block > lastBlock else { return }
    for old in (max(lastBlock, 1) - 1)...lastBlock where old + 1 < block {
      try thin(old, space: space)
    }
  }

  /// Keeps the last row of a block alone.
  private func thin(_ block: UInt64, space: Int64) throws(StoreError) {
    let delete = try reader.connection.statement(
      """
      DELETE FROM reunion_tag WHERE number >= ?1 AND number < \
      (SELECT max(number) FROM reunion_tag WHERE number >= ?1 AND number < ?2)
      """)
    try delete.bind(1, Tags.number(block * Tags.rowsPerBlock, space: space))
    try delete.bind(2, Tags.number((block + 1) * Tags.rowsPerBlock, space: space))
    try delete.run()
  }
}

extension VersionVector {
  /// The entries that another has not, or not with this count. Cost: O(sites) of both.
  func entries(otherThanIn other: VersionVector) -> [Dot] {
    var found: [Dot] = []
    var index = 0
    for dot in entries {
      while index < other.entries.count, other.entries[index].site < dot.site { index += 1 }
      if index < other.entries.count, other.entries[index] == dot { continue }
      found.append(dot)
    }
    return found
  }
}

extension Tags {
  static let rowsPerBlock = arrivalsPerBlock / arrivalsPerRow

  /// The number of a row, under which the first of its arrivals stands in the log.
  static func number(_ row: UInt64, space: Int64) -> Int64 {
    ArrivalLog.number(row * arrivalsPerRow + 1, space: space)
  }
}

extension RecordReader {
  /// The last commit of a space up to an arrival, of those whose tags are kept; `newest` are the tags
  /// in the space's row.
  func lastRun(
    space: Int64, upTo arrival: UInt64, in newest: Tags
  ) throws(StoreError) -> Tags.Run? {
    if let run = newest.last(upTo: arrival) { return run }
    return try tags(space: space, upTo: arrival)?.last(upTo: arrival)
  }

  /// The last kept row of tags that begins at an arrival or before it.
  func tags(space: Int64, upTo arrival: UInt64) throws(StoreError) -> Tags? {
    let select = try connection.statement(
      """
      SELECT tags FROM reunion_tag WHERE number > ?1 AND number <= ?2 \
      ORDER BY number DESC LIMIT 1
      """)
    defer { select.reset() }
    try select.bind(1, ArrivalLog.number(0, space: space))
    try select.bind(2, ArrivalLog.number(arrival, space: space))
    guard try select.step() else { return nil }
    do throws(WireError) {
      return try Tags(decoding: select.bytes(0))
    } catch {
      throw select.damaged("a row of tags")
    }
  }

  /// The last row of tags that is kept apart.
  fileprivate func lastTagRow(space: Int64) throws(StoreError) -> UInt64? {
    let select = try connection.statement(
      "SELECT max(number) FROM reunion_tag WHERE number > ?1 AND number < ?2")
    defer { select.reset() }
    let first = ArrivalLog.number(0, space: space)
    try select.bind(1, first)
    try select.bind(2, ArrivalLog.number(0, space: space + 1))
    guard try select.step(), !select.isNull(0) else { return nil }
    return UInt64(select.int(0) - first - 1) / Tags.arrivalsPerRow
  }
}
