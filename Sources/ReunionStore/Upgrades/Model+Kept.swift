import ReunionCore
package import ReunionDisk

extension Model {
  /// The model that a store has columns for, as far as it keeps the names: that of what is hidden, too.
  package init(keptBy connection: DatabaseConnection) throws(StoreError) {
    let names = try FieldNames(connection)
    self.init(
      entities: try Layout(connection).tables.compactMap { table in
        names.entity(table.entity).map { name in
          EntityDescription(
            number: table.entity, name: name,
            fields: names.columns(of: table).map { column in
              FieldDescription(
                number: column.field, name: column.name,
                kind: table.column(of: column.field).map { table.columns[$0].kind } ?? .null)
            })
        }
      })
  }

  /// The model that a store was last opened with, so that opening it with this changes nothing; it
  /// does not know what texts are limited to, nor lenses by functions of the app.
  init(lastOf connection: DatabaseConnection) throws(StoreError) {
    let stored = try StoredLayout(connection, for: nil)
    self.init(
      entities: stored.shown.map { shown in
        let table = stored.layout.table(shown.view.entity)
        let searchable = stored.layout.textIndexes[table.entity]?.fields ?? []
        return EntityDescription(
          number: table.entity, name: shown.view.name,
          fields: shown.view.columns.map { column in
            FieldDescription(
              number: column.field, name: column.name,
              kind: table.column(of: column.field).map { table.columns[$0].kind } ?? .null,
              isSearchable: searchable.contains(column.field), initial: column.initial)
          }, indexes: nil, lenses: stored.columns.lenses(of: table.entity), fault: nil)
      })
  }
}
