public import ReunionCore
import ReunionDisk

/// A field that names another record, which may not have arrived yet, or be deleted by now.
///
/// ```swift
/// try store.write(in: space) { try $0.update(photo) { $0.album = Reference(album) } }
/// let kept = try store.fetch(Photo.self, photo.id, in: space)
/// if let album = try store.fetch(kept?.album, in: space) { print("In", album.name) }
/// let others = try store.fetch(Query<Photo>(in: space).filter(\.album == album))
/// print(others.count)
/// ```
/// It is the id and no more: nothing is read before it is asked for, and a write does not look
/// whether the record is there. Queries and delete rules look for it in the space of the record
/// that names it. What becomes of that one when it is deleted, a `DeleteRule` says.
///
/// It is stored as a `RecordID` is: a field of one type may become one of the other. For many
/// references at once use `Query.joined(_:)`, which reads both in one query.
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

/// A type of field that names a record: `RecordID`, `Reference`, and optionals of them. A type of
/// your own over an id may conform, so that queries follow it.
public protocol ReferenceValue: FieldValue {}

/// A type of field that names a record and tells the type of it, so that a query need not be told:
/// `Reference` and its optional.
public protocol TypedReferenceValue: ReferenceValue {
  /// The type of the record.
  associatedtype Target: Entity
}

extension RecordID: ReferenceValue {}
extension Reference: TypedReferenceValue {}
extension Optional: ReferenceValue where Wrapped: ReferenceValue {}
extension Optional: TypedReferenceValue where Wrapped: TypedReferenceValue {
  /// The type of the record.
  public typealias Target = Wrapped.Target
}
