public import ReunionCore
public import ReunionDisk

extension WriteTransaction {
  /// Changes a record with a closure, and returns it. It writes only the fields that the closure
  /// changed: what others write into the rest meanwhile stays.
  ///
  /// ```swift
  /// try store.write(in: space) { transaction in
  ///   try transaction.update(Photo.self, photo.id) { $0.caption = "Harbour" }
  /// }
  /// ```
  /// The closure gets the record as it is now, with what this transaction has done to it. A closure
  /// that changes nothing writes nothing.
  /// - Throws: `notFound` if no such record is alive: it has not arrived, or was deleted. Else as
  ///   `update(_:)`.
  @discardableResult
  public func update<E: Entity>(
    _: E.Type, _ id: RecordID, _ change: (inout E) -> Void
  ) throws(StoreError) -> E {
    guard var record = try fetch(E.self, id) else {
      throw StoreError(
        .notFound,
        "There is no \(E.schema.name) \(id.description) here: it has not arrived, or was deleted.")
    }
    change(&record)
    try update(record)
    return record
  }

  /// Changes a record, as it is now, with a closure, and returns it.
  ///
  /// ```swift
  /// try store.write(in: space) { try $0.update(photo) { $0.caption = "Harbour" } }
  /// ```
  /// Of the record that is passed only the id counts: the closure gets what is stored, however old
  /// the copy is.
  /// - Parameters:
  ///   - record: the record, or an earlier copy of it.
  ///   - change: what changes it.
  /// - Returns: the record after the change.
  /// - Throws: `notFound` if no such record is alive. Else as `update(_:)`.
  @discardableResult
  public func update<E: Entity>(
    _ record: E, _ change: (inout E) -> Void
  ) throws(StoreError) -> E {
    try update(E.self, record.id, change)
  }

  /// Deletes a record, as `delete(_:_:)`. Only its id counts.
  ///
  /// - Throws: `referenced` where another record refuses; `recordErased`, `invalidModel`.
  public func delete<E: Entity>(_ record: E) throws(StoreError) {
    try delete(E.self, record.id)
  }
}
