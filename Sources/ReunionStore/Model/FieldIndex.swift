import ReunionCore

/// An index over fields of an entity's living records, in one space after the other.
///
/// SQLite keeps it with the rows, whoever writes them. It finds a query's records where the conditions name
/// its first fields, and gives their order where the query sorts by what follows.
struct FieldIndex: Hashable, Sendable {
  /// What the names of all indexes begin with.
  static let prefix = "reunion_index_"

  let entity: UInt32
  let fields: [FieldDescription]

  var name: String {
    Self.prefix + "\(entity)" + fields.map { "_\($0.number)" }.joined()
  }

  /// The SQL that makes it. Where another is needed, as for another default, it is another text.
  func create(on table: String) -> String {
    "CREATE INDEX \(name) ON \(table)(space"
      + fields.map { ", \($0.counted("f\($0.number)"))" }.joined() + ") WHERE alive"
  }

  /// The entity and the fields of an index by its name; nil where it is none of these.
  static func parts(of name: String) -> (entity: UInt32, fields: [UInt32])? {
    guard name.hasPrefix(prefix) else { return nil }
    let numbers = name.dropFirst(prefix.count).split(separator: "_").compactMap { UInt32($0) }
    return numbers.first.map { ($0, Array(numbers.dropFirst())) }
  }
}

extension EntityDescription {
  /// The indexes that a store keeps: those that the model names, and one for each field with a rule for
  /// deletes, which looks for those that name a record; nil where the store keeps what it has.
  var fieldIndexes: [FieldIndex]? {
    guard var lists = indexes else { return nil }
    for field in fields where field.rule != nil {
      if !lists.contains(where: { $0.first == field.number }) { lists.append([field.number]) }
    }
    return lists.map { numbers in
      FieldIndex(
        entity: number,
        fields: numbers.compactMap { number in fields.first { $0.number == number } })
    }
  }
}

extension FieldDescription {
  /// The SQL of what counts of a column, in indexes and in the queries that use them.
  func counted(_ column: String) -> String { Self.counted(column, default: begins) }

  /// The SQL of what counts of a column where `value` counts for nothing written.
  static func counted(_ column: String, default value: Value) -> String {
    value.indexLiteral.map { "ifnull(\(column), \($0))" } ?? column
  }

  /// Whether an index may have it.
  var isIndexable: Bool { ![.set, .list, .blob].contains(kind) }
}

extension Value {
  /// The value in an index's SQL; nil where that is nothing, or SQL would not read it exactly.
  fileprivate var indexLiteral: String? {
    switch kind {
    case .null: return nil
    case .bool, .text: return sqlLiteral
    case .bytes, .uuid, .reference:
      let digits = Array("0123456789abcdef")
      return "x'" + String(bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }) + "'"
    case .double:
      // What has more digits SQLite may read as the double next to it.
      guard let double, double.isFinite, double.magnitude < 1e15 || double == 0,
        double == (double * 1024).rounded() / 1024
      else { return nil }
      return sqlLiteral
    default: return int.map { "\($0)" }
    }
  }
}
