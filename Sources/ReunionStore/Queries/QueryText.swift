import ReunionCore
import ReunionDisk

/// The SQL of a query while it is put together: its values, and what it reads.
///
/// Position 1 is the space's number; values stand from position 2 on.
struct QueryText {
  private(set) var values: [Value] = []
  /// The fields that the query reads, by entity; records that begin or end to live count always.
  private(set) var reads: [UInt32: FieldSet] = [:]
  var sql = ""
  let layout: Layout
  private var aliasCount = 0

  init(_ layout: Layout) { self.layout = layout }

  /// A name for one more table of the statement.
  mutating func newAlias() -> String {
    aliasCount += 1
    return "t\(aliasCount)"
  }

  /// The living records of an entity in the space: a table, and the beginning of WHERE.
  mutating func living<E: Entity>(_: E.Type, _ alias: String) throws(StoreError) -> String {
    let table = try table(E.self)
    return "\(table.name) AS \(alias) WHERE \(alias).space = ?1 AND \(alias).alive"
  }

  /// The table of an entity, of which lives are read.
  mutating func table<E: Entity>(_: E.Type) throws(StoreError) -> Table {
    let table = try layout.require(E.self)
    reads[E.schema.number, default: .none].formUnion(.life)
    return table
  }

  /// A field's column; where a record has no value of it, the default of the Swift type counts.
  mutating func column<E: Entity>(
    _ path: PartialKeyPath<E>, of alias: String
  ) throws(StoreError) -> String { column(try E.schema.field(path), of: alias) }

  mutating func column<E: Entity>(_ field: Field<E>, of alias: String) -> String {
    read(fields: [field.number], of: E.self)
    let column = "\(alias).f\(field.number)"
    guard !field.isOptional else { return column }
    let value = field.read(E.withDefaults)
    // As the index has it, which finds nothing by a value that is bound.
    if E.schema.indexed.contains(field.number) {
      let counted = FieldDescription.counted(column, default: value)
      if counted != column { return counted }
    }
    return value.kind == .null ? column : "ifnull(\(column), \(place(value)))"
  }

  /// The columns of whole records: id, the schema's fields as they are stored, and arrival number.
  mutating func record<E: Entity>(_: E.Type, of alias: String) -> String {
    read(fields: E.schema.fields.map(\.number), of: E.self)
    return "\(alias).id" + E.schema.fields.map { ", \(alias).f\($0.number)" }.joined()
      + ", \(alias).arrival"
  }

  /// Notes that the query reads fields.
  mutating func read<E: Entity>(fields: [UInt32], of _: E.Type) {
    for field in fields { reads[E.schema.number, default: .none].formUnion(FieldSet(field)) }
  }

  /// A place for a value.
  mutating func place(_ value: Value) -> String {
    values.append(value)
    return "?\(values.count + 1)"
  }

  /// A condition on the records of a table.
  mutating func sql<E: Entity>(
    _ node: Condition<E>.Node, of alias: String
  ) throws(StoreError) -> String {
    switch node {
    case .all(let left, let right):
      return "(\(try sql(left, of: alias)) AND \(try sql(right, of: alias)))"
    case .any(let left, let right):
      return "(\(try sql(left, of: alias)) OR \(try sql(right, of: alias)))"
    case .not(let inner): return "NOT ifnull(\(try sql(inner, of: alias)), 0)"
    case .related(let path, let record):
      return try record.exists(column(path, of: alias), in: &self)
    case .contains(let path, let element): return try contains(path, element, of: alias)
    case .text(let path, let comparison, let bytes):
      let column = try column(path, of: alias)
      // SQL's functions say NULL of an empty blob.
      guard !bytes.isEmpty else { return "(\(column) IS NOT NULL)" }
      return comparison.sql(column, place(.bytes(bytes)), bytes.count)
    case .isOneOf(let path, let values):
      guard values.count <= Condition<E>.valuesMax else {
        throw StoreError(
          .outOfRange,
          "A field is compared with \(values.count) values at once: "
            + "use at most \(Condition<E>.valuesMax).")
      }
      let column = try column(path, of: alias)
      return "(\(column) IN (\(values.map { place($0) }.joined(separator: ", "))))"
    case .comparison(let path, let comparison, let value):
      let field = try E.schema.field(path)
      if comparison == .equal, let blob = value.blob {
        return naming(blob.hash, E.schema.number, field.number, of: alias)
          + " AND \(column(field, of: alias)) = \(place(value)))"
      }
      guard field.kind == .double, comparison != .equal, comparison != .unequal else {
        return "(\(column(field, of: alias)) \(comparison.rawValue) \(place(value)))"
      }
      // NaN is kept as bytes, which SQL takes for greater than every number.
      guard value.double?.isNaN != true else { return "0" }
      let holds = "\(column(field, of: alias)) \(comparison.rawValue) \(place(value))"
      return "(\(holds) AND typeof(\(column(field, of: alias))) = 'real')"
    }
  }

  private mutating func contains<E: Entity>(
    _ path: PartialKeyPath<E>, _ element: Value, of alias: String
  ) throws(StoreError) -> String {
    let field = try E.schema.field(path)
    read(fields: [field.number], of: E.self)
    return """
      EXISTS(SELECT 1 FROM reunion_unknown_cell AS cell WHERE cell.space = ?1 \
      AND cell.entity = \(E.schema.number) AND cell.record = \(alias).id \
      AND cell.field = \(field.number) AND cell.merge & 255 = \(MergeKind.member.rawValue) \
      AND cell.kind = \(element.kind.rawValue) AND cell.value = \(place(.bytes(element.bytes))))
      """
  }

  /// The beginning of a condition on records of which a field names a blob: by their index, since who
  /// asks for a blob's records looks for few among many.
  private mutating func naming(
    _ hash: BlobHash, _ entity: UInt32, _ field: UInt32, of alias: String
  ) -> String {
    """
    (\(alias).id IN (SELECT record FROM reunion_blob_reference WHERE hash = \(place(.bytes(hash.bytes))) \
    AND space = ?1 AND entity = \(entity) AND field = \(field))
    """
  }

  /// The records that meet a query's conditions, from FROM on, without order and limit.
  mutating func matching<E: Entity>(
    _ query: Query<E>, _ alias: String, joining join: String = ""
  ) throws(StoreError) -> String {
    var text: String
    if query.searches.isEmpty {
      text = " FROM \(try table(E.self).name) AS \(alias)\(join) WHERE \(alias).space = ?1"
    } else {
      text = try searching(query, alias, joining: join)
    }
    text += " AND \(alias).alive"
    if let condition = query.condition { text += " AND \(try sql(condition.node, of: alias))" }
    return text
  }

  /// A query's order and limit.
  mutating func order<E: Entity>(
    _ query: Query<E>, _ alias: String
  ) throws(StoreError) -> String {
    var text = " ORDER BY "
    for order in query.orders {
      switch order {
      case .field(let path, let isDescending):
        text += "\(try column(path, of: alias))\(isDescending ? " DESC" : ""), "
      case .related(let path, let field, let isDescending):
        let value = try field.value(column(path, of: alias), in: &self)
        text += "\(value)\(isDescending ? " DESC" : ""), "
      case .relevance:
        guard !query.searches.isEmpty else {
          throw StoreError(
            .invalidModel, "Only a query that searches has an order of relevance: add matching().")
        }
        text += "\(TextIndex.alias).rank, "
      }
    }
    text += "\(alias).id"
    if let limit = query.limit { text += " LIMIT \(limit)" }
    return text
  }

  /// The statement for a query's records.
  static func records<E: Entity>(
    _ query: Query<E>, _ layout: Layout
  ) throws(StoreError) -> QueryText {
    var text = QueryText(layout)
    let alias = text.newAlias()
    let columns = text.record(E.self, of: alias)
    text.sql = "SELECT \(columns)" + (try text.matching(query, alias))
    text.sql += try text.order(query, alias)
    return text
  }
}
