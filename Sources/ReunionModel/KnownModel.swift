/// What the versions before one have said of every number, so that the next one holds to all of it.
///
/// What a version hides stays as it was last shown: stores have it so, and devices still write it.
struct KnownModel {
  struct Entity {
    /// As the last version has it.
    var line: EntityLine
    var fields: [Field]
    var lenses: [Lens]
    /// The version that showed it last.
    var version: String
  }

  struct Field {
    /// As the last version has it, with the widest type that any has said.
    var line: FieldLine
    /// The number of the entity that a reference names.
    var target: UInt32?
    /// The version that said so.
    var version: String
  }

  struct Lens {
    var line: LensLine
    var version: String
  }

  /// The last version.
  private(set) var version = ""
  private(set) var entities: [Entity] = []

  /// Takes in the version that follows.
  mutating func take(_ file: ModelFile) {
    version = file.version
    for entity in file.entities {
      let at = entities.firstIndex { $0.line.number == entity.line.number }
      var known =
        at.map { entities[$0] }
        ?? Entity(line: entity.line, fields: [], lenses: [], version: version)
      known.line = entity.line
      if !entity.line.isHidden || at == nil { known.take(entity, of: file) }
      if let at { entities[at] = known } else { entities.append(known) }
    }
  }
}

extension KnownModel.Entity {
  fileprivate mutating func take(_ entity: ModelFile.Entity, of file: ModelFile) {
    version = file.version
    lenses = entity.lenses.map { KnownModel.Lens(line: $0.line, version: version) }
    fields = entity.fields.map { field in
      let known = self.field(field.line.number)
      let target = field.line.type.target.flatMap { name in
        (file.entity(named: name) ?? file.entities.first { $0.line.name == name })?.line.number
      }
      var new = KnownModel.Field(line: field.line, target: target, version: version)
      guard let known, field.line.isHidden else { return new }
      new.line.type.isOptional = field.line.type.isOptional || known.line.type.isOptional
      new.target = known.target ?? target
      if new.line.type == known.line.type { new.version = known.version }
      return new
    }
  }

  func field(_ number: UInt32) -> KnownModel.Field? { fields.first { $0.line.number == number } }
}

extension ModelFile {
  /// The version's name, such as v2.
  var version: String { name.split(separator: "/").last.map { String($0.dropLast(6)) } ?? "" }
}
