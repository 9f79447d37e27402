import ReunionCore

/// Lenses from the texts that a store keeps of them, for tools that have none of the app's types.
extension FieldLens {
  /// Nil for a lens by functions of an app, which no text tells.
  init?(text: String) {
    guard let parts = Parts(text), let conversion = Conversion(words: parts.conversion) else {
      return nil
    }
    self.init(parts, conversion)
    // What this version would write otherwise it does not know.
    guard self.text == text, conversion.fault(sources, targets) == nil else { return nil }
  }

  /// A lens by functions that are not here, which refuses everything.
  fileprivate init?(unknown text: String) {
    guard let parts = Parts(text) else { return nil }
    self.init(
      parts,
      Conversion(
        parts.conversion.joined(separator: " "), forward: { _, _, _ in nil }, back: nil,
        fault: { _, _ in nil }))
  }

  private init(_ parts: Parts, _ conversion: Conversion) {
    self.init(
      sources: parts.sources, targets: parts.targets, conversion: conversion, fills: parts.fills)
  }

  /// The words of a text.
  private struct Parts {
    let sources: [LensEnd]
    let targets: [LensEnd]
    let conversion: [String]
    let fills: Bool

    init?(_ text: String) {
      let words = text.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      guard let to = words.firstIndex(of: "to"), let by = words.firstIndex(of: "by"), to < by,
        let sort = words.first, sort == "lens" || sort == "fill"
      else { return nil }
      sources = words[1..<to].map { LensEnd(text: $0) }.compactMap { $0 }
      targets = words[(to + 1)..<by].map { LensEnd(text: $0) }.compactMap { $0 }
      conversion = Array(words[(by + 1)...])
      fills = sort == "fill"
    }
  }
}

extension EntityDescription {
  /// Makes a description with lenses by their texts, to plan with: one by functions of an app counts as
  /// another than any that a store has.
  package init(
    number: UInt32, name: String, fields: [FieldDescription], indexes: [[UInt32]]?,
    lenses texts: [String]
  ) {
    let lenses = texts.compactMap { FieldLens(text: $0) ?? FieldLens(unknown: $0) }
    self.init(
      number: number, name: name, fields: fields, indexes: indexes,
      lenses: FieldLens.ordered(lenses) ?? [], fault: nil)
  }
}

extension LensEnd {
  fileprivate init?(text: String) {
    let halves = text.split(separator: "=", maxSplits: 1)
    let numbers = halves.first?.split(separator: ":") ?? []
    guard numbers.count == 2, let field = UInt32(numbers[0]) else { return nil }
    let isOptional = numbers[1].hasSuffix("?")
    guard let kind = UInt8(isOptional ? numbers[1].dropLast() : numbers[1]) else { return nil }
    self.init(field: field, kind: ValueKind(rawValue: kind), isOptional: isOptional)
    guard halves.count == 2 else { return }
    guard let value = Value(listed: halves[1]) else { return nil }
    initial = value
  }
}

extension Conversion {
  fileprivate init?(words: [String]) {
    let rest = Array(words.dropFirst())
    switch (words.first, rest.count) {
    case ("same", 0): self = .same
    case ("text", 0): self = .text
    case ("number", 0): self = .number
    case ("times", 1):
      guard let factor = Int(rest[0]) else { return nil }
      self = .times(factor)
    case ("times", 3):
      guard let factor = Double(rest[0]) else { return nil }
      self = .times(factor)
    case ("over", 1):
      guard let divisor = Int(rest[0]) else { return nil }
      self = .over(divisor)
    case ("separator", 1):
      guard let bytes = Self.bytes(rest[0]) else { return nil }
      self = .separator(String(decoding: bytes, as: UTF8.self))
    case ("cases", 1...):
      var pairs: [(Value, Value)] = []
      for word in rest {
        let values = word.split(separator: ":").compactMap { Value(listed: $0) }
        guard values.count == 2 else { return nil }
        pairs.append((values[0], values[1]))
      }
      self = .listed(pairs, pairs[0].0.kind, pairs[0].1.kind)
    default: return nil
    }
  }

  /// The bytes of digits; nil where they are none.
  static func bytes(_ digits: some StringProtocol) -> [UInt8]? {
    let values = digits.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    guard values.count == digits.utf8.count, values.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
  }
}

extension Value {
  /// Reads what `listed` gives.
  init?(listed text: Substring) {
    let halves = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard halves.count == 2, let kind = UInt8(halves[0]), let bytes = Conversion.bytes(halves[1])
    else { return nil }
    self.init(kind: ValueKind(rawValue: kind), bytes: bytes)
  }
}
