import ReunionCore

/// All tables of records in a store. It only grows: what a model once declared keeps its column.
struct Layout: Sendable {
  /// The tables, by rising entity; the first is that of unknown entities.
  private(set) var tables: [Table]
  /// The indexes of words, by entity.
  var textIndexes: [UInt32: TextIndex] = [:]

  init(_ tables: [Table] = []) {
    self.tables = [Table(entity: 0, columns: [])] + tables.sorted { $0.entity < $1.entity }
  }

  /// The table of unknown entities.
  var unknown: Table { tables[0] }

  /// The table that holds an entity's records.
  func table(_ entity: UInt32) -> Table {
    tables.first { $0.entity == entity } ?? tables[0]
  }

  func isKnown(_ entity: UInt32) -> Bool {
    tables.contains { $0.entity == entity && entity != 0 }
  }
}
