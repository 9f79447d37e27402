import ReunionCore

/// How fields of this version are made of fields that older versions write.
///
/// ```swift
/// struct Film: Entity {
///   let id: RecordID
///   var seconds = 0
///   init(id: RecordID) { self.id = id }
///   static let schema = EntitySchema<Film>(
///     1, "film", [.field(7, "seconds", \.seconds)],
///     lenses: [.retype(OldField(4, Int.self), to: \.seconds, by: .times(60))])
/// }
/// ```
/// Where an older device wrote last, the field shows what the conversion makes of that. It is
/// computed on each device, and never sent. A device that writes the field writes the old one too,
/// through the way back, so that older devices see it. Where a conversion refuses, each keeps its
/// value. What is written last counts, by whomever; nothing is lost, since both fields keep their
/// writes.
///
/// Queries, indexes, sums and searches see what is made like any value, since it stands in a
/// column. *Cost*: a store that is opened with a lens that it did not have writes all records of
/// the entity once, behind a snapshot (`UpgradeReport`). Each later change of a field that it reads
/// computes it again.
///
/// Fields of one value alone: no blobs, counters, sets or lists. A lens stays in the model as long
/// as records may have the old field alone, which is for ever if nobody rewrote them.
public struct Lens<E: Entity>: Sendable {
  /// A field that it makes.
  enum Target: Sendable {
    case property(any PartialKeyPath<E> & Sendable)
    case field(OldField)
  }

  let sources: [OldField]
  let targets: [Target]
  let conversion: Conversion
  let fills: Bool

  /// Another kind of value under a new number.
  ///
  /// - Parameters:
  ///   - source: the field that older versions have.
  ///   - target: the property of the new field, which the schema lists.
  ///   - conversion: what makes the new value of the old one, and back.
  /// - Returns: the lens, for the schema's `lenses`.
  public static func retype(
    _ source: OldField, to target: any PartialKeyPath<E> & Sendable, by conversion: Conversion
  ) -> Lens<E> {
    Lens(sources: [source], targets: [.property(target)], conversion: conversion, fills: false)
  }

  /// One field becomes several.
  ///
  /// ```swift
  /// struct Person: Entity {
  ///   let id: RecordID
  ///   var first = ""
  ///   var last = ""
  ///   init(id: RecordID) { self.id = id }
  ///   static let schema = EntitySchema<Person>(
  ///     1, "person", [.field(2, "first", \.first), .field(3, "last", \.last)],
  ///     lenses: [.split(OldField(1, String.self), to: \.first, \.last, by: .separator(" "))])
  /// }
  /// ```
  public static func split(
    _ source: OldField, to targets: any PartialKeyPath<E> & Sendable..., by conversion: Conversion
  ) -> Lens<E> {
    Lens(
      sources: [source], targets: targets.map { .property($0) }, conversion: conversion,
      fills: false)
  }

  /// Several fields become one. A way back writes all of them.
  public static func merge(
    _ sources: OldField..., to target: any PartialKeyPath<E> & Sendable, by conversion: Conversion
  ) -> Lens<E> {
    Lens(sources: sources, targets: [.property(target)], conversion: conversion, fills: false)
  }

  /// A field that every record shall have: computed from others as long as nobody wrote it. What
  /// somebody writes stays, and is written nowhere else: it has no way back.
  public static func fill(
    _ target: any PartialKeyPath<E> & Sendable, from sources: OldField...,
    by conversion: Conversion
  ) -> Lens<E> {
    Lens(sources: sources, targets: [.property(target)], conversion: conversion, fills: true)
  }

  /// A lens of an earlier version of which this one hides a field that it makes, while another lens
  /// reads that. All fields are named by their numbers.
  ///
  /// ```swift
  /// struct Film: Entity {
  ///   let id: RecordID
  ///   var length = ""
  ///   init(id: RecordID) { self.id = id }
  ///   static let schema = EntitySchema<Film>(
  ///     1, "film", [.field(12, "length", \.length)],
  ///     lenses: [
  ///       .earlier(OldField(2, Int.self), to: OldField(11, Int.self), by: .times(60)),
  ///       .retype(OldField(11, Int.self), to: \.length, by: .text),
  ///     ])
  /// }
  /// ```
  public static func earlier(
    _ sources: OldField..., to targets: OldField..., by conversion: Conversion, fills: Bool = false
  ) -> Lens<E> {
    Lens(
      sources: sources, targets: targets.map { .field($0) }, conversion: conversion, fills: fills)
  }
}

extension EntitySchema {
  /// The lenses by numbers; those of which something is wrong are left out, and a sentence says
  /// what.
  func described() -> (lenses: [FieldLens], fault: String?) {
    var described: [FieldLens] = []
    for lens in lenses {
      var targets: [LensEnd] = []
      for target in lens.targets {
        switch target {
        case .field(let field): targets.append(end(field))
        case .property(let path):
          guard let field = fields.first(where: { $0.path == path }) else {
            return ([], "A lens of \(name) makes \(path), which the schema does not list: add it.")
          }
          targets.append(
            LensEnd(field: field.number, kind: field.kind, isOptional: field.isOptional))
        }
      }
      described.append(
        FieldLens(
          sources: lens.sources.map(end), targets: targets, conversion: lens.conversion,
          fills: lens.fills))
    }
    guard let fault = FieldLens.fault(of: described, in: self) else {
      return (FieldLens.ordered(described) ?? [], nil)
    }
    return ([], fault)
  }

  private func end(_ field: OldField) -> LensEnd {
    LensEnd(
      field: field.number, kind: field.kind, isOptional: field.isOptional, initial: field.initial,
      isHidden: !numbers.contains(field.number))
  }
}
