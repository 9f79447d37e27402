public import ReunionCore

/// The entities that an app knows. Others are stored and forwarded all the same.
public struct Model: Sendable {
  /// The entities, by rising number.
  public let entities: [EntityDescription]

  /// Makes a model of schemas.
  public init<each E: Entity>(_ schemas: repeat Schema<each E>) {
    var entities: [EntityDescription] = []
    for schema in repeat each schemas { entities.append(EntityDescription(schema)) }
    self.entities = entities.sorted { $0.number < $1.number }
  }

  /// Makes a model of descriptions, as a relay does that has none of the app's types.
  public init(entities: [EntityDescription]) {
    self.entities = entities.sorted { $0.number < $1.number }
  }

  /// Entities from this number on are the library's own.
  static let reservedNumbers = SettingSlot.entity

  /// Throws unless every number and every name is given once and is allowed.
  func validate() throws(StoreError) {
    try Self.validate(entities.map { ($0.number, $0.name) }, "entity")
    for entity in entities {
      guard entity.number < Self.reservedNumbers else {
        throw StoreError(
          .invalidModel,
          "The number \(entity.number) of the entity \(entity.name) is the library's own: give it one"
            + " below \(Self.reservedNumbers).")
      }
      try Self.validate(entity.fields.map { ($0.number, $0.name) }, "field of \(entity.name)")
      for field in entity.fields where ["id", "space", "creator"].contains(field.name.lowercased())
      {
        throw StoreError(
          .invalidModel, "\(entity.name) has a field \"\(field.name)\": SQL needs that name.")
      }
      for field in entity.fields where field.isSearchable {
        guard [.text, .set, .list].contains(field.kind) else {
          throw StoreError(
            .invalidModel, "\(entity.name).\(field.name) is no text: it cannot be searchable.")
        }
      }
    }
  }

  private static func validate(
    _ names: [(number: UInt32, name: String)], _ what: String
  ) throws(StoreError) {
    var numbers: Set<UInt32> = []
    var seen: Set<String> = []
    for (number, name) in names {
      let lower = name.lowercased()
      guard number >= 1, number <= Cell.fieldMax, numbers.insert(number).inserted else {
        throw StoreError(.invalidModel, "The number \(number) of the \(what) \(name) is taken.")
      }
      guard !name.isEmpty, !lower.hasPrefix("reunion_"), !lower.hasPrefix("sqlite_"),
        !name.utf8.contains(0), seen.insert(lower).inserted
      else {
        throw StoreError(.invalidModel, "The name \"\(name)\" of a \(what) cannot be used.")
      }
    }
  }
}

/// What an entity is, without its Swift type.
public struct EntityDescription: Hashable, Sendable {
  /// The permanent number.
  public let number: UInt32
  /// The name in SQL.
  public let name: String
  /// The fields, by rising number.
  public let fields: [FieldDescription]

  /// Makes a description.
  public init(number: UInt32, name: String, fields: [FieldDescription]) {
    self.number = number
    self.name = name
    self.fields = fields.sorted { $0.number < $1.number }
  }

  /// The description of a schema.
  public init<E: Entity>(_ schema: Schema<E>) {
    self.init(
      number: schema.number, name: schema.name,
      fields: schema.fields.map {
        FieldDescription(
          number: $0.number, name: $0.name, kind: $0.kind,
          isSearchable: $0.options.contains(.searchable))
      })
  }
}

/// What a field is, without its Swift type.
public struct FieldDescription: Hashable, Sendable {
  /// The permanent number.
  public let number: UInt32
  /// The name in SQL.
  public let name: String
  /// The permanent kind.
  public let kind: ValueKind
  /// Whether its words are in an index.
  public let isSearchable: Bool

  /// Makes a description.
  public init(number: UInt32, name: String, kind: ValueKind, isSearchable: Bool = false) {
    self.isSearchable = isSearchable
    self.number = number
    self.name = name
    self.kind = kind
  }
}
