import ReunionCore

extension EntityDescription {
  /// The description of a schema. It makes two records with an id of zeros, to see which defaults
  /// are the same each time. What is wrong with the schema is told when a store is opened.
  public init<E: Entity>(_ schema: EntitySchema<E>) {
    // A default that is another each time, such as a random text, is nobody's to show.
    let described = schema.described()
    let blanks = (0..<2).map { _ in E(id: RecordID(high: 0, low: 0)) }
    self.init(
      number: schema.number, name: schema.name,
      fields: schema.fields.map { field in
        let initial = blanks.map(field.read)
        let isShown =
          !field.isOptional && initial[0] == initial[1]
          && [.bool, .int, .double, .text].contains(initial[0].kind)
        return FieldDescription(
          number: field.number, name: field.name, kind: field.kind,
          isSearchable: field.options.contains(.searchable), bytesMax: field.bytesMax,
          initial: isShown ? initial[0] : .null,
          rule: field.rule.map { ReferenceRule(target: $0.target(), onDelete: $0.onDelete) },
          element: (field.type as? any GatheredElements.Type)?.elementKind,
          begins: field.isOptional ? .null : initial[0])
      },
      indexes: schema.indexes.map { $0.map { schema.number(at: $0) } },
      lenses: described.lenses, fault: schema.fault() ?? described.fault)
  }
}
