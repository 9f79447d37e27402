public import ReunionCore
public import ReunionDisk

/// A type whose instances are records.
///
/// ```swift
/// struct Note: Entity {
///   let id: RecordID
///   var text = ""
///   var photo: Reference<Photo>?
///   var isOpen = false
///   init(id: RecordID) { self.id = id }
///   static let schema = EntitySchema<Note>(
///     3, "note",
///     [.field(1, "text", \.text, .searchable), .field(2, "photo", \.photo, onDelete: .clear)],
///     transient: [\.isOpen])
/// }
/// ```
/// It is a struct: a copy of a record as of one moment, which changes nothing in the store until a
/// write says so. Every stored property except the id is a field or is listed as transient. A model
/// refuses any other with `invalidModel` and the property's name, so that no property silently goes
/// unsaved. A class is refused too.
public protocol Entity: Identifiable, Sendable where ID == RecordID {
  /// The record's id, for ever. `newID()` makes one.
  var id: RecordID { get }
  /// Makes a record with the defaults of all fields. It is called for each record that is fetched,
  /// and now and then with an id of zeros to learn the defaults. Let it set the id, and do nothing
  /// else.
  ///
  /// A default counts in queries and indexes, so that it should be the same each time. A random or
  /// a present one is a value that the creator sets.
  init(id: RecordID)
  /// The entity's number and name, and its fields. Make it a `static let`: it is asked for often.
  static var schema: EntitySchema<Self> { get }
}

/// What an entity's records are made of. Numbers are permanent; names may change.
///
/// ```swift
/// struct Film: Entity {
///   let id: RecordID
///   var title = ""
///   var year = 0
///   var isSelected = false
///   init(id: RecordID) { self.id = id }
///   static let schema = EntitySchema<Film>(
///     1, "film", [.field(1, "title", \.title, .searchable), .field(2, "year", \.year)],
///     indexes: [[\.year]], transient: [\.isSelected])
/// }
/// ```
/// An entity may change from one version of an app to the next. Its number stays, and so do the
/// numbers and kinds of its fields. A field that is left out is hidden, and its values stay. Give a
/// new one a number that was never used.
///
/// What is wrong with a schema shows when a store is opened with it: `open` throws `invalidModel`
/// with a sentence.
public final class EntitySchema<E: Entity>: Sendable {
  /// The entity's permanent number, 1 to 16,777,199: those above are the library's.
  public let number: UInt32
  /// The entity's name in SQL and in sentences. It may change. Names that begin with `reunion_` are
  /// the library's, and those with `sqlite_` are SQLite's; two entities may not differ in case
  /// alone.
  public let name: String
  /// The fields, in the order in which they were listed. The order says nothing.
  public let fields: [Field<E>]
  /// The stored properties that are not saved.
  let transient: [any PartialKeyPath<E> & Sendable]
  /// The fields of each index.
  let indexes: [[any PartialKeyPath<E> & Sendable]]
  /// The fields that are in an index, by number.
  let indexed: Set<UInt32>
  /// How fields are made of those of older versions.
  let lenses: [Lens<E>]
  /// Makes the records of all rows of a fetch.
  @usableFromInline let readRows: @Sendable (RowReader, [FieldLoad]?) throws(StoreError) -> [E]
  /// What a key path is looked up by.
  private let names: [FieldName]
  /// The fields' numbers, in the same order.
  let numbers: [UInt32]
  /// How the fields are read into the type's memory; nil where one is a computed property.
  let loads: [FieldLoad]?

  /// Makes a schema.
  ///
  /// *Indexes*: each has its fields in their order. `[\.album, \.takenAt]` finds the photos of an
  /// album, and gives them by the time. It serves a query whose conditions compare its first
  /// fields, and whose order goes by what follows. A field with `onDelete` has one anyway. An index
  /// costs at each write of one of its fields. A store that is opened with a model that newly names
  /// one reads all records of the entity once.
  ///
  /// *Transient*: stored properties that no field keeps; every fetch gives their default. List
  /// there also the storage behind a computed property that is a field, such as `\._rating` of
  /// `@Clamped var rating`.
  ///
  /// - Parameters:
  ///   - number: the permanent number, 1 to 16,777,199.
  ///   - name: the name in SQL.
  ///   - fields: each with a number and a name of its own. SQL needs the names `id`, `space` and
  ///     `creator` for itself.
  ///   - indexes: of one to eight fields each, every field once; no sets, lists and blobs.
  ///   - transient: the stored properties that are not saved.
  ///   - lenses: how fields are made of those that older versions write; see `Lens`.
  @inlinable
  public convenience init(
    _ number: UInt32, _ name: String, _ fields: [Field<E>],
    indexes: [[any PartialKeyPath<E> & Sendable]] = [],
    transient: [any PartialKeyPath<E> & Sendable] = [], lenses: [Lens<E>] = []
  ) {
    self.init(number, name, fields, indexes, transient, lenses) {
      (rows, loads) throws(StoreError) in
      // Inlined into the app, where the type of the records is known.
      var entities: [E] = []
      while let id = try rows.next() {
        var entity = E(id: id)
        if let loads {
          try withUnsafeMutableBytes(of: &entity) { (memory) throws(StoreError) in
            try rows.read(loads, into: memory)
          }
        } else {
          try rows.read(fields, into: &entity)
        }
        entities.append(entity)
      }
      return entities
    }
  }

  @usableFromInline
  init(
    _ number: UInt32, _ name: String, _ fields: [Field<E>],
    _ indexes: [[any PartialKeyPath<E> & Sendable]],
    _ transient: [any PartialKeyPath<E> & Sendable], _ lenses: [Lens<E>],
    readRows: @escaping @Sendable (RowReader, [FieldLoad]?) throws(StoreError) -> [E]
  ) {
    self.number = number
    self.name = name
    self.fields = fields
    self.indexes = indexes
    self.transient = transient
    self.lenses = lenses
    self.readRows = readRows
    let inIndexes = indexes.joined().compactMap { path in fields.first { $0.path == path }?.number }
    indexed = Set(inIndexes).union(fields.filter { $0.rule != nil }.map(\.number))
    let loads = fields.compactMap(\.place?.load)
    self.loads = loads.count == fields.count ? loads : nil
    numbers = fields.map(\.number)
    names = fields.map { field in
      FieldName(offset: field.place?.offset, type: ObjectIdentifier(field.type))
    }
  }

  /// Reads the row on which a statement stands, and those after it.
  func rows(_ statement: Statement) throws(StoreError) -> [E] {
    try readRows(try RowReader(statement), loads)
  }

  /// The field at a key path.
  func field<V: FieldValue>(_ path: KeyPath<E, V>) throws(StoreError) -> Field<E> {
    fields[try index(path)]
  }

  /// The position of the field at a key path.
  func index<V: FieldValue>(_ path: KeyPath<E, V>) throws(StoreError) -> Int {
    // Where a property is in memory names it, and is found sooner than that paths are compared.
    let name = FieldName(offset: MemoryLayout<E>.offset(of: path), type: ObjectIdentifier(V.self))
    if name.offset != nil, let index = names.firstIndex(of: name) { return index }
    return try index(path as PartialKeyPath<E>)
  }

  /// The number of the field at a key path, or 0 if there is none.
  func number(at path: PartialKeyPath<E>) -> UInt32 {
    fields.first { $0.path == path }?.number ?? 0
  }

  /// The field at a key path.
  func field(_ path: PartialKeyPath<E>) throws(StoreError) -> Field<E> {
    fields[try index(path)]
  }

  private func index(_ path: PartialKeyPath<E>) throws(StoreError) -> Int {
    if let index = fields.firstIndex(where: { $0.path == path }) { return index }
    throw StoreError(.invalidModel, "The schema of \(name) has no field for \(path): add it.")
  }
}

/// A property by where it is in memory, and of which type.
private struct FieldName: Equatable {
  let offset: Int?
  let type: ObjectIdentifier
}

/// A field of an entity: its permanent number and kind, its name, and where it is in the type.
///
/// ```swift
/// let caption = Field<Photo>.field(1, "caption", \.caption, .searchable, bytesMax: 4096)
/// let thumbnail = Field<Photo>.field(6, "thumbnail", \.thumbnail, inlineBelow: 32 * 1024)
/// print([caption, thumbnail].count)
/// ```
/// In a schema the type is known, and `.field(1, "caption", \.caption)` is enough.
public struct Field<E: Entity>: Sendable {
  let number: UInt32
  let name: String
  let kind: ValueKind
  let isOptional: Bool
  let options: FieldOptions
  /// For a blob: from how many bytes on it is a file; nil for other fields.
  let inlineBelow: Int?
  /// The most bytes of a text, or of bytes; nil for 512 KiB.
  let bytesMax: Int?
  /// The value that the model's file says the field begins with; nil if there is no such file.
  let declared: Value?
  /// What becomes of a record when the one that the field names is deleted.
  var rule: FieldRule?
  let path: any PartialKeyPath<E> & Sendable
  /// The type of the property.
  let type: any FieldValue.Type
  /// Where a stored property is in the type's memory; nil for computed ones.
  let place: FieldPlace?
  let read: @Sendable (E) -> Value
  let write: @Sendable (Value, inout E) -> Void
  /// Sets the property to what a column holds; leaves it where that is nothing.
  let load: @Sendable (ColumnReader, inout E) throws(StoreError) -> Void

  /// Makes a field. The number and the kind are permanent: for another kind, add a new field, and a
  /// `Lens` that makes the one of the other.
  ///
  /// `bytesMax` is the most that a text (in UTF-8) or bytes may have, at most 512 KiB. A write with
  /// a longer value throws `valueTooLarge`, and a server refuses a guest's. Without it, a guest's
  /// value may have 64 KiB. It may change; stored values stay, and longer ones that others wrote
  /// are shown. `initial` is what a model's file says that the field begins with; a property that
  /// begins otherwise is an error of the model.
  ///
  /// A path may lead into a struct (`\.place.latitude`) or to a computed property. A stored
  /// property is read and written many times faster.
  @inlinable
  public static func field<V: FieldValue>(
    _ number: UInt32, _ name: String, _ path: any WritableKeyPath<E, V> & Sendable,
    _ options: FieldOptions = [], bytesMax: Int? = nil, initial: Value? = nil
  ) -> Field<E> {
    Field(
      number, name, path,
      place: FieldPlace(path), inlineBelow: nil, options, bytesMax: bytesMax, declared: initial)
  }

  @usableFromInline
  init<V: FieldValue>(
    _ number: UInt32, _ name: String, _ path: any WritableKeyPath<E, V> & Sendable,
    place: FieldPlace?, inlineBelow: Int?, _ options: FieldOptions = [], bytesMax: Int? = nil,
    declared: Value? = nil
  ) {
    self.declared = declared
    self.options = options
    self.bytesMax = bytesMax
    let isBlob = V.self == Blob.self || V.self == Blob?.self
    self.inlineBelow = isBlob ? inlineBelow ?? Blob.inlineBelow : nil
    self.number = number
    self.name = name
    kind = V.valueKind
    isOptional = V.isOptional
    self.path = path
    type = V.self
    self.place = place
    read = { $0[keyPath: path].storedValue }
    write = { value, entity in
      if let read = V(storedValue: value) { entity[keyPath: path] = read }
    }
    load = { (column, entity) throws(StoreError) in
      if let read = try V.read(column) { entity[keyPath: path] = read }
    }
  }
}

/// Where a field is in the memory of its entity's type, by which it is reached many times faster
/// than by a key path (`MemoryLayout.offset(of:)` says that this may be done).
@usableFromInline
struct FieldPlace: Sendable {
  let load: FieldLoad
  let store: FieldStore

  var offset: Int { load.offset }

  /// Nil for computed properties. Inlined into the app, where the type of the field is known.
  @inlinable
  init?<E, V: FieldValue>(_ path: KeyPath<E, V>) {
    guard let offset = MemoryLayout<E>.offset(of: path) else { return nil }
    self.init(
      FieldLoad(offset: offset) { (column, property) throws(StoreError) in
        guard let value = try V.read(column) else { return }
        property.assumingMemoryBound(to: V.self).pointee = value
      },
      FieldStore(offset: offset) { (property, column) throws(StoreError) in
        try property.assumingMemoryBound(to: V.self).pointee.write(to: &column)
      })
  }

  @usableFromInline
  init(_ load: FieldLoad, _ store: FieldStore) {
    self.load = load
    self.store = store
  }
}

/// Sets a property to what a column holds; leaves it where that is nothing.
@usableFromInline
struct FieldLoad: Sendable {
  let offset: Int
  let body: @Sendable (ColumnReader, UnsafeMutableRawPointer) throws(StoreError) -> Void

  @usableFromInline
  init(
    offset: Int,
    body: @escaping @Sendable (ColumnReader, UnsafeMutableRawPointer) throws(StoreError) -> Void
  ) {
    self.offset = offset
    self.body = body
  }
}

/// Writes a property into a column.
@usableFromInline
struct FieldStore: Sendable {
  let offset: Int
  let body: @Sendable (UnsafeRawPointer, inout ColumnWriter) throws(StoreError) -> Void

  @usableFromInline
  init(
    offset: Int,
    body: @escaping @Sendable (UnsafeRawPointer, inout ColumnWriter) throws(StoreError) -> Void
  ) {
    self.offset = offset
    self.body = body
  }
}

/// What a store keeps of a field beside its values. It may change from one version of an app to the
/// next.
///
/// ```swift
/// let field = Field<Photo>.field(1, "caption", \.caption, .searchable)
/// let found = try store.fetch(Query<Photo>(in: space).matching("harbour"))
/// print(field, found.count)
/// ```
public struct FieldOptions: OptionSet, Sendable {
  /// The options as bits.
  public let rawValue: UInt8

  /// Makes options of bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// An index of the words in it, for `Query.matching(_:prefixes:)`: for texts, and for sets and
  /// lists of texts. A model with another searchable field is refused with `invalidModel`.
  ///
  /// *Cost*: each write of the field writes the index as well; a store that is opened with a model
  /// that newly says so reads all records of the entity once.
  public static let searchable = FieldOptions(rawValue: 1)
}
