public import FoundationEssentials
public import ReunionCore

/// A write that lost: two people wrote a field, neither had seen the other's value, the later write
/// won, and this is the other one.
///
/// ```swift
/// for conflict in try store.conflicts(of: Photo.self, photo.id, in: space) {
///   guard let caption = conflict.values(of: \Photo.caption) else { continue }
///   print(caption.lost ?? "none", "lost to", caption.standing ?? "none", "on", conflict.date)
///   try store.write(in: space) { try $0.restore(conflict) }
/// }
/// ```
/// Two who edit different fields of a record never disagree, and neither do two who write the same
/// value. It is a value as of the moment when it was read: `standing` may be another by now.
public struct Conflict: Hashable, Sendable {
  /// The field that both wrote. If a lens has made another field of it, it is that one.
  public let field: FieldID
  /// The value that lost, as it is stored. `values(of:)` reads it as the field's type.
  public let lost: Value
  /// The device that wrote it.
  public var device: UInt64 { author.device }
  /// When it was written, by its author's clock, which may be wrong.
  public let date: Date
  /// The field's value now, whoever wrote it.
  public let standing: Value

  /// What the field is called in the model: `note.text`.
  let name: String
  package let author: Site
  let dot: Dot
  /// The field in which it was kept: another than `field` where that is made of it.
  let keptIn: UInt32
}

extension Conflict {
  /// The losing and the standing value, where the conflict is in the field at this key path and its
  /// type can read what lost; else nil. A standing value that the type cannot read shows as the
  /// default.
  public func values<E: Entity, V: FieldValue>(
    of path: KeyPath<E, V>
  ) -> (lost: V, standing: V)? {
    guard field.isField(path), let lost = V(storedValue: lost) else { return nil }
    return (lost, V(storedValue: standing) ?? E(id: field.record)[keyPath: path])
  }
}

extension Conflict: CustomStringConvertible {
  /// What lost, to what, and where.
  public var description: String { "\(lost) lost to \(standing) in \(name) of \(field.record)" }
}
