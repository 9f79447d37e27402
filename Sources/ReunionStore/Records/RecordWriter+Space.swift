import ReunionCore

/// A space as the connection that writes knows it.
struct SpaceState {
  let number: Int64
  /// The highest arrival number.
  var arrival: UInt64
  /// What is held of each site, one's own included.
  var vector: VersionVector
  /// The number of the site whose entry stands in the space's own row: that which wrote last, since
  /// it will again. A commit then touches one page for arrival number, stamp and vector.
  fileprivate(set) var lastSite: Int64?
  /// The newest entries of the log of arrivals, too few for a row of it.
  var recent: Arrivals
}

extension RecordWriter {
  /// The state of a space, which is made where it is not there.
  func space(_ id: SpaceID) throws(StoreError) -> SpaceState {
    let number = try reader.numbers.number(of: id)
    let arrival = try reader.arrival(space: number)
    let recent = try reader.recentArrivals(space: number)
    return SpaceState(
      number: number, arrival: arrival, vector: try reader.vector(space: number),
      lastSite: try reader.lastSite(space: number),
      recent: Arrivals(first: arrival + 1 - UInt64(recent.count), recent))
  }

  /// Writes what has changed of a space, and the clock's last stamp.
  func write(
    _ space: inout SpaceState, over old: SpaceState, clock: Stamp
  ) throws(StoreError) {
    let raised = space.vector.entries.filter { old.vector[$0.site] != $0.seq }
    if raised.count == 1, let site = raised.first?.site {
      let number = try reader.numbers.number(of: site)
      if let last = space.lastSite, last != number {
        try raise(try reader.numbers.site(last), in: space)
      }
      space.lastSite = number
    } else {
      for dot in raised { try raise(dot.site, in: space) }
    }
    try arrivals.finish(&space)
    let update = try reader.connection.statement(
      """
      UPDATE reunion_space SET arrival = ?2, stamp = ?3, site = ?4, seq = ?5, recent = ?6 \
      WHERE number = ?1
      """)
    try update.bind(1, space.number)
    try update.bind(2, Int64(bitPattern: space.arrival))
    try update.bind(3, Int64(bitPattern: clock.rawValue))
    if let last = space.lastSite {
      let seq = space.vector[try reader.numbers.site(last)]
      try update.bind(4, last)
      try update.bind(5, Int64(bitPattern: seq))
    } else {
      try update.bindNull(4)
      try update.bindNull(5)
    }
    try update.bind(6, space.recent.bytes)
    try update.run()
    guard reader.connection.changeCount == 1 else {
      throw StoreError(.unexpected, "A space is not where it was written; please report this.")
    }
  }

  private func raise(_ site: Site, in space: SpaceState) throws(StoreError) {
    let raise = try reader.connection.statement(
      "INSERT OR REPLACE INTO reunion_vector(space, site, seq) VALUES(?1, ?2, ?3)")
    try raise.bind(1, space.number)
    try raise.bind(2, try reader.numbers.number(of: site))
    try raise.bind(3, Int64(bitPattern: space.vector[site]))
    try raise.run()
  }

  /// Lowers a site's entry in the vector: what is beyond must come again.
  func lower(_ site: Site, to seq: UInt64, in space: inout SpaceState) throws(StoreError) {
    var vector = VersionVector()
    for dot in space.vector.entries where dot.site != site { vector.raise(dot.site, to: dot.seq) }
    vector.raise(site, to: min(seq, space.vector[site]))
    space.vector = vector
    let delete = try reader.connection.statement(
      "DELETE FROM reunion_vector WHERE space = ?1 AND site = ?2")
    try delete.bind(1, space.number)
    try delete.bind(2, try reader.numbers.number(of: site))
    try delete.run()
    if vector[site] > 0 { try raise(site, in: space) }
  }
}
