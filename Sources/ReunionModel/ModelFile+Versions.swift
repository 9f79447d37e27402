/// What a version must hold to after those before it.
extension ModelFile {
  /// What would lose or mistake something that an earlier version has.
  func problems(after known: KnownModel) -> [ModelProblem] {
    var problems: [ModelProblem] = []
    let version = Version(earlier: known.version) { line, sentence, instead in
      problems.append(
        ModelProblem(file: name, line: line, column: 1, sentence: sentence, instead: instead))
    }
    for was in known.entities {
      guard let now = entities.first(where: { $0.line.number == was.line.number }) else {
        var hidden = was.line
        (hidden.isHidden, hidden.type) = (true, nil)
        version.tell(
          max(1, lines.count),
          "\(was.version) has the entity \(was.line.name), and its records stay. Leave it out by name.",
          hidden.text)
        continue
      }
      guard !now.line.isHidden else { continue }
      for field in was.fields {
        guard let same = now.fields.first(where: { $0.line.number == field.line.number }) else {
          version.tell(
            now.at,
            "\(field.version) has \(was.line.name).\(field.line.name), and its values stay. Leave it out"
              + " by name.", field.line.hidden.text)
          continue
        }
        version.check(same, of: now, against: field, of: was)
        if !same.line.isHidden, let target = field.target,
          let new = same.line.type.target.flatMap({ entity(named: $0) }),
          target != new.line.number
        {
          let name = known.entities.first { $0.line.number == target }?.line.name
          version.tell(
            same.at,
            "\(same.line.name) named records of \(name ?? "@\(target)") in \(field.version), and those that"
              + " were written still do. Hide the field and take a new number.",
            same.line.renumbered(in: now).text)
        }
      }
      version.checkLenses(of: now, against: was)
      for field in now.fields where !field.line.isHidden && was.field(field.line.number) == nil {
        version.check(added: field, to: now)
      }
    }
    return problems
  }

  /// Checks against earlier versions, and tells of the last by its name.
  private struct Version {
    let earlier: String
    let tell: Entity.Tell

    func check(
      _ same: Field, of now: Entity, against field: KnownModel.Field, of was: KnownModel.Entity
    ) {
      let (type, new) = (field.line.type, same.line.type)
      let isWidened = type.kind == .int && new.kind == .double
      if !isWidened, (type.kind, type.element) != (new.kind, new.element) {
        tell(
          same.at,
          "The number \(same.line.number) was \(type.text) in \(field.version), and a kind never changes. Hide the"
            + " field and take a new number.", same.line.renumbered(in: now).text)
      } else if type.isOptional, !new.isOptional, !same.line.isHidden {
        var wide = same.line
        (wide.type.isOptional, wide.initial) = (true, nil)
        tell(
          same.at,
          "\(same.line.name) may be none in \(field.version), and who has that version writes none. Leave the"
            + " question mark.", wide.text)
      }
      let isSwapped =
        field.line.name != same.line.name && !same.line.isHidden
        && was.fields.contains { $0.line.name == same.line.name && !$0.line.isHidden }
        && now.fields.contains { $0.line.name == field.line.name && !$0.line.isHidden }
      if isSwapped {
        tell(
          same.at,
          "In \(was.version) \(same.line.name) is the name of another field. Values follow the numbers: take"
            + " another name.", nil)
      }
    }

    /// A lens stays: records that nobody has written since have the old field alone. What it makes stays,
    /// too: devices of the earlier version make that. A function may change with its name.
    func checkLenses(of now: Entity, against was: KnownModel.Entity) {
      for lens in was.lenses {
        let target = lens.line.targets[0]
        guard let same = now.lenses.first(where: { $0.line.targets == lens.line.targets }) else {
          tell(
            now.at,
            "In \(lens.version) @\(target) comes from a lens, and records that nobody has written since"
              + " need it still. Keep the line.", lens.line.text)
          continue
        }
        guard !same.line.isSame(as: lens.line) else { continue }
        tell(
          same.at,
          "In \(lens.version) @\(target) comes from another lens, and devices that have it show what that"
            + " makes. Keep the line, or make a field with a new number.", lens.line.text)
      }
    }

    /// A field that is new, over records that are not.
    func check(added field: Field, to now: Entity) {
      let line = field.line
      guard !now.lenses.contains(where: { $0.line.targets.contains(line.number) }) else { return }
      // One of this name that is left out: do its values come along?
      let gone = now.fields.first { other in
        other.line.isHidden && other.line.name.lowercased() == line.name.lowercased()
          && other.line.type.kind.isSingle && line.type.kind.isSingle
          && other.line.type.kind != .blob && line.type.kind != .blob
      }
      if let gone {
        let lens = LensLine(
          verb: .retype, sources: [gone.line.number], targets: [line.number],
          conversion: .between(
            gone.line.type.kind, line.type.kind,
            named: "\(line.name)Of\(gone.line.number)"))
        tell(
          field.at,
          "\(line.name) was @\(gone.line.number) in \(earlier) and is @\(line.number) now. If its values come"
            + " along, add a line that says how; if they do not, give the hidden one another name.",
          lens.text)
      } else if line.swiftType != nil, line.type.kind.isSingle, !line.type.isOptional,
        line.initial == nil
      {
        var cured = line
        switch line.type.kind {
        case .bool: cured.initial = .bool(false)
        case .int: cured.initial = .int(0)
        case .double: cured.initial = .double(0)
        case .text: cured.initial = .text("")
        default: cured.type.isOptional = true
        }
        tell(
          field.at,
          "Records of \(earlier) have no \(line.name), and the file does not say what they begin with. Say it"
            + " with a default that your type reads, or put a question mark behind the kind.",
          cured.text)
      }
    }
  }
}

extension FieldLine {
  /// The same field under a number that none has yet.
  fileprivate func renumbered(in entity: ModelFile.Entity) -> FieldLine {
    var other = self
    other.number = (entity.fields.map(\.line.number).max() ?? 0) + 1
    return other
  }
}

extension LensLine {
  /// Whether it makes the same as another, as far as the file tells: a function may have a new name.
  fileprivate func isSame(as other: LensLine) -> Bool {
    var renamed = self
    if case .custom = conversion, case .custom = other.conversion {
      renamed.conversion = other.conversion
    }
    return renamed == other
  }
}
