import ReunionCore
import ReunionDisk

extension Store {
  /// Reads the clock, and says by which time what is old may be deleted. The store keeps it, so
  /// that the next run knows what this one knew.
  ///
  /// Call it whenever you delete by age, and at least once a day while you run. `BlobStore.collect`
  /// does it by itself.
  ///
  /// *Thread*: any; not inside a write. *Durability*: it is on the disk when this returns. *Cost*:
  /// a sync.
  /// - Returns: the time; use its `earliest` to delete.
  /// - Throws: `nestedWrite` inside a write, `notWritable`, and the errors of the disk.
  public func settleTime() throws(StoreError) -> SettledTime {
    let now = options.wallMilliseconds()
    let isBelieved = options.seededBugs.leapBelieved
    return try commit { (_, records) throws(StoreError) in
      let connection = records.reader.connection
      let time = isBelieved ? SettledTime(wall: now) : try SettledTime(at: now, connection)
      try time.write(connection)
      return (time, nil)
    }
  }

  /// What the store knew of the time when it was last settled, with the clock as it is `now`, in
  /// milliseconds since 1970. Nothing is written: it is for a dry run, or a store that is only
  /// read.
  public func lastTime(at now: UInt64) throws(StoreError) -> SettledTime {
    try read { (reader) throws(StoreError) in try SettledTime(at: now, reader.connection) }
  }
}

extension SettledTime {
  private static let key = "time"

  /// What a store kept, after one more reading of the clock. One of before it kept that knows when
  /// it last collected, and the last stamp of its own and of its peers.
  init(at now: UInt64, _ connection: DatabaseConnection) throws(StoreError) {
    if let kept = try connection.kept(Self.key) {
      var reader = ByteReader(kept)
      guard let settled = try? reader.integer(UInt64.self),
        let wall = try? reader.integer(UInt64.self), let waited = try? reader.integer(UInt64.self)
      else {
        throw connection.damaged("the time that the store kept")
      }
      self.init(settled: settled, wall: wall, waited: waited)
      read(now)
      return
    }
    let stamp = try connection.number("SELECT max(stamp) FROM reunion_space") ?? 0
    var known = Stamp(rawValue: UInt64(bitPattern: stamp)).milliseconds
    if let collected = try connection.kept("collected") {
      var reader = ByteReader(collected.suffix(8))
      known = max(known, (try? reader.integer(UInt64.self)) ?? 0)
    }
    self.init(wall: now, knew: known > 0 ? known : nil)
  }

  /// Keeps it, in the transaction that is under way.
  fileprivate func write(_ connection: DatabaseConnection) throws(StoreError) {
    var writer = ByteWriter()
    writer.integer(settled)
    writer.integer(wall)
    writer.integer(waited)
    try connection.keep(writer.bytes, as: Self.key)
  }
}
