import ReunionDisk

/// The records of a query in groups of which a field has the same value: what is computed of them.
///
/// ```swift
/// let perAlbum = Query<Photo>(in: space).grouped(by: \.album).count()
/// for group in try store.fetch(perAlbum) { print(group.key?.id as Any, group.value) }
/// ```
/// Groups come in the order of their keys, "none" first; a group of no records is not there.
/// Records whose key the type cannot read, as of a newer app's enum, are in no group. The query's
/// order and limit do not count.
public struct GroupedQuery<E: Entity, Key: FieldValue>: Sendable {
  let query: Query<E>
  let path: any KeyPath<E, Key> & Sendable

  /// What was computed of one group.
  public struct Group<Value: Sendable>: Sendable {
    /// The value of the field that the group's records have in common.
    public let key: Key
    /// What was computed.
    public let value: Value
  }

  /// How many records are in each group: one at least.
  public func count() -> ValueQuery<[Group<Int>]> { answer(.count) }

  /// The sum of a field in each group, as `Query.sum(of:)`.
  ///
  /// ```swift
  /// let stars = Query<Photo>(in: space).grouped(by: \.isHidden).sum(of: \.stars)
  /// for group in try store.fetch(stars) { print(group.key, group.value) }
  /// ```
  public func sum<V: SummableValue>(
    of path: any KeyPath<E, V> & Sendable
  ) -> ValueQuery<[Group<V.Sum>]> { answer(.sum(of: path)) }

  /// The average of a field in each group, as `Query.average(of:)`; nil for a group without values.
  public func average<V: SummableValue>(
    of path: any KeyPath<E, V> & Sendable
  ) -> ValueQuery<[Group<Double?>]> { answer(.average(of: path)) }

  /// The least value of a field in each group, as `Query.minimum`.
  public func minimum<V: FieldValue>(
    of path: any KeyPath<E, V> & Sendable
  ) -> ValueQuery<[Group<V?>]> { answer(.extreme("min", of: path)) }

  /// The least value of an optional field in each group, as `Query.minimum`.
  public func minimum<V: FieldValue>(
    of path: any KeyPath<E, V?> & Sendable
  ) -> ValueQuery<[Group<V?>]> { answer(.extreme("min", of: path)) }

  /// The greatest value of a field in each group, as `Query.maximum`.
  public func maximum<V: FieldValue>(
    of path: any KeyPath<E, V> & Sendable
  ) -> ValueQuery<[Group<V?>]> { answer(.extreme("max", of: path)) }

  /// The greatest value of an optional field in each group, as `Query.maximum`.
  public func maximum<V: FieldValue>(
    of path: any KeyPath<E, V?> & Sendable
  ) -> ValueQuery<[Group<V?>]> { answer(.extreme("max", of: path)) }

  private func answer<Value>(_ aggregate: Aggregate<E, Value>) -> ValueQuery<[Group<Value>]> {
    ValueQuery(space: query.space) { [self] (layout) throws(StoreError) in
      var text = QueryText(layout)
      let alias = text.newAlias()
      let key = try text.column(path, of: alias)
      let columns = try aggregate.columns(&text, alias)
      text.sql = "SELECT \(key), \(columns)" + (try text.matching(query, alias))
      text.sql += " GROUP BY 1 ORDER BY 1"
      return text
    } read: { (_, statement) throws(StoreError) in
      var groups: [Group<Value>] = []
      while try statement.step() {
        let value = try statement.value(0, kind: Key.valueKind)
        guard let key = Key(storedValue: value) else { continue }
        groups.append(Group(key: key, value: try aggregate.read(statement, 1)))
      }
      return groups
    } isSame: { left, right in
      left.count == right.count
        && zip(left, right).allSatisfy {
          $0.key.storedValue == $1.key.storedValue && aggregate.isSame($0.value, $1.value)
        }
    }
  }
}

extension Query {
  /// The records in groups of which a field has the same value. Say what is computed of each:
  /// `grouped(by: \.album).count()`.
  public func grouped<Key: FieldValue>(
    by path: any KeyPath<E, Key> & Sendable
  ) -> GroupedQuery<E, Key> { GroupedQuery(query: self, path: path) }
}
