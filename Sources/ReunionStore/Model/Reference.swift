public import ReunionCore
public import ReunionDisk

/// A field that names another record, which may not have arrived yet, or be deleted by now.
///
/// ```swift
/// struct Photo: Entity {
///   var album: Reference<Album>?
///   …
/// }
/// let album = try store.fetch(photo.album, in: space)
/// ```
/// Nothing is read before it is asked for. It is stored as a `RecordID` is: a field of one type may
/// become one of the other.
public struct Reference<Target: Entity>: FieldValue, Hashable {
  /// The id of the record that it names.
  public let id: RecordID

  /// Makes a reference to a record of this id, which need not be there.
  public init(_ id: RecordID) { self.id = id }

  /// Makes a reference to a record.
  public init(_ record: Target) { id = record.id }

  /// References are stored as ids are.
  public static var valueKind: ValueKind { .reference }
  /// The id.
  public var storedValue: Value { .reference(id) }
  /// Reads an id.
  public init?(storedValue: Value) {
    guard let id = storedValue.reference else { return nil }
    self.id = id
  }
}

extension Reference {
  /// The record that it names, as of the last commit; nil while there is none alive.
  public func resolve(in store: Store, _ space: SpaceID) throws -> Target? {
    try store.fetch(Target.self, id, in: space)
  }
}

extension Store {
  /// The record that a reference names, as of the last commit; nil for no reference, and while there
  /// is none alive: it has not arrived, or it is deleted. The reference stays as it is.
  public func fetch<Target: Entity>(
    _ reference: Reference<Target>?, in space: SpaceID
  ) throws -> Target? {
    try reference.flatMap { try fetch(Target.self, $0.id, in: space) }
  }
}

extension WriteTransaction {
  /// The record that a reference names, with what this transaction has done to it; nil for no
  /// reference, and while there is none alive.
  public func fetch<Target: Entity>(
    _ reference: Reference<Target>?
  ) throws(StoreError) -> Target? {
    guard let reference else { return nil }
    return try fetch(Target.self, reference.id)
  }
}
