public import ReunionCore

extension Store {
  /// Calls a closure with the cells that a peer lacks, a record at a time, in the order in which
  /// they arrived here; the closure runs on the caller's thread.
  ///
  /// `cursor` is the arrival number up to which the peer holds everything, `vector` what it holds of
  /// each site. All of it is one read transaction, and so are the arrival number and the vector that
  /// it returns: who takes all of it may raise its vector to that one.
  public func push(
    in space: SpaceID, after cursor: UInt64, lacking vector: VersionVector,
    emit: ([Change]) -> Void
  ) throws -> PushEnd {
    try readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else {
        return PushEnd(cursor: 0, vector: VersionVector())
      }
      try reader.forEach(space: number, after: cursor) { record in
        let changes = record.state.cells.compactMap { cell in
          vector.covers(cell.dot)
            ? nil : Change(entity: record.key.entity, record: record.key.id, cell: cell)
        }
        if !changes.isEmpty { emit(changes) }
      }
      return PushEnd(
        cursor: try reader.arrival(space: number), vector: try reader.vector(space: number))
    }
  }
}
