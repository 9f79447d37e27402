import ReunionCore
import ReunionDisk

/// Brings the indexes over fields to what a model names. What it says nothing of stays.
struct IndexUpgrade: Sendable {
  /// The SQL of the indexes that the store has, by name.
  let present: [String: String]
  /// That of those that it shall have.
  let wanted: [String: String]

  init(from present: [String: String], to model: Model) {
    self.present = present
    let known = Set(model.entities.filter { $0.indexes != nil }.map(\.number))
    var wanted = present.filter { name, _ in
      FieldIndex.parts(of: name).map { !known.contains($0.entity) } ?? true
    }
    for entity in model.entities {
      for index in entity.fieldIndexes ?? [] {
        wanted[index.name] = index.create(on: Table.name(of: entity.number))
      }
    }
    self.wanted = wanted
  }

  /// The SQL of the indexes that a store has, by name.
  static func read(_ connection: DatabaseConnection) throws(StoreError) -> [String: String] {
    let statement = try connection.statement(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND name GLOB '\(FieldIndex.prefix)*'"
    )
    defer { statement.reset() }
    var present: [String: String] = [:]
    while try statement.step() { present[statement.text(0)] = statement.text(1) }
    return present
  }

  /// The names of those that go or are made anew, and of those that come.
  private var dropped: [String] { present.keys.filter { wanted[$0] != present[$0] }.sorted() }
  private var made: [String] { wanted.keys.filter { wanted[$0] != present[$0] }.sorted() }

  /// What it does, for a plan.
  func steps(_ model: Model, _ names: FieldNames) -> [UpgradeStep] {
    func step(_ name: String) -> (UpgradeSubject, [String])? {
      guard let (number, fields) = FieldIndex.parts(of: name) else { return nil }
      let entity = model.entities.first { $0.number == number }
      return (
        UpgradeSubject(number, entity?.name ?? names.entity(number) ?? "entity \(number)"),
        fields.map { field in
          entity?.fields.first { $0.number == field }?.name ?? names.field(field, of: number)
            ?? "field \(field)"
        }
      )
    }
    return dropped.filter { wanted[$0] == nil }.compactMap(step).map { .dropIndex($0, fields: $1) }
      + made.compactMap(step).map { .index($0, fields: $1) }
  }

  /// Drops what is not wanted, and makes what is not there. *Cost*: reads all records of the entity.
  func run(_ connection: DatabaseConnection) throws(StoreError) {
    guard present != wanted else { return }
    for name in dropped { try connection.execute("DROP INDEX \(name)") }
    for name in made {
      if let sql = wanted[name] { try connection.execute(sql) }
    }
    try writeStatistics(connection)
  }

  /// Tells SQLite that a space has many records, and few of one value of a field. It believes without being
  /// told that a space has ten, so that it reads all of them and no index.
  private func writeStatistics(_ connection: DatabaseConnection) throws(StoreError) {
    // This makes the table of statistics.
    try connection.execute("ANALYZE reunion_meta")
    try connection.execute("DELETE FROM sqlite_stat1")
    let insert = try connection.statement(
      "INSERT INTO sqlite_stat1(tbl, idx, stat) VALUES(?1, ?2, ?3)")
    func write(_ table: String, _ index: String, _ statistics: [Int]) throws(StoreError) {
      try insert.bind(1, text: table)
      try insert.bind(2, text: index)
      try insert.bind(3, text: statistics.map { "\($0)" }.joined(separator: " "))
      try insert.run()
    }
    var tables: Set<String> = []
    for name in wanted.keys.sorted() {
      guard let (entity, fields) = FieldIndex.parts(of: name) else { continue }
      let table = Table.name(of: entity)
      if tables.insert(table).inserted { try write(table, table, [1_000_000, 10_000, 1]) }
      let found = fields.indices.map { max(20 >> ($0 * 2), 1) }
      try write(table, name, [1_000_000, 10_000] + found)
    }
    try connection.execute("ANALYZE sqlite_schema")
  }
}
