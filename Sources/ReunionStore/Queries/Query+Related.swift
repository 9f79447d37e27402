import ReunionCore
import ReunionDisk

/// Conditions on the record that a field names. A record that is not there, or deleted, meets none.
///
/// *Cost*: a look-up by id for each record. A live query with one runs again when either entity
/// changes.
extension Condition {
  /// A field names a living record that meets a condition.
  ///
  /// ```swift
  /// let summer = Query<Photo>(in: space).filter(.related(\.album, where: \.name == "Summer"))
  /// print(try store.count(summer))
  /// ```
  /// The condition may ask further, about what that record names.
  public static func related<R: TypedReferenceValue>(
    _ path: any KeyPath<E, R> & Sendable, where condition: Condition<R.Target>
  ) -> Condition { Condition(.related(path, RelatedCondition(condition: condition))) }

  /// A field names a living record that meets a condition; for fields of plain ids, whose type the
  /// condition tells: `\Album.name == "Summer"`.
  public static func related<R: ReferenceValue, Other: Entity>(
    _ path: any KeyPath<E, R> & Sendable, where condition: Condition<Other>
  ) -> Condition { Condition(.related(path, RelatedCondition(condition: condition))) }

  /// A field names no living record: it is none, or its record has not come, or is deleted.
  ///
  /// ```swift
  /// let loose = Query<Photo>(in: space).filter(.unrelated(\.album))
  /// print(try store.count(loose))
  /// ```
  public static func unrelated<R: TypedReferenceValue>(
    _ path: any KeyPath<E, R> & Sendable
  ) -> Condition { unrelated(path, to: R.Target.self) }

  /// A field of plain ids names no living record of an entity; it may name one of another.
  public static func unrelated<R: ReferenceValue, Other: Entity>(
    _ path: any KeyPath<E, R> & Sendable, to _: Other.Type
  ) -> Condition { Condition(.not(.related(path, RelatedCondition<Other>(condition: nil)))) }
}

extension Query {
  /// Those of which a field names a living record that meets a condition.
  ///
  /// ```swift
  /// let summer = Query<Photo>(in: space).filter(\.album, where: .hasPrefix(\.name, "Summer"))
  /// print(try store.count(summer))
  /// ```
  public func filter<R: TypedReferenceValue>(
    _ path: any KeyPath<E, R> & Sendable, where condition: Condition<R.Target>
  ) -> Query { filter(.related(path, where: condition)) }

  /// In the order of a field of the records that a field names, within that of earlier calls. A
  /// record comes first if it names none that is alive, or last if descending.
  ///
  /// ```swift
  /// let byAlbum = Query<Photo>(in: space).sorted(by: \.album, \.name).sorted(by: \.takenAt)
  /// print(try store.fetch(byAlbum).count)
  /// ```
  public func sorted<R: TypedReferenceValue, V: FieldValue>(
    by path: any KeyPath<E, R> & Sendable, _ field: any KeyPath<R.Target, V> & Sendable,
    descending: Bool = false
  ) -> Query {
    ordered(.related(path, RelatedPath(path: field), isDescending: descending))
  }

  /// In the order of a field of the records that a field of plain ids names, within that of earlier
  /// calls.
  public func sorted<R: ReferenceValue, Other: Entity, V: FieldValue>(
    by path: any KeyPath<E, R> & Sendable, in _: Other.Type,
    _ field: any KeyPath<Other, V> & Sendable, descending: Bool = false
  ) -> Query {
    ordered(.related(path, RelatedPath(path: field), isDescending: descending))
  }
}

/// What a related record must meet, whatever its type.
protocol RelatedRecord: Sendable {
  /// The SQL of whether such a record has an id, which is an SQL expression.
  func exists(_ id: String, in text: inout QueryText) throws(StoreError) -> String
}

struct RelatedCondition<Other: Entity>: RelatedRecord {
  let condition: Condition<Other>?

  func exists(_ id: String, in text: inout QueryText) throws(StoreError) -> String {
    let alias = text.newAlias()
    let from = try text.living(Other.self, alias)
    let rest = try condition.map { (condition) throws(StoreError) in
      " AND " + (try text.sql(condition.node, of: alias))
    }
    return "EXISTS(SELECT 1 FROM \(from) AND \(alias).id = \(id)\(rest ?? ""))"
  }
}

/// A field of a related record, whatever its type.
protocol RelatedField: Sendable {
  /// The SQL of the field's value in the living record of an id; NULL if there is none.
  func value(_ id: String, in text: inout QueryText) throws(StoreError) -> String
}

struct RelatedPath<Other: Entity>: RelatedField {
  let path: any PartialKeyPath<Other> & Sendable

  func value(_ id: String, in text: inout QueryText) throws(StoreError) -> String {
    let alias = text.newAlias()
    let column = try text.column(path, of: alias)
    return "(SELECT \(column) FROM \(try text.living(Other.self, alias)) AND \(alias).id = \(id))"
  }
}
