import ReunionCore
package import ReunionDisk

extension Model {
  /// The model that a store has columns for, as far as it keeps the names.
  package init(keptBy connection: Connection) throws(StoreError) {
    let names = try FieldNames(connection)
    let layout = try LayoutUpgrade(connection: connection, model: Model()).read()
    self.init(
      entities: layout.tables.compactMap { table in
        names.entity(table.entity).map { name in
          EntityDescription(
            number: table.entity, name: name,
            fields: table.columns.compactMap { column in
              names.field(column.field, of: table.entity).map {
                FieldDescription(number: column.field, name: $0, kind: column.kind)
              }
            })
        }
      })
  }
}
