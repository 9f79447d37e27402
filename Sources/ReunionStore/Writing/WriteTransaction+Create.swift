import ReunionCore
public import ReunionDisk

extension WriteTransaction {
  /// Creates a record under a new id, as a closure sets it up, and returns it; without a closure
  /// every field has its default.
  ///
  /// ```swift
  /// let added = try store.write(in: space) { transaction in
  ///   try transaction.create(Photo.self) { $0.caption = "Harbour" }
  /// }
  /// print(added.id)
  /// ```
  /// The closure sets the fields and cannot throw: find out before what may fail. Returned is the
  /// record as it was written, with its id.
  /// - Throws: as `create(_:)`; never `alreadyExists`.
  @discardableResult
  public func create<E: Entity>(
    _: E.Type, _ configure: (inout E) -> Void = { _ in }
  ) throws(StoreError) -> E {
    var entity = E(id: newID())
    configure(&entity)
    try create(entity)
    return entity
  }
}
