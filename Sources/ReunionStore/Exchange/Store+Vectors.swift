package import ReunionCore
package import ReunionDisk

extension Store {
  /// What is held of each site in a space, as of the last commit.
  package func vector(of space: SpaceID) throws -> VersionVector {
    try read { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else {
        return VersionVector()
      }
      return try reader.vector(space: number)
    }
  }

  /// The highest arrival number of a space, as of the last commit.
  package func arrival(of space: SpaceID) throws -> UInt64 {
    try read { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return 0 }
      return try reader.arrival(space: number)
    }
  }

  /// The spaces that the store knows, in the order of their ids: each in which something was
  /// written here or arrived. One of which all records are deleted is still there.
  ///
  /// ```swift
  /// for space in try store.spaces {
  ///   print(space, try store.count(Query<Photo>(in: space)))
  /// }
  /// ```
  /// Nothing removes a space from a store. *Thread*: any. *Cost*: one row for each space.
  /// - Throws: `closed`, `damaged`, `ioFailed`.
  public var spaces: [SpaceID] {
    get throws {
      try read { (reader) throws(StoreError) in try reader.spaces() }
    }
  }

  /// How many living records and how many blobs are held. Cost: reads every record's row.
  package func counts() throws -> (records: Int, blobs: Int) {
    try readTransaction { (reader) throws(StoreError) in
      var records: Int64 = 0
      for table in layout.tables {
        records +=
          try reader.connection.number("SELECT count(*) FROM \(table.name) WHERE alive") ?? 0
      }
      let blobs = try reader.connection.number("SELECT count(*) FROM reunion_blob") ?? 0
      return (Int(records), Int(blobs))
    }
  }

  /// The cells of a record, dead or alive; nil where nothing is known of it.
  package func record(entity: UInt32, _ id: RecordID, in space: SpaceID) throws
    -> RecordState?
  {
    try readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return nil }
      return try reader.record(RecordKey(entity: entity, id: id), space: number)?.state
    }
  }

  /// The registers that lost in a record against ones that had not seen them, latest first; the
  /// last four a field are kept.
  package func conflicts(
    entity: UInt32, _ id: RecordID, in space: SpaceID
  ) throws -> [Cell] {
    try readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return [] }
      return try reader.conflicts(RecordKey(entity: entity, id: id), space: number)
    }
  }

  /// The SHA-256 of all cells of a space in canonical order, of deleted records of their deletes
  /// alone: equal on replicas that hold the same, whatever their models know. Without deleted records it is so, too,
  /// where some have let these go. Cost: reads the whole space.
  package func digest(of space: SpaceID, withDeleted: Bool = true) throws -> [UInt8] {
    try readTransaction { (reader) throws(StoreError) in
      var hash = SHA256()
      guard let number = try reader.numbers.existingNumber(of: space) else { return hash.finish() }
      try reader.digest(space: number, ofDeleted: withDeleted ? .hollow : .none, into: &hash)
      return hash.finish()
    }
  }
}

extension RecordReader {
  /// What is digested of a deleted record: all of it, that without the values, which a leaf may lack, or nothing, since
  /// it may be gone.
  package enum Deleted {
    case whole, hollow, none
  }

  /// Digests all cells of a space in canonical order, and returns the number of the records.
  @discardableResult
  package func digest(
    space: Int64, ofDeleted deleted: Deleted = .whole, into hash: inout SHA256
  ) throws(StoreError) -> Int {
    var count = 0
    try forEach(space: space) { (record) throws(StoreError) in
      if deleted == .none, record.state.isDeleted { return }
      var writer = ByteWriter()
      writer.integer(record.key.entity)
      writer.identifier(record.key.id)
      let isAll = deleted == .whole || record.state.isSurelyAlive
      let state = isAll ? record.state : record.state.standing
      for cell in state.cells { writer.flatCell(cell) }
      hash.update(writer.bytes)
      count += 1
    }
    return count
  }

  /// The spaces of which anything is held.
  package func spaces() throws(StoreError) -> [SpaceID] {
    let statement = try connection.statement("SELECT id FROM reunion_space ORDER BY id")
    defer { statement.reset() }
    var spaces: [SpaceID] = []
    while try statement.step() { spaces.append(try statement.identifier(0)) }
    return spaces
  }
}
