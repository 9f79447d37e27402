import ReunionCore
package import ReunionDisk

/// What a store's models call its entities and fields, for tools that have no model.
package struct FieldNames: Sendable {
  private struct Key: Hashable {
    let entity: UInt32
    /// 0 names the entity itself.
    let field: UInt32
  }

  private var names: [Key: String] = [:]

  /// The names that a model gives.
  init(_ model: Model) {
    for entity in model.entities {
      names[Key(entity: entity.number, field: 0)] = entity.name
      for field in entity.fields {
        names[Key(entity: entity.number, field: field.number)] = field.name
      }
    }
  }

  /// The names that a store keeps, those of earlier models too.
  package init(_ connection: Connection) throws(StoreError) {
    let isThere = try connection.number(
      "SELECT count(*) FROM sqlite_schema WHERE name = 'reunion_name'")
    guard isThere == 1 else { return }
    let statement = try connection.statement("SELECT entity, field, name FROM reunion_name")
    defer { statement.reset() }
    while try statement.step() {
      let key = Key(
        entity: UInt32(truncatingIfNeeded: statement.int(0)),
        field: UInt32(truncatingIfNeeded: statement.int(1)))
      names[key] = statement.text(2)
    }
  }

  package func entity(_ entity: UInt32) -> String? { names[Key(entity: entity, field: 0)] }

  package func field(_ field: UInt32, of entity: UInt32) -> String? {
    field == Cell.existence ? nil : names[Key(entity: entity, field: field)]
  }

  /// Whether these names are among those of a store.
  func contains(_ others: FieldNames) -> Bool { others.names.allSatisfy { names[$0] == $1 } }

  /// Keeps the names, in the transaction that is under way.
  func write(_ connection: Connection) throws(StoreError) {
    let insert = try connection.statement("INSERT OR REPLACE INTO reunion_name VALUES(?1, ?2, ?3)")
    for (key, name) in names {
      try insert.bind(1, Int64(key.entity))
      try insert.bind(2, Int64(key.field))
      try insert.bind(3, text: name)
      try insert.run()
    }
  }
}
