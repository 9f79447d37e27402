package import ReunionCore

/// A field that a lens reads or makes.
package struct LensEnd: Hashable, Sendable {
  package let field: UInt32
  package let kind: ValueKind
  /// Whether it may be nothing.
  package let isOptional: Bool
  /// What counts of a source where a record has no value of it.
  package var initial: Value?
  /// Whether the model hides it.
  var isHidden = false

  /// Whether a value is one of the field's.
  func takes(_ value: Value) -> Bool {
    if value.kind == .null { return isOptional && value.bytes.isEmpty }
    return FieldColumn(field: field, kind: kind).holds(value)
      && value.bytes.count <= Value.bytesMax
  }

  /// A value as the lens reads it. A number of the other kind becomes the nearest of the field's
  /// kind; nil if there is none. A field that is hidden may hold both, since an int may have become
  /// a double.
  fileprivate func read(_ value: Value) -> Value? {
    value.kind == kind || value.kind == .null ? value : value.widened(to: kind)
  }

  fileprivate var text: String {
    let first = initial.map { "=\($0.listed)" } ?? ""
    return "\(field):\(kind.rawValue)\(isOptional ? "?" : "")\(first)"
  }
}

/// A lens without the Swift type of its entity.
package struct FieldLens: Sendable {
  package let sources: [LensEnd]
  package let targets: [LensEnd]
  let conversion: Conversion
  /// Whether a target that somebody wrote stays, whatever is written into the sources.
  package let fills: Bool
  /// What tells it from others: what was computed under another text is computed anew.
  package let text: String

  init(sources: [LensEnd], targets: [LensEnd], conversion: Conversion, fills: Bool) {
    self.sources = sources
    self.targets = targets
    self.conversion = conversion
    self.fills = fills
    let ends = [sources, targets].map { $0.map(\.text).joined(separator: " ") }
    text = "\(fills ? "fill" : "lens") \(ends[0]) to \(ends[1]) by \(conversion.text)"
  }

  /// What the targets are where the sources are these; nil where the conversion refuses.
  func forward(_ values: [Value]) -> [Value]? {
    guard let read = Self.read(values, sources),
      let made = conversion.forward(read, sources, targets)
    else { return nil }
    return zip(targets, made).allSatisfy({ $0.takes($1) }) ? made : nil
  }

  /// What the sources become where the targets are written; nil where that would not give the same
  /// targets again.
  func back(_ values: [Value]) -> [Value]? {
    guard !fills, let back = conversion.back, let read = Self.read(values, targets),
      let made = back(read, targets, sources),
      zip(sources, made).allSatisfy({ $0.takes($1) }), forward(made) == read
    else { return nil }
    return made
  }

  private static func read(_ values: [Value], _ ends: [LensEnd]) -> [Value]? {
    let read = zip(ends, values).compactMap { $0.read($1) }
    return read.count == ends.count ? read : nil
  }

  func makes(_ field: UInt32) -> Bool { targets.contains { $0.field == field } }

  /// The lenses in an order in which each comes after those that make what it reads; nil if no such
  /// order exists.
  static func ordered(_ lenses: [FieldLens]) -> [FieldLens]? {
    var waiting = lenses
    var ordered: [FieldLens] = []
    while !waiting.isEmpty {
      let next = waiting.firstIndex { lens in
        !lens.sources.contains { source in waiting.contains { $0.makes(source.field) } }
      }
      guard let next else { return nil }
      ordered.append(waiting.remove(at: next))
    }
    return ordered
  }

  /// What is wrong with the lenses of a schema, in a sentence; nil where nothing is.
  static func fault<E: Entity>(of lenses: [FieldLens], in schema: EntitySchema<E>) -> String? {
    func name(_ field: UInt32) -> String {
      schema.fields.first { $0.number == field }.map { "\(schema.name).\($0.name)" }
        ?? "the field \(field) of \(schema.name)"
    }
    var made: Set<UInt32> = []
    for lens in lenses {
      for target in lens.targets where !made.insert(target.field).inserted {
        return "Two lenses make \(name(target.field)): remove one."
      }
      for end in lens.sources + lens.targets {
        guard end.kind.isPlain else {
          return "A lens names \(name(end.field)): blobs, counters, sets and lists have none."
        }
        guard (1...Cell.fieldMax).contains(end.field) else {
          return "A lens names \(name(end.field)): its number is out of range."
        }
        let others = schema.fields.filter { $0.number == end.field }.map(\.kind)
        guard others.allSatisfy({ $0 == end.kind }) else {
          return "A lens reads \(name(end.field)) as another type than the schema's: use the same."
        }
      }
      if let fault = lens.conversion.fault(lens.sources, lens.targets) {
        return "The lens that makes \(name(lens.targets.first?.field ?? 0)) cannot do so: \(fault)."
      }
    }
    guard ordered(lenses) != nil else {
      return "Lenses of \(schema.name) make their own sources in a circle: remove one."
    }
    return nil
  }
}

extension FieldLens: Hashable {
  /// Whether two compute the same.
  package static func == (left: FieldLens, right: FieldLens) -> Bool { left.text == right.text }

  package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}

extension ValueKind {
  /// Whether a field of this kind is one value, and names no blob.
  var isPlain: Bool { !isGathered && self != .blob }
}
