package import ReunionCore
import ReunionDisk

extension Store {
  /// Keeps a part of a push on the disk, invisible until `apply`, which reads one such part at a time.
  package func stage(
    _ changes: [Change], _ refused: [Refusal], from peer: Site, in space: SpaceID
  ) throws {
    try commit { (writer, records) throws(StoreError) in
      var state = try writer.space(space, records)
      let site = try records.reader.numbers.number(of: peer)
      for part in Self.parts(changes) {
        let bytes = Message.changes(part).encoded()
        try records.stage(bytes, .changes, part.count, site, space: state.number)
      }
      for start in stride(from: 0, to: refused.count, by: 256) {
        let part = refused[start..<min(start + 256, refused.count)]
        var bytes = ByteWriter()
        for refusal in part {
          bytes.varint(UInt64(refusal.entity))
          bytes.identifier(refusal.record)
          bytes.vector(refusal.sent)
          bytes.lengthPrefixed(refusal.sentence)
        }
        try records.stage(bytes.bytes, .refusals, part.count, site, space: state.number)
      }
      if options.seededBugs.vectorRisesWithFirstPart {
        let old = state
        for change in changes { state.vector.raise(change.cell.dot.site, to: change.cell.dot.seq) }
        try records.write(&state, over: old, mark(writer.clock.last, in: space))
        writer.spaces[space] = state
      }
      return ((), nil)
    }
  }

  /// Keeps a part of a block likewise, deflated. Gives whether it brings changes of this store's own that it did
  /// not make, as far as is known by now.
  package func stage(
    _ packed: PackedPart, _ part: BlockPart, from peer: Site, in space: SpaceID
  ) throws -> Bool {
    try commit { (writer, records) throws(StoreError) in
      let state = try writer.space(space, records)
      let site = try records.reader.numbers.number(of: peer)
      try records.stage(Message.part(packed).encoded(), .part, 1, site, space: state.number)
      let own = self.site(in: space)
      return (part.isBeyond(Dot(site: own, seq: state.vector[own])), nil)
    }
  }

  /// Drops what a peer's broken-off push has left; where it left nothing, nothing is written.
  ///
  /// *Durability*: several commits of at most a mebibyte, so that other writers have their turns between
  /// them. SQLite may write each dropped page once more, to blank it.
  package func discardStaged(from peer: Site, in space: SpaceID) throws {
    // What a new session of the peer puts aside meanwhile comes after that, and stays.
    guard let last = try lastStaged(from: peer, in: space) else { return }
    while try lastStaged(from: peer, in: space, upTo: last) != nil {
      try commit { (writer, records) throws(StoreError) in
        let state = try writer.space(space, records)
        let site = try records.reader.numbers.number(of: peer)
        try records.discardStaged(site, space: state.number, upTo: last, rowsMax: 4)
        return ((), nil)
      }
    }
  }

  /// The number of the last row, of those up to one, that a peer has left; nil if there is none.
  private func lastStaged(
    from peer: Site, in space: SpaceID, upTo most: Int64 = .max
  ) throws -> Int64? {
    try readTransaction { (reader) throws(StoreError) in
      guard let site = try reader.numbers.existingNumber(of: peer),
        let number = try reader.numbers.existingNumber(of: space)
      else { return nil }
      let statement = try reader.connection.statement(
        """
        SELECT number FROM reunion_staged WHERE space = ?1 AND site = ?2 AND number <= ?3 \
        ORDER BY number DESC LIMIT 1
        """)
      defer { statement.reset() }
      try statement.bind(1, number)
      try statement.bind(2, site)
      try statement.bind(3, most)
      return try statement.step() ? statement.int(0) : nil
    }
  }

  /// The changes in parts of about 256 KiB.
  private static func parts(_ changes: [Change]) -> [[Change]] {
    var parts: [[Change]] = []
    var byteCount = Int.max / 2
    for change in changes {
      let size = change.cell.approximateBytes
      if byteCount + size > 256 * 1024 {
        parts.append([])
        byteCount = 0
      }
      parts[parts.count - 1].append(change)
      byteCount += size
    }
    return parts
  }
}

/// What a staged row holds.
enum StagedKind: Int64 {
  case changes = 0
  case refusals = 1
  /// A part of a block.
  case part = 2
}

extension RecordWriter {
  fileprivate func stage(
    _ bytes: [UInt8], _ kind: StagedKind, _ count: Int, _ peer: Int64, space: Int64
  ) throws(StoreError) {
    let insert = try reader.connection.statement(
      "INSERT INTO reunion_staged(space, site, kind, count, changes) VALUES(?1, ?2, ?3, ?4, ?5)")
    try insert.bind(1, space)
    try insert.bind(2, peer)
    try insert.bind(3, kind.rawValue)
    try insert.bind(4, Int64(count))
    try insert.bind(5, bytes)
    try insert.run()
  }

  /// How many changes and refusals of a peer are staged.
  func stagedCount(_ peer: Int64, space: Int64) throws(StoreError) -> Int {
    let statement = try reader.connection.statement(
      "SELECT total(count) FROM reunion_staged WHERE space = ?1 AND site = ?2")
    defer { statement.reset() }
    try statement.bind(1, space)
    try statement.bind(2, peer)
    return try statement.step() ? Int(statement.int(0)) : 0
  }

  /// Removes the staged changes of a peer, all or the first rows up to a number.
  func discardStaged(
    _ peer: Int64, space: Int64, upTo last: Int64 = .max, rowsMax: Int64 = -1
  ) throws(StoreError) {
    let delete = try reader.connection.statement(
      """
      DELETE FROM reunion_staged WHERE number IN \
      (SELECT number FROM reunion_staged WHERE space = ?1 AND site = ?2 AND number <= ?3 \
      ORDER BY number LIMIT ?4)
      """)
    try delete.bind(1, space)
    try delete.bind(2, peer)
    try delete.bind(3, last)
    try delete.bind(4, rowsMax)
    try delete.run()
  }
}

extension RecordReader {
  /// Calls a closure with the staged changes of a peer, a row at a time: parts of a block first.
  func forEachStaged(
    _ peer: Int64, space: Int64, _ body: ([Change]) throws(StoreError) -> Void
  ) throws(StoreError) {
    try forEachStaged(.part, peer, space: space, body)
    try forEachStaged(.changes, peer, space: space, body)
  }

  /// The same for the rows of one kind.
  func forEachStaged(
    _ kind: StagedKind, _ peer: Int64, space: Int64, _ body: ([Change]) throws(StoreError) -> Void
  ) throws(StoreError) {
    try forEachStagedRow(kind, peer, space: space) { (bytes, statement) throws(StoreError) in
      switch try? Message(decoding: bytes) {
      case .changes(let changes): try body(changes)
      case .part(let packed):
        guard let part = packed.unpacked() else { throw statement.damaged("a staged part") }
        try body(part.changes)
      default: throw statement.damaged("a staged change")
      }
    }
  }

  /// The staged refusals of a peer.
  func stagedRefusals(_ peer: Int64, space: Int64) throws(StoreError) -> [Refusal] {
    var refusals: [Refusal] = []
    try forEachStagedRow(.refusals, peer, space: space) {
      (bytes, statement) throws(StoreError) in
      do throws(WireError) {
        var reader = ByteReader(bytes)
        while reader.remaining > 0 {
          refusals.append(
            Refusal(
              entity: UInt32(truncatingIfNeeded: try reader.varint()),
              record: try reader.identifier(RecordID.self), sent: try reader.vector(),
              sentence: try reader.lengthPrefixed(upTo: Bye.sentenceBytesMax)))
        }
      } catch {
        throw statement.damaged("a staged refusal")
      }
    }
    return refusals
  }

  private func forEachStagedRow(
    _ kind: StagedKind, _ peer: Int64, space: Int64,
    _ body: ([UInt8], Statement) throws(StoreError) -> Void
  ) throws(StoreError) {
    // Prepared anew: what the closure does may ask for the same.
    let statement = try connection.prepare(
      """
      SELECT changes FROM reunion_staged WHERE space = ?1 AND site = ?2 AND kind = ?3 \
      ORDER BY number
      """)
    defer { statement.finalize() }
    try statement.bind(1, space)
    try statement.bind(2, peer)
    try statement.bind(3, kind.rawValue)
    while try statement.step() { try body(statement.bytes(0), statement) }
  }
}
