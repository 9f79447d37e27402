import ReunionStore

/// What a SELECT returned.
///
/// ```swift
/// let rows = try store.sql("SELECT album, count(*) AS photos FROM photo GROUP BY album")
/// print(rows.columns, rows.count)    // ["album", "photos"] and how many albums
/// for row in rows { print(row["photos"]?.integer ?? 0) }
/// ```
///
/// It is a collection of rows in their order, all of them in memory, as of the commit at which the
/// SELECT ran.
public struct SQLRows: Hashable, Sendable {
  /// The names of the columns.
  public let columns: [String]
  var values: [[SQLValue]] = []

  init(columns: [String]) { self.columns = columns }
}

extension SQLRows: RandomAccessCollection {
  /// 0.
  public var startIndex: Int { 0 }
  /// How many rows there are.
  public var endIndex: Int { values.count }
  /// A row.
  public subscript(index: Int) -> SQLRow { SQLRow(columns: columns, values: values[index]) }
}

/// One row of a SELECT. `values` has them by place, a subscript by the column's name.
public struct SQLRow: Hashable, Sendable {
  /// The names of the columns.
  public let columns: [String]
  /// The values, one for each column.
  public let values: [SQLValue]

  /// The value in the first column with that name; nil if there is no such column. A column without
  /// a value is `SQLValue.null`, and not nil. Names are told apart by case, unlike in SQL.
  public subscript(name: String) -> SQLValue? {
    columns.firstIndex(of: name).map { values[$0] }
  }
}

/// How far a SELECT may go before it is stopped.
///
/// ```swift
/// var limits = SQLLimits()
/// limits.seconds = 0.5
/// limits.rowsMax = 1000
/// let rows = try store.sql("SELECT * FROM photo", limits: limits)
/// ```
///
/// One that goes further throws `interrupted`, and gives no rows at all.
public struct SQLLimits: Sendable {
  /// How long it may take, in seconds. It is looked at now and then, so that a little more may
  /// pass.
  public var seconds = 10.0
  /// How many rows it may return.
  public var rowsMax = 100_000
  /// How many bytes its values may have together.
  public var bytesMax = 64 * 1024 * 1024

  /// The default limits.
  public init() {}
}
