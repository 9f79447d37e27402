import ReunionCore
public import ReunionDisk

extension WriteTransaction {
  /// Creates a record under a new id, as a closure sets it up, and returns it; without a closure every
  /// field has its default.
  ///
  ///     let note = try transaction.create(Note.self) { $0.text = "Milk" }
  ///
  /// - Throws: `valueTooLarge`, `invalidModel` for an entity that the store's model lacks.
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
