public import ReunionCore
public import ReunionDisk

/// A question to a store whose answer is a value: a count, a sum, groups, pairs of records.
///
/// ```swift
/// let perAlbum = Query<Photo>(in: space).grouped(by: \.album).count()
/// for group in try store.fetch(perAlbum) { print(group.key as Any, group.value) }
/// let total = try store.live(Query<Photo>(in: space).sum(of: \.stars))
/// print(total.value)
/// ```
/// `Query` makes them; `Store.fetch(_:)`, `Store.live(_:)`, `Snapshot` and a write answer them.
/// Like a query it is a value and asks nothing by itself.
public struct ValueQuery<Value: Sendable>: Sendable {
  /// The space.
  public let space: SpaceID
  let text: @Sendable (Layout) throws(StoreError) -> QueryText
  /// Makes the value of all rows of the statement.
  let read: @Sendable (RecordReader, Statement) throws(StoreError) -> Value
  let isSame: @Sendable (Value, Value) -> Bool
}

/// What a live query that asks for a value shows: the answer, and whether it is of the last commit.
///
/// ```swift
/// let total = try store.liveResult(of: Query<Photo>(in: space).sum(of: \.stars))
/// print(total.value.failure?.message ?? "\(total.value.value)")
/// ```
public struct QueryAnswer<Value: Sendable>: Sendable {
  /// The answer.
  public internal(set) var value: Value
  /// Why it is the answer to an earlier commit: the last read failed. Nil where it is up to date.
  /// The next commit that can be read mends it.
  public internal(set) var failure: StoreError?
  /// Grows with each value that is shown.
  var revision: UInt64 = 0

  init(_ value: Value) { self.value = value }
}

extension RecordReader {
  /// The answer to a query.
  func fetch<Value>(_ query: ValueQuery<Value>) throws(StoreError) -> Value {
    try fetch(query, space: try numbers.existingNumber(of: query.space))
  }

  /// The answer to a query in the space with the number `space`, which is nil if there is no such
  /// space.
  func fetch<Value>(_ query: ValueQuery<Value>, space: Int64?) throws(StoreError) -> Value {
    let statement = try prepared(query.text(layout), space: space)
    defer { statement.reset() }
    return try query.read(self, statement)
  }
}
