import ReunionCore

/// A space as the connection that writes knows it.
struct SpaceState {
  let number: Int64
  /// The highest arrival number.
  var arrival: UInt64
  /// What is held of each site, one's own included.
  var vector: VersionVector
}

extension RecordWriter {
  /// The state of a space, which is made where it is not there.
  func space(_ id: SpaceID) throws(StoreError) -> SpaceState {
    let number = try reader.numbers.number(of: id)
    return SpaceState(
      number: number, arrival: try reader.arrival(space: number),
      vector: try reader.vector(space: number))
  }

  /// Writes what has changed of a space, and the clock's last stamp.
  func write(_ space: SpaceState, over old: SpaceState, clock: Stamp) throws(StoreError) {
    let update = try reader.connection.statement(
      "UPDATE reunion_space SET arrival = ?2, stamp = ?3 WHERE number = ?1")
    try update.bind(1, space.number)
    try update.bind(2, Int64(bitPattern: space.arrival))
    try update.bind(3, Int64(bitPattern: clock.rawValue))
    try update.run()
    for dot in space.vector.entries where old.vector[dot.site] != dot.seq {
      let raise = try reader.connection.statement(
        "INSERT OR REPLACE INTO reunion_vector(space, site, seq) VALUES(?1, ?2, ?3)")
      try raise.bind(1, space.number)
      try raise.bind(2, try reader.numbers.number(of: dot.site))
      try raise.bind(3, Int64(bitPattern: dot.seq))
      try raise.run()
    }
  }
}
