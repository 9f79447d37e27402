import ReunionCore
import ReunionDisk

/// A record with the one that a field of it names, both as of one commit.
///
/// ```swift
/// let pairs = Query<Photo>(in: space).joined(\.album)
/// for pair in try store.fetch(pairs) { print(pair.record.caption ?? "", pair.other?.name ?? "–") }
/// ```
public struct Joined<Record: Entity, Other: Entity>: Sendable {
  /// The record.
  public let record: Record
  /// The record that it names; nil where it names none, or none that lives.
  public let other: Other?

  static func isSame(_ left: Joined, _ right: Joined) -> Bool {
    guard Record.isSame(left.record, right.record) else { return false }
    guard let one = left.other, let other = right.other else {
      return left.other == nil && right.other == nil
    }
    return Other.isSame(one, other)
  }
}

extension Query {
  /// The records in the query's order, each with the one that a field names. All are there, also
  /// those that name none.
  ///
  /// ```swift
  /// let photos = Query<Photo>(in: space).sorted(by: \.caption).joined(\.album)
  /// let live = try store.liveResult(of: photos)
  /// print(live.value.value.map { $0.other?.name ?? "no album" })
  /// ```
  /// *Cost*: a look-up by id for each record, in the same query.
  public func joined<R: TypedReferenceValue>(
    _ path: any KeyPath<E, R> & Sendable
  ) -> ValueQuery<QueryResult<Joined<E, R.Target>>> { joined(path, to: R.Target.self) }

  /// The records, each with the one of an entity that a field of plain ids names. `other` is nil if
  /// the id is that of a record of another entity.
  public func joined<R: ReferenceValue, Other: Entity>(
    _ path: any KeyPath<E, R> & Sendable, to _: Other.Type
  ) -> ValueQuery<QueryResult<Joined<E, Other>>> {
    ValueQuery(space: space) { [self] (layout) throws(StoreError) in
      var text = QueryText(layout)
      let (alias, other) = (text.newAlias(), text.newAlias())
      let columns = text.record(E.self, of: alias) + ", " + text.record(Other.self, of: other)
      let join =
        " LEFT JOIN \(try text.table(Other.self).name) AS \(other) ON \(other).space = ?1"
        + " AND \(other).id = \(try text.column(path, of: alias)) AND \(other).alive"
      text.sql = "SELECT \(columns)" + (try text.matching(self, alias, joining: join))
      text.sql += try text.order(self, alias)
      return text
    } read: { (reader, statement) throws(StoreError) in
      var result = QueryResult(isEqual: Joined<E, Other>.isSame)
      let first = Int32(2 + E.schema.fields.count)
      while try statement.step() {
        let (record, arrival): (E, UInt64) = try reader.record(statement)
        var joined = Joined<E, Other>(record: record, other: nil)
        var version = QueryResult<Joined<E, Other>>.Version(record: arrival)
        if !statement.isNull(first) {
          let other: (Other, UInt64) = try reader.record(statement, from: first)
          joined = Joined(record: record, other: other.0)
          version.other = other.1
        }
        result.append(joined, record.id, version)
      }
      return result
    } isSame: {
      $0.isSame(as: $1)
    }
  }

  /// One field of the records, in their order and up to the limit. It reads that field alone, and
  /// those that the conditions and the order go by.
  ///
  /// ```swift
  /// let photos = Query<Photo>(in: space).sorted(by: \.caption)
  /// print(try store.fetch(photos.select(\.caption)).compactMap { $0 })
  /// ```
  /// A value that the type cannot read shows as the default, as in a record.
  public func select<V: FieldValue>(
    _ path: any KeyPath<E, V> & Sendable
  ) -> ValueQuery<[V]> {
    ValueQuery(space: space) { [self] (layout) throws(StoreError) in
      var text = QueryText(layout)
      let alias = text.newAlias()
      let column = try text.column(path, of: alias)
      text.sql = "SELECT \(column)" + (try text.matching(self, alias))
      text.sql += try text.order(self, alias)
      return text
    } read: { (_, statement) throws(StoreError) in
      let field = try E.schema.field(path)
      var values: [V] = []
      while try statement.step() {
        let value = try statement.value(0, kind: field.kind)
        values.append(V(storedValue: value) ?? E.withDefaults[keyPath: path])
      }
      return values
    } isSame: {
      $0.map(\.storedValue) == $1.map(\.storedValue)
    }
  }

  /// The records as one answer.
  var result: ValueQuery<QueryResult<E>> {
    ValueQuery(space: space) { [self] (layout) throws(StoreError) in
      try QueryText.records(self, layout)
    } read: { (reader, statement) throws(StoreError) in
      var result = QueryResult<E>()
      while try statement.step() {
        let (record, arrival): (E, UInt64) = try reader.record(statement)
        result.append(record, record.id, .init(record: arrival))
      }
      return result
    } isSame: {
      $0.isSame(as: $1)
    }
  }
}
