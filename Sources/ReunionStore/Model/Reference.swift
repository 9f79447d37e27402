public import ReunionCore
import ReunionDisk

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

/// A type of field that names a record: `RecordID`, `Reference`, and optionals of them.
public protocol ReferenceValue: FieldValue {}

/// A type of field that names a record and tells the type of it.
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
