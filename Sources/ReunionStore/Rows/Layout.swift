import ReunionCore
import ReunionDisk

/// All tables of records in a store. It only grows: what a model once declared keeps its column.
package struct Layout: Sendable {
  /// The tables, by rising entity; the first is that of unknown entities.
  package private(set) var tables: [Table]
  /// The indexes of words, by entity.
  var textIndexes: [UInt32: TextIndex] = [:]

  init(_ tables: [Table] = []) {
    self.tables = [Table(entity: 0, columns: [])] + tables.sorted { $0.entity < $1.entity }
  }

  /// The table of unknown entities.
  var unknown: Table { tables[0] }

  /// The table that holds an entity's records.
  package func table(_ entity: UInt32) -> Table {
    tables.first { $0.entity == entity } ?? tables[0]
  }

  /// The table of an entity that an app names by its type.
  ///
  /// - Throws: `invalidModel` where the model that the store was opened with has no such entity.
  @discardableResult
  func require<E: Entity>(_: E.Type) throws(StoreError) -> Table {
    let table = table(E.schema.number)
    guard !table.isUnknown else {
      throw StoreError(
        .invalidModel,
        "The store's model has no entity \(E.schema.name): open it with a model that has it.")
    }
    return table
  }

  /// The layout with the limits that a model has for values.
  func limited(by model: Model, _ bugs: SeededBugs = SeededBugs()) -> Layout {
    var layout = self
    if !bugs.isEmpty { layout.tables = tables.map { $0.with($0.columns, bugs) } }
    for entity in model.entities where entity.fields.contains(where: { $0.bytesMax != nil }) {
      guard let index = tables.firstIndex(where: { $0.entity == entity.number }) else { continue }
      var columns = tables[index].columns
      for field in entity.fields {
        guard let bytesMax = field.bytesMax,
          let column = columns.firstIndex(where: { $0.field == field.number })
        else { continue }
        columns[column].bytesMax = bytesMax
      }
      layout.tables[index] = layout.tables[index].with(columns, bugs)
    }
    return layout
  }

  /// The most bytes that a value of a field may have; nil where no model says so.
  func bytesMax(of field: UInt32, _ entity: UInt32) -> Int? {
    let table = table(entity)
    guard !table.isUnknown, let column = table.column(of: field) else { return nil }
    let bytesMax = table.columns[column].bytesMax
    return bytesMax < Value.bytesMax ? bytesMax : nil
  }

  func isKnown(_ entity: UInt32) -> Bool {
    tables.contains { $0.entity == entity && entity != 0 }
  }
}
