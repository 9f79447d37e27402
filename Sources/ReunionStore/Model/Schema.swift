public import ReunionCore

/// A type whose instances are records.
///
/// ```swift
/// struct Photo: Entity {
///   let id: RecordID
///   var caption = ""
///   var original: BlobReference?
///   init(id: RecordID) { self.id = id }
///   static let schema = Schema<Photo>(3, "photo", [
///     .field(1, "caption", \.caption), .field(2, "original", \.original),
///   ])
/// }
/// ```
public protocol Entity: Sendable {
  /// The record's id.
  var id: RecordID { get }
  /// Makes a record with the defaults of all fields.
  init(id: RecordID)
  /// The entity's number and name, and its fields.
  static var schema: Schema<Self> { get }
}

/// What an entity's records are made of. Numbers are permanent; names may change.
public struct Schema<E: Entity>: Sendable {
  /// The entity's permanent number, 1 to 16,777,216.
  public let number: UInt32
  /// The entity's name in SQL.
  public let name: String
  /// The fields.
  public let fields: [Field<E>]

  /// Makes a schema.
  public init(_ number: UInt32, _ name: String, _ fields: [Field<E>]) {
    self.number = number
    self.name = name
    self.fields = fields
  }

  /// The field at a key path.
  func field(_ path: PartialKeyPath<E>) throws(StoreError) -> Field<E> {
    for field in fields where field.path == path { return field }
    throw StoreError(.invalidModel, "The schema of \(name) has no field for \(path): add it.")
  }
}

/// A field of an entity: its permanent number and kind, its name, and where it is in the type.
public struct Field<E: Entity>: Sendable {
  let number: UInt32
  let name: String
  let kind: ValueKind
  let isOptional: Bool
  let options: FieldOptions
  let path: any PartialKeyPath<E> & Sendable
  let read: @Sendable (E) -> Value
  let write: @Sendable (Value, inout E) -> Void

  /// Makes a field. The number and the kind are permanent: what needs another kind is a new field.
  public static func field<V: FieldValue>(
    _ number: UInt32, _ name: String, _ path: any WritableKeyPath<E, V> & Sendable,
    _ options: FieldOptions = []
  ) -> Field<E> {
    Field(
      number: number, name: name, kind: V.valueKind, isOptional: V.isOptional, options: options,
      path: path,
      read: { $0[keyPath: path].storedValue },
      write: { value, entity in
        if let read = V(storedValue: value) { entity[keyPath: path] = read }
      })
  }
}

/// What a store keeps of a field beside its values. It may change from one version of an app to the
/// next.
public struct FieldOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: UInt8

  /// Makes options of bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// An index of the words in it, for `Query.matching`: for texts, and for sets and lists of texts.
  ///
  /// *Cost*: each write of the field writes the index as well; a store that is opened with a model
  /// that newly says so reads all records of the entity once.
  public static let searchable = FieldOptions(rawValue: 1)
}
