import ReunionCore
import ReunionDisk

/// The columns that do not simply hold their cells, as `reunion_shown` names them: those that show
/// numbers as another kind than they had when they were made, and those that lenses make.
struct ShownColumns: Equatable {
  static let create = """
    CREATE TABLE reunion_shown(entity INTEGER, field INTEGER, kind INTEGER NOT NULL, \
    lens TEXT NOT NULL, PRIMARY KEY(entity, field)) WITHOUT ROWID
    """

  struct Place: Hashable {
    let entity: UInt32
    let field: UInt32
  }

  /// What a column shows.
  struct Column: Equatable {
    let kind: ValueKind
    /// The text of the lens that makes it; empty for none.
    let lens: String
  }

  private(set) var columns: [Place: Column] = [:]

  /// Those of a layout.
  init(_ layout: Layout) {
    for table in layout.tables {
      for column in table.columns {
        let lens = table.lenses.first { $0.makes(column.field) }
        guard lens != nil || column.kind != column.clockKind else { continue }
        columns[Place(entity: table.entity, field: column.field)] =
          Column(kind: column.kind, lens: lens?.text ?? "")
      }
    }
  }

  /// Those of a store; none where its file is older than the table.
  init(_ connection: DatabaseConnection) throws(StoreError) {
    let isThere = try connection.number(
      "SELECT count(*) FROM sqlite_schema WHERE name = 'reunion_shown'")
    guard isThere == 1 else { return }
    let statement = try connection.statement("SELECT entity, field, kind, lens FROM reunion_shown")
    defer { statement.reset() }
    while try statement.step() {
      guard let entity = UInt32(exactly: statement.int(0)),
        let field = UInt32(exactly: statement.int(1)), let kind = UInt8(exactly: statement.int(2))
      else { throw statement.damaged("what a column shows") }
      columns[Place(entity: entity, field: field)] =
        Column(kind: ValueKind(rawValue: kind), lens: statement.text(3))
    }
  }

  /// Whether others show these columns as well.
  func isContained(in others: ShownColumns) -> Bool {
    columns.allSatisfy { others.columns[$0] == $1 }
  }

  /// The lenses of an entity, as far as their texts tell what they do.
  func lenses(of entity: UInt32) -> [FieldLens] {
    let texts = Set(columns.filter { $0.key.entity == entity }.map(\.value.lens))
    return FieldLens.ordered(texts.sorted().compactMap { FieldLens(text: $0) }) ?? []
  }

  func kind(of field: UInt32, _ entity: UInt32) -> ValueKind? {
    columns[Place(entity: entity, field: field)]?.kind
  }

  /// The fields of an entity that others show otherwise.
  func fields(of entity: UInt32, otherThanIn others: ShownColumns) -> Set<UInt32> {
    let places = Set(columns.keys).union(others.columns.keys)
    return Set(
      places.filter { $0.entity == entity && columns[$0] != others.columns[$0] }.map(\.field))
  }

  /// Keeps them in place of those that are there, in the transaction that is under way.
  func write(_ connection: DatabaseConnection) throws(StoreError) {
    try connection.execute("DELETE FROM reunion_shown")
    let insert = try connection.statement("INSERT INTO reunion_shown VALUES(?1, ?2, ?3, ?4)")
    for (place, column) in columns {
      try insert.bind(1, Int64(place.entity))
      try insert.bind(2, Int64(place.field))
      try insert.bind(3, Int64(column.kind.rawValue))
      try insert.bind(4, text: column.lens)
      try insert.run()
    }
  }
}
