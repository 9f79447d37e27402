import ReunionCore
import ReunionDisk

/// Gives records of an entity the columns of what the store kept of them before it knew these.
///
/// A record has the same cells afterwards, its clock and its arrival number too, and so it names the
/// same blobs: this path has no way to their tables (`RecordWriter.move`).
struct RecordMove {
  let connection: DatabaseConnection
  /// The layout of before.
  let old: Layout
  /// The layout whose columns are there.
  let new: Layout
  let bugs: SeededBugs

  /// The records of a known entity that have cells of fields which it did not know.
  static func select(of entity: UInt32, _ added: [FieldDescription]) -> String {
    """
    SELECT DISTINCT space, record FROM reunion_unknown_cell WHERE entity = \(entity) \
    AND field IN (\(added.map { "\($0.number)" }.joined(separator: ", ")))
    """
  }

  /// Writes anew each record of an entity that has something for columns which were added.
  func run(_ entity: EntityDescription) throws(StoreError) {
    let isNew = !old.isKnown(entity.number)
    let source = RecordReader(connection, layout: old)
    let writer = try RecordWriter(RecordReader(connection, layout: new))
    let statement = try connection.statement(
      isNew
        ? "SELECT space, id FROM reunion_unknown_record WHERE entity = \(entity.number)"
        : Self.select(of: entity.number, old.added(entity)))
    var records: [(Int64, RecordID)] = []
    while try statement.step() { records.append((statement.int(0), try statement.identifier(1))) }
    for (space, id) in records {
      let key = RecordKey(entity: entity.number, id: id)
      guard var record = try source.record(key, space: space) else { continue }
      if bugs.upgradeDropsLargeBlobs { record.state = withoutLargeBlobs(record.state) }
      try writer.move(record, from: old.table(entity.number), space: space)
    }
  }

  private func withoutLargeBlobs(_ state: RecordState) -> RecordState {
    RecordState(state.cells.filter { ($0.value.blob?.byteCount ?? 0) < 100_000 })
  }
}
