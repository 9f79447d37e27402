import ReunionCore
package import ReunionDisk

/// What a store's models call its entities and fields, and what these begin with, for tools that have no
/// model.
package struct FieldNames: Sendable {
  private struct Key: Hashable {
    let entity: UInt32
    /// 0 names the entity itself.
    let field: UInt32
  }

  private var names: [Key: String] = [:]
  /// What shows of a field where nothing was written.
  private var initials: [Key: Value] = [:]

  /// The names that a model gives.
  init(_ model: Model) {
    for entity in model.entities {
      names[Key(entity: entity.number, field: 0)] = entity.name
      for field in entity.fields {
        let key = Key(entity: entity.number, field: field.number)
        names[key] = field.name
        if field.initial != .null { initials[key] = field.initial }
      }
    }
  }

  /// The names that a store keeps, those of earlier models too.
  package init(_ connection: DatabaseConnection) throws(StoreError) {
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
    let values = try connection.statement(
      "SELECT key, value FROM reunion_meta WHERE key GLOB '\(Self.prefix)*'")
    defer { values.reset() }
    while try values.step() {
      let words = values.text(0).split(separator: " ")
      let bytes = values.bytes(1)
      guard words.count == 3, let entity = UInt32(words[1]), let field = UInt32(words[2]),
        let kind = bytes.first
      else { throw values.damaged("what a field begins with") }
      initials[Key(entity: entity, field: field)] =
        Value(kind: ValueKind(rawValue: kind), bytes: Array(bytes.dropFirst()))
    }
  }

  private static let prefix = "initial "

  /// What shows of a field where nothing was written; null where that is nothing.
  package func initial(_ field: UInt32, of entity: UInt32) -> Value {
    initials[Key(entity: entity, field: field)] ?? .null
  }

  package func entity(_ entity: UInt32) -> String? { names[Key(entity: entity, field: 0)] }

  package func field(_ field: UInt32, of entity: UInt32) -> String? {
    field == Cell.existence ? nil : names[Key(entity: entity, field: field)]
  }

  /// Whether these are among those of a store.
  func contains(_ others: FieldNames) -> Bool {
    others.names.allSatisfy { key, name in
      names[key] == name && initials[key] == others.initials[key]
    }
  }

  /// Keeps them, in the transaction that is under way.
  func write(_ connection: DatabaseConnection) throws(StoreError) {
    let insert = try connection.statement("INSERT OR REPLACE INTO reunion_name VALUES(?1, ?2, ?3)")
    for (key, name) in names {
      try insert.bind(1, Int64(key.entity))
      try insert.bind(2, Int64(key.field))
      try insert.bind(3, text: name)
      try insert.run()
    }
    let set = try connection.statement("INSERT OR REPLACE INTO reunion_meta VALUES(?1, ?2)")
    let remove = try connection.statement("DELETE FROM reunion_meta WHERE key = ?1")
    for key in names.keys {
      let name = "\(Self.prefix)\(key.entity) \(key.field)"
      guard let initial = initials[key] else {
        try remove.bind(1, text: name)
        try remove.run()
        continue
      }
      try set.bind(1, text: name)
      try set.bind(2, [initial.kind.rawValue] + initial.bytes)
      try set.run()
    }
  }
}
