import ReunionDisk

/// Answers that are computed of all records that meet the conditions; order and limit do not count.
///
/// ```swift
/// let photos = Query<Photo>(in: space).filter(!\.isHidden)
/// let (count, stars) = (try store.fetch(photos.count()), try store.fetch(photos.sum(of: \.stars)))
/// let average = try store.fetch(photos.average(of: \.stars)) ?? 0
/// let latest = try store.fetch(photos.maximum(of: \.takenAt))
/// print(count, stars, average, latest as Any)
/// ```
/// SQLite computes them: no record is made, and the fields that are asked for are read alone. Two
/// of them may be of two commits, unless a `Snapshot` reads both.
extension Query {
  /// How many records there are. `Store.count(_:)` is the short form of fetching it.
  public func count() -> ValueQuery<Int> { answer(.count) }

  /// The sum of a field; 0 of no records, NaN where one of them is. "None" does not count.
  ///
  /// Fetching it throws `outOfRange` where a sum of whole numbers is beyond 64 bits.
  public func sum<V: SummableValue>(
    of path: any KeyPath<E, V> & Sendable
  ) -> ValueQuery<V.Sum> { answer(.sum(of: path)) }

  /// The average of a field's values, "none" left out; nil of no values.
  public func average<V: SummableValue>(
    of path: any KeyPath<E, V> & Sendable
  ) -> ValueQuery<Double?> { answer(.average(of: path)) }

  /// The least value of a field, in the order of `sorted`; nil of no values. NaN is none. A least
  /// value that the type cannot read, as a newer app's case of an enum, is nil too.
  public func minimum<V: FieldValue>(
    of path: any KeyPath<E, V> & Sendable
  ) -> ValueQuery<V?> { answer(.extreme("min", of: path)) }

  /// The least value of an optional field, "none" left out; nil of no values.
  public func minimum<V: FieldValue>(
    of path: any KeyPath<E, V?> & Sendable
  ) -> ValueQuery<V?> { answer(.extreme("min", of: path)) }

  /// The greatest value of a field, in the order of `sorted`; nil of no values. NaN is none.
  public func maximum<V: FieldValue>(
    of path: any KeyPath<E, V> & Sendable
  ) -> ValueQuery<V?> { answer(.extreme("max", of: path)) }

  /// The greatest value of an optional field, "none" left out; nil of no values.
  public func maximum<V: FieldValue>(
    of path: any KeyPath<E, V?> & Sendable
  ) -> ValueQuery<V?> { answer(.extreme("max", of: path)) }

  private func answer<Value>(_ aggregate: Aggregate<E, Value>) -> ValueQuery<Value> {
    ValueQuery(space: space) { [self] (layout) throws(StoreError) in
      var text = QueryText(layout)
      let alias = text.newAlias()
      let columns = try aggregate.columns(&text, alias)
      text.sql = "SELECT \(columns)" + (try text.matching(self, alias))
      return text
    } read: { (_, statement) throws(StoreError) in
      guard try statement.step() else { throw statement.damaged("an aggregate") }
      return try aggregate.read(statement, 0)
    } isSame: {
      aggregate.isSame($0, $1)
    }
  }
}
