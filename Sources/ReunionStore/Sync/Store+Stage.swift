public import ReunionCore

extension Store {
  /// Keeps a part of a push on the disk, invisible until `apply`.
  public func stage(_ changes: [Change], from peer: Site, in space: SpaceID) throws {
    try commit { (writer, records) throws(StoreError) in
      var state = try writer.space(space, records)
      let site = try records.reader.numbers.number(of: peer)
      for part in Self.parts(changes) {
        let insert = try records.reader.connection.statement(
          "INSERT INTO reunion_staged(space, site, changes) VALUES(?1, ?2, ?3)")
        try insert.bind(1, state.number)
        try insert.bind(2, site)
        try insert.bind(3, Message.changes(part).encoded())
        try insert.run()
      }
      if options.seededBugs.contains(.vectorRisesWithFirstPart) {
        let old = state
        for change in changes { state.vector.raise(change.cell.dot.site, to: change.cell.dot.seq) }
        try records.write(&state, over: old, clock: writer.clock.last)
        writer.spaces[space] = state
      }
      return ((), nil)
    }
  }

  /// Drops what a peer's broken-off push has left; where it left nothing, nothing is written.
  public func discardStaged(from peer: Site, in space: SpaceID) throws {
    let isAny = try readTransaction { (reader) throws(StoreError) in
      guard let site = try reader.numbers.existingNumber(of: peer),
        let number = try reader.numbers.existingNumber(of: space)
      else { return false }
      let statement = try reader.connection.statement(
        "SELECT 1 FROM reunion_staged WHERE space = ?1 AND site = ?2 LIMIT 1")
      defer { statement.reset() }
      try statement.bind(1, number)
      try statement.bind(2, site)
      return try statement.step()
    }
    guard isAny else { return }
    try commit { (writer, records) throws(StoreError) in
      let state = try writer.space(space, records)
      try records.discardStaged(try records.reader.numbers.number(of: peer), space: state.number)
      return ((), nil)
    }
  }

  /// The changes in parts that can be read again as messages, which have a limit.
  private static func parts(_ changes: [Change]) -> [[Change]] {
    var parts: [[Change]] = []
    var byteCount = Int.max
    for change in changes {
      let size = change.cell.value.bytes.count + 100
      if byteCount > Message.bytesMax / 4 - size {
        parts.append([])
        byteCount = 0
      }
      parts[parts.count - 1].append(change)
      byteCount += size
    }
    return parts
  }
}

extension RecordWriter {
  /// The staged changes of a peer, in the order in which they came.
  func staged(_ peer: Int64, space: Int64) throws(StoreError) -> [Change] {
    let statement = try reader.connection.statement(
      "SELECT changes FROM reunion_staged WHERE space = ?1 AND site = ?2 ORDER BY number")
    defer { statement.reset() }
    try statement.bind(1, space)
    try statement.bind(2, peer)
    var changes: [Change] = []
    while try statement.step() {
      guard case .changes(let part)? = try? Message(decoding: statement.bytes(0)) else {
        throw statement.damaged("a staged change")
      }
      changes += part
    }
    return changes
  }

  /// Removes the staged changes of a peer.
  func discardStaged(_ peer: Int64, space: Int64) throws(StoreError) {
    let delete = try reader.connection.statement(
      "DELETE FROM reunion_staged WHERE space = ?1 AND site = ?2")
    try delete.bind(1, space)
    try delete.bind(2, peer)
    try delete.run()
  }
}
