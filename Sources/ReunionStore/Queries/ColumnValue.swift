import ReunionCore
import ReunionDisk

/// A value as a column holds it, in SQLite's order: NULL, numbers, texts, blobs.
enum ColumnValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text([UInt8])
  case blob([UInt8])

  /// The form that `Statement.bind` gives a value.
  init(_ value: Value) {
    switch value.kind {
    case .null where value.bytes.isEmpty: self = .null
    case .bool where value.bytes.count == 1: self = .integer(Int64(value.bytes[0]))
    case .text: self = .text(value.bytes)
    default:
      if let int = value.int {
        self = .integer(int)
      } else if let double = value.double, !double.isNaN {
        self = .real(double)
      } else {
        self = .blob(value.bytes)
      }
    }
  }

  /// The value in a column of a row.
  init(_ statement: Statement, _ column: Int32) {
    switch statement.type(column) {
    case SQLiteType.null: self = .null
    case SQLiteType.integer: self = .integer(statement.int(column))
    case SQLiteType.float: self = .real(statement.double(column))
    case SQLiteType.text: self = .text(statement.bytes(column))
    default: self = .blob(statement.bytes(column))
    }
  }

  var isNull: Bool { self == .null }

  /// Whether two values are the same to SQL's IS: numbers by what they count, so that −0.0 is 0.
  static func isEqual(_ left: ColumnValue, _ right: ColumnValue) -> Bool {
    compare(left, right) == 0
  }

  /// Less than, equal to or greater than 0, as `left` is before, beside or after `right`.
  static func compare(_ left: ColumnValue, _ right: ColumnValue) -> Int {
    switch (left, right) {
    case (.integer(let left), .integer(let right)): order(left, right)
    case (.real(let left), .real(let right)): order(left, right)
    case (.integer(let left), .real(let right)): compare(left, right)
    case (.real(let left), .integer(let right)): -compare(right, left)
    case (.text(let left), .text(let right)), (.blob(let left), .blob(let right)):
      compare(left, right)
    default: order(left.rank, right.rank)
    }
  }

  private var rank: Int {
    switch self {
    case .null: 0
    case .integer, .real: 1
    case .text: 2
    case .blob: 3
    }
  }

  private static func order<C: Comparable>(_ left: C, _ right: C) -> Int {
    left < right ? -1 : left == right ? 0 : 1
  }

  /// Exact, though not every integer is a double.
  private static func compare(_ left: Int64, _ right: Double) -> Int {
    if right >= 0x1p63 { return -1 }
    if right < -0x1p63 { return 1 }
    let whole = Int64(right.rounded(.towardZero))
    return left != whole ? order(left, whole) : order(Double(whole), right)
  }

  private static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
    if left == right { return 0 }
    return left.lexicographicallyPrecedes(right) ? -1 : 1
  }
}
