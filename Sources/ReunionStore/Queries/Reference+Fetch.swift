public import ReunionCore
public import ReunionDisk

extension Reference {
  /// The record that it names, as of the last commit; nil while there is none alive.
  /// `Store.fetch(_:in:)` does the same, also for an optional reference.
  public func resolve(in store: Store, _ space: SpaceID) throws -> Target? {
    try store.fetch(Target.self, id, in: space)
  }
}

extension Store {
  /// The record that a reference names, as of the last commit. It is nil for no reference, and
  /// while the record has not arrived or is deleted. The reference stays as it is.
  ///
  /// ```swift
  /// if let album = try store.fetch(photo.album, in: space) { print("In", album.name) }
  /// ```
  /// *Cost*: one look-up. For those of many records use `Query.joined(_:)`.
  public func fetch<Target: Entity>(
    _ reference: Reference<Target>?, in space: SpaceID
  ) throws -> Target? {
    try reference.flatMap { try fetch(Target.self, $0.id, in: space) }
  }
}

extension WriteTransaction {
  /// The record that a reference names, in the write's space and with what this transaction has
  /// done to it. It is nil for no reference, and while the record is not alive.
  public func fetch<Target: Entity>(
    _ reference: Reference<Target>?
  ) throws(StoreError) -> Target? {
    guard let reference else { return nil }
    return try fetch(Target.self, reference.id)
  }
}
