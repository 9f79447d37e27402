public import ReunionCore

/// Which field of which record: what a conflict or an undo report is about.
///
/// ```swift
/// if let report = try store.undo(in: space) {
///   for id in report.kept where id.isField(\Photo.caption) {
///     print("The caption of", id.record, "stays: somebody wrote it since.")
///   }
/// }
/// ```
/// It names no space: whoever has one knows it.
public struct FieldID: Hashable, Sendable {
  /// The number of the record's entity in its model.
  public let entity: UInt32
  /// The record.
  public let record: RecordID
  /// The field's number; 0 is the record's existence, and stands for the whole record.
  public let field: UInt32

  /// Makes the id of a field. It need not be there, nor need the model know it.
  public init(entity: UInt32, record: RecordID, field: UInt32) {
    self.entity = entity
    self.record = record
    self.field = field
  }

  /// Whether it is the field at a key path, of whichever record. False also if the schema has no
  /// field at the path.
  public func isField<E: Entity, V: FieldValue>(_ path: KeyPath<E, V>) -> Bool {
    guard entity == E.schema.number, let described = try? E.schema.field(path) else { return false }
    return described.number == field
  }

  var key: RecordKey { RecordKey(entity: entity, id: record) }
}

extension FieldID: CustomStringConvertible {
  /// The field's number, and the record.
  public var description: String { "field \(field) of record \(record)" }
}
