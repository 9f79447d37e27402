public import ReunionCore
public import ReunionDisk

extension WriteTransaction {
  /// Changes a record with a closure, and returns it. It writes only the fields that the closure
  /// changed: what others write into the rest meanwhile stays.
  ///
  ///     try transaction.update(Photo.self, id) { $0.caption = "Harbour" }
  ///
  /// - Throws: `notFound` if no such record is alive, `valueTooLarge`.
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
  ///     try transaction.update(photo) { $0.caption = "Harbour" }
  ///
  /// - Throws: `notFound` if no such record is alive, `valueTooLarge`.
  @discardableResult
  public func update<E: Entity>(
    _ record: E, _ change: (inout E) -> Void
  ) throws(StoreError) -> E {
    try update(E.self, record.id, change)
  }

  /// Deletes a record, as `delete(_:_:)`.
  public func delete<E: Entity>(_ record: E) throws(StoreError) {
    try delete(E.self, record.id)
  }
}
