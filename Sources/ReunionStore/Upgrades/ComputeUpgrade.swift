import ReunionCore
import ReunionDisk

/// Writes the records of an entity anew in which columns show something else than before: what lenses
/// make, and numbers of another kind.
///
/// A record has the same cells afterwards, its clocks and its arrival number too: no change is made, and
/// nothing is sent.
struct ComputeUpgrade {
  let connection: DatabaseConnection
  /// The layout by which the records are read.
  let old: Layout
  /// The layout by which they are written, with the indexes of words that stay.
  let new: Layout

  func run(_ entity: UInt32) throws(StoreError) {
    let (from, to) = (old.table(entity), new.table(entity))
    let source = RecordReader(connection, layout: old)
    let writer = try RecordWriter(RecordReader(connection, layout: new))
    let changed = ShownColumns(new).fields(of: entity, otherThanIn: try ShownColumns(connection))
    let index = new.textIndexes[entity].flatMap {
      changed.isDisjoint(with: $0.fields) ? nil : $0
    }
    var last: (space: Int64, id: RecordID)?
    while true {
      let page = try keys(of: from, after: last)
      guard let end = page.last else { return }
      last = end
      for (space, id) in page {
        let key = RecordKey(entity: entity, id: id)
        guard let record = try source.record(key, space: space) else { continue }
        try writer.move(record, from: from, space: space)
        // What was computed before is not told by the cells: the words are written in any case.
        guard let index else { continue }
        try writer.write(index.texts(record.state, to), of: id, in: index, space: space)
      }
    }
  }

  /// The next records of a table, a thousand at most.
  private func keys(
    of table: Table, after last: (space: Int64, id: RecordID)?
  ) throws(StoreError) -> [(space: Int64, id: RecordID)] {
    let statement = try connection.statement(
      "SELECT space, id FROM \(table.name) WHERE (space, id) > (?1, ?2) ORDER BY space, id LIMIT 1000"
    )
    defer { statement.reset() }
    try statement.bind(1, last?.space ?? .min)
    if let last { try statement.bind(2, last.id) } else { try statement.bind(2, [UInt8]()) }
    var keys: [(space: Int64, id: RecordID)] = []
    while try statement.step() { keys.append((statement.int(0), try statement.identifier(1))) }
    return keys
  }
}
