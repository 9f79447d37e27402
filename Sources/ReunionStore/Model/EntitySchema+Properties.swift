import ReunionCore

extension EntitySchema {
  /// What is wrong with the properties that the schema lists, in a sentence; nil where nothing is.
  ///
  /// Where a property is in memory says which one a key path means, so that fields may have other
  /// names. A type with a mirror of its own (`CustomReflectable`) hides its properties: of such a type
  /// only what is listed is checked. *Cost*: makes one record.
  func fault() -> String? {
    guard !(E.self is AnyObject.Type) else {
      return "\(E.self) is a class, whose records would share their properties: make it a struct."
    }
    for (index, field) in fields.enumerated() {
      if let other = fields[..<index].first(where: { $0.path == field.path }) {
        return "The fields \(other.name) and \(field.name) of \(name) keep the same property:"
          + " remove one."
      }
      if transient.contains(where: { $0 == field.path }) {
        return "The property of the field \(field.name) of \(name) is listed as transient too:"
          + " remove one."
      }
    }
    if let field = fields.first(where: { $0.rule?.onDelete == .clear && !$0.isOptional }) {
      return
        "\(name).\(field.name) can never be none, so that nothing clears it: make it optional, or"
        + " choose another rule."
    }
    let (entity, other) = (E.withDefaults, E.withDefaults)
    let changing = fields.first {
      indexed.contains($0.number) && !$0.isOptional && $0.read(entity) != $0.read(other)
    }
    if let changing {
      return
        "\(name).\(changing.name) begins differently each time, so that no index can have it: give it"
        + " one default, or make it optional."
    }
    for field in fields {
      let begun = field.read(entity)
      guard let declared = field.declared, declared != begun else { continue }
      return
        "\(name).\(field.name) begins as \(begun) in Swift, and as \(declared) in the model's file: make"
        + " them equal."
    }
    guard !(entity is any CustomReflectable) else { return nil }
    let listed = (fields.map(\.path) + transient).compactMap { Listed($0, of: entity) }
    let unlisted = listed.unlisted(in: entity)
    guard !unlisted.isEmpty else { return nil }
    let names = unlisted.map { "\"\($0)\"" }.joined(separator: ", ")
    return "\(E.self) stores \(names), which the schema of \(name) does not list, so it would"
      + " not be saved: give it a field, or list it as transient."
  }
}

extension Entity {
  /// A record of which nothing is stored.
  static var withDefaults: Self { Self(id: RecordID(high: 0, low: 0)) }
}

/// A stored property that a schema lists, by where it is in the memory of a record.
private struct Listed {
  let offset: Int
  let layout: PropertyLayout
  /// The type of its present value: another than the declared one where that is `any` of a protocol.
  let held: any Any.Type

  /// Nil for computed properties.
  init?<E>(_ path: PartialKeyPath<E>, of entity: E) {
    guard let offset = MemoryLayout<E>.offset(of: path) else { return nil }
    self.offset = offset
    layout = PropertyLayout(type(of: path).valueType)
    held = PropertyLayout(of: entity[keyPath: path]).type
  }
}

extension [Listed] {
  /// The names of a value's stored properties that are not listed.
  ///
  /// Swift lays properties out in their order, each at the next multiple of its alignment. What comes
  /// after one whose size nobody knows, `any` of a protocol that is not listed, is left out.
  func unlisted(in value: Any, at start: Int = 0) -> [String] {
    var unlisted: [String] = []
    var end = start
    for (label, value) in Mirror(reflecting: value).children {
      let label = label ?? "?"
      let layout = PropertyLayout(of: value)
      let offset = layout.offset(after: end)
      if start == 0, label == "id", layout.type == RecordID.self {
        end = offset + layout.size
      } else if let one = first(where: { $0.isProperty(layout, after: end) }) {
        end = one.offset + one.layout.size
      } else if contains(where: { $0.offset >= offset && $0.offset < offset + layout.size }) {
        unlisted += self.unlisted(in: value, at: offset).map { "\(label).\($0)" }
        end = offset + layout.size
      } else {
        unlisted.append(label)
        end = offset + layout.size
      }
    }
    return unlisted
  }
}

extension Listed {
  /// Whether it is the property of a layout that follows on the one that ends there.
  func isProperty(_ other: PropertyLayout, after end: Int) -> Bool {
    offset == layout.offset(after: end)
      && (layout.type == other.type || held == other.type && held != layout.type)
  }
}

private func room<T>(of _: T.Type) -> (size: Int, alignment: Int) {
  (MemoryLayout<T>.size, MemoryLayout<T>.alignment)
}

/// The room that a type takes.
private struct PropertyLayout {
  let type: any Any.Type
  let size: Int
  let alignment: Int

  init(_ type: any Any.Type) {
    let room = _openExistential(type, do: room(of:))
    (self.type, size, alignment) = (type, room.size, room.alignment)
  }

  /// Of the type that a value has.
  init(of value: Any) { self.init(Swift.type(of: value)) }

  func offset(after end: Int) -> Int { (end + alignment - 1) / alignment * alignment }
}
