import ReunionStore

/// What a SELECT returned.
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

/// One row of a SELECT.
public struct SQLRow: Hashable, Sendable {
  /// The names of the columns.
  public let columns: [String]
  /// The values, one for each column.
  public let values: [SQLValue]

  /// The value in the first column with that name; nil if there is no such column.
  public subscript(name: String) -> SQLValue? {
    columns.firstIndex(of: name).map { values[$0] }
  }
}

/// How far a SELECT may go before it is stopped.
public struct SQLLimits: Sendable {
  /// How long it may take, in seconds.
  public var seconds = 10.0
  /// How many rows it may return.
  public var rowsMax = 100_000
  /// How many bytes its values may have together.
  public var bytesMax = 64 * 1024 * 1024

  /// The default limits.
  public init() {}
}
