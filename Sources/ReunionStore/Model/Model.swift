public import ReunionCore
import ReunionDisk

/// The entities that an app knows. Others are stored and forwarded too.
///
/// ```swift
/// let model = Model(Album.schema, Photo.schema, version: 2)
/// let opened = try Store.open(folder: "album", model: model)
/// print(opened.model.entities.map(\.name))
/// ```
/// Opening a store with a model brings its tables to it: columns, views of SQL and indexes are
/// added, and nothing is removed. A store may be opened with an older model, or with none: what
/// that does not know is kept and forwarded, byte for byte.
///
/// The initialisers check nothing. `Store.open` does, and throws `invalidModel` with a sentence for
/// the first fault.
public struct Model: Sendable {
  /// The entities, by rising number.
  public let entities: [EntityDescription]
  /// Which version of the app's model it is, from 1 on. The library does nothing with it but
  /// compare it with what others require (`UpdateNeed`).
  public let version: Int
  /// The version of the model that a device must have to read what this one writes, at most its
  /// own: an older one is told that it needs an update (`UpdateNeed`). It goes on all the same.
  ///
  /// Raise it when older apps would show something wrong, and not for each new field. A space keeps
  /// the highest that anybody required, and never comes down.
  public let minimumReader: Int

  /// Makes a model of schemas, in any order.
  ///
  /// - Parameters:
  ///   - schemas: those of all entities that the app reads or writes.
  ///   - version: which version of the model it is, from 1 on.
  ///   - minimumReader: the version that readers need, from 1 to `version`.
  public init<each E: Entity>(
    _ schemas: repeat EntitySchema<each E>, version: Int = 1, minimumReader: Int = 1
  ) {
    var entities: [EntityDescription] = []
    for schema in repeat each schemas { entities.append(EntityDescription(schema)) }
    self.init(entities: entities, version: version, minimumReader: minimumReader)
  }

  /// Makes a model of descriptions, as a relay does that has none of the app's types.
  public init(entities: [EntityDescription], version: Int = 1, minimumReader: Int = 1) {
    self.entities = entities.sorted { $0.number < $1.number }
    self.version = version
    self.minimumReader = minimumReader
  }

  /// What a field is called, for a sentence: `note.text`, or its numbers where the model lacks it.
  func name(of field: UInt32, in entity: UInt32) -> String {
    guard let entity = entities.first(where: { $0.number == entity }) else {
      return "field \(field) of entity \(entity)"
    }
    let name = entity.fields.first { $0.number == field }?.name
    return "\(entity.name).\(name ?? String(field))"
  }

  /// Throws unless every number and every name is given once and is allowed, and every entity's
  /// schema lists what the entity stores.
  package func validate() throws(StoreError) {
    guard (1...max(1, version)).contains(minimumReader), version >= 1 else {
      throw StoreError(
        .invalidModel,
        "The minimum reader \(minimumReader) of version \(version) is wrong: give it one from 1 to the"
          + " version.")
    }
    for entity in entities where !ReservedEntity.contains(entity) {
      try Self.require(
        entity.number < ReservedEntity.firstNumber,
        "\(entity.number) of the entity \(entity.name) is the library's own: give it one from 1 to"
          + " \(ReservedEntity.firstNumber - 1).")
      try Self.validate(entity.name, of: "an entity")
    }
    try Self.validate(
      entities.map { ($0.number, $0.name) }, "entity", below: ReservedEntity.firstNumber)
    for entity in entities {
      if let fault = entity.fault { throw StoreError(.invalidModel, fault) }
      try Self.validate(entity.fields.map { ($0.number, $0.name) }, "field of \(entity.name)")
      for field in entity.fields { try validate(field, of: entity) }
      for index in entity.indexes ?? [] { try Self.validate(index, of: entity) }
    }
  }

  private func validate(
    _ field: FieldDescription, of entity: EntityDescription
  ) throws(StoreError) {
    try Self.validate(field.name, of: "a field of \(entity.name)")
    guard !["id", "space", "creator"].contains(field.name.lowercased()) else {
      throw StoreError(
        .invalidModel,
        "\(entity.name) has a field \"\(field.name)\": SQL needs that name: rename the field.")
    }
    guard !field.isSearchable || [.text, .set, .list].contains(field.kind) else {
      throw StoreError(
        .invalidModel, "\(entity.name).\(field.name) is not a text: it cannot be searchable.")
    }
    guard field.rule == nil || field.kind == .reference else {
      throw StoreError(
        .invalidModel,
        "\(entity.name).\(field.name) names no record: only a reference can have a rule for deletes."
      )
    }
    guard let bytesMax = field.bytesMax else { return }
    guard [.text, .bytes].contains(field.kind), (1...Value.bytesMax).contains(bytesMax) else {
      throw StoreError(
        .invalidModel,
        "The limit of \(entity.name).\(field.name) is \(bytesMax) bytes: only texts and bytes can have"
          + " one, from 1 to \(Value.bytesMax).")
    }
  }

  /// Throws unless an index has fields of the entity, each once, that an index may have.
  private static func validate(_ index: [UInt32], of entity: EntityDescription) throws(StoreError) {
    let fields = entity.fields.filter { index.contains($0.number) }
    let isWhole = !index.isEmpty && index.count <= 8 && fields.count == index.count
    guard isWhole, Set(index).count == index.count, fields.allSatisfy(\.isIndexable) else {
      throw StoreError(
        .invalidModel,
        "An index of \(entity.name) is wrong: name one to eight of its fields, each once, and no set, list"
          + " or blob.")
    }
  }

  /// Throws unless every number and every name is given once, and every number is in its range.
  private static func validate(
    _ names: [(number: UInt32, name: String)], _ what: String, below end: UInt32 = Cell.fieldMax + 1
  ) throws(StoreError) {
    var numbers: Set<UInt32> = []
    var seen: Set<String> = []
    for (number, name) in names {
      let object = "\(number) of the \(what) \(name)"
      try require(
        (1...Cell.fieldMax).contains(number),
        "\(object) is out of range: give it one from 1 to \(end - 1).")
      try require(
        numbers.insert(number).inserted,
        "\(object) is taken: give it one that no other \(what) has.")
      guard seen.insert(name.lowercased()).inserted else {
        throw StoreError(
          .invalidModel,
          "More than one \(what) is named \"\(name)\", and SQL cannot tell them apart: rename one.")
      }
    }
  }

  private static func require(_ isAllowed: Bool, _ sentence: String) throws(StoreError) {
    guard !isAllowed else { return }
    throw StoreError(.invalidModel, "The number " + sentence)
  }

  /// Throws unless an app may give a name.
  private static func validate(_ name: String, of what: String) throws(StoreError) {
    let lower = name.lowercased()
    let reason: String
    if name.isEmpty {
      reason = "it is empty"
    } else if name.utf8.contains(0) {
      reason = "it holds a zero byte"
    } else if lower.hasPrefix("reunion_") {
      reason = "names that begin with \"reunion_\" are the library's own"
    } else if lower.hasPrefix("sqlite_") {
      reason = "names that begin with \"sqlite_\" are SQLite's own"
    } else {
      return
    }
    throw StoreError(
      .invalidModel, "The name \"\(name)\" of \(what) cannot be used, \(reason): take another.")
  }
}

/// What an entity is, without its Swift type: what tools and servers have of it.
///
/// ```swift
/// for entity in store.model.entities {
///   print(entity.number, entity.name, entity.fields.map(\.name))
/// }
/// ```
public struct EntityDescription: Hashable, Sendable {
  /// The permanent number, 1 to 16,777,199 for an app's.
  public let number: UInt32
  /// The name in SQL, where a view has it.
  public let name: String
  /// The fields, by rising number.
  public let fields: [FieldDescription]
  /// The fields of each index, by their numbers; nil where nothing is said, and a store keeps what
  /// it has.
  public let indexes: [[UInt32]]?
  /// How fields are made of those of older versions, each lens after those that make what it reads.
  package let lenses: [FieldLens]
  /// What is wrong with the type's schema, for which a model is refused.
  let fault: String?

  /// Makes a description.
  public init(
    number: UInt32, name: String, fields: [FieldDescription], indexes: [[UInt32]]? = nil
  ) {
    self.init(number: number, name: name, fields: fields, indexes: indexes, lenses: [], fault: nil)
  }

  init(
    number: UInt32, name: String, fields: [FieldDescription], indexes: [[UInt32]]?,
    lenses: [FieldLens], fault: String?
  ) {
    self.indexes = indexes
    self.lenses = lenses
    self.number = number
    self.name = name
    self.fields = fields.sorted { $0.number < $1.number }
    self.fault = fault
  }
}

/// What a field is, without its Swift type.
public struct FieldDescription: Hashable, Sendable {
  /// The permanent number, from 1 on.
  public let number: UInt32
  /// The name in SQL.
  public let name: String
  /// The permanent kind; `int` and `double` may replace one another.
  public let kind: ValueKind
  /// Whether its words are in an index.
  public let isSearchable: Bool
  /// The most bytes of a text, or of bytes; nil where the model says nothing, and the limit is 512
  /// KiB.
  public let bytesMax: Int?
  /// What shows in SQL where nothing was written: a truth, a number or a text, and otherwise null.
  /// An optional field has null, and so has one whose default is another each time.
  public let initial: Value
  /// For a reference, what becomes of its record when the one that it names is deleted.
  public let rule: ReferenceRule?
  /// For a set or a list, the kind of what it holds, where the model says it.
  public let element: ValueKind?
  /// What counts in queries where nothing was written, whether it shows or not.
  let begins: Value

  /// Makes a description.
  public init(
    number: UInt32, name: String, kind: ValueKind, isSearchable: Bool = false,
    bytesMax: Int? = nil, initial: Value = .null, rule: ReferenceRule? = nil
  ) {
    self.init(
      number: number, name: name, kind: kind, isSearchable: isSearchable, bytesMax: bytesMax,
      initial: initial, rule: rule, begins: initial)
  }

  /// Makes a description of a field that begins with a value which need not show.
  package init(
    number: UInt32, name: String, kind: ValueKind, isSearchable: Bool, bytesMax: Int?,
    initial: Value, rule: ReferenceRule?, element: ValueKind? = nil, begins: Value
  ) {
    self.element = element
    self.rule = rule
    self.begins = begins
    self.initial = initial
    self.isSearchable = isSearchable
    self.bytesMax = bytesMax
    self.number = number
    self.name = name
    self.kind = kind
  }
}
