import ReunionCore
import ReunionDisk

/// The version of an app's model that a space needs, as a record: an entity that every model has, and none
/// may take.
///
/// There is a record for each version that somebody required; its id is the number. What counts is that it
/// is there, alive or not, and the highest: so it never comes down, whatever order they arrive in.
enum RequiredReader {
  static let entity = ReservedEntity.requiredReader
  /// The field that holds the version.
  static let versionField: UInt32 = 1
  /// The highest version that counts: what is above it is no version of a model.
  static let versionMax = 100_000

  static func id(of version: Int) -> RecordID { RecordID(high: 0, low: UInt64(version)) }
}

extension RecordReader {
  /// The version of the model that a space needs, or 1 if nobody required one. *Cost*: one look
  /// into an index.
  func requiredReader(space: Int64) throws(StoreError) -> Int {
    let highest = layout.unknown.bugs.readerComesDown ? "min" : "max"
    let select = try connection.statement(
      """
      SELECT \(highest)(record) FROM reunion_unknown_cell WHERE space = ?1 \
      AND entity = \(RequiredReader.entity) AND record <= ?2 AND field = \(RequiredReader.versionField)
      """)
    defer { select.reset() }
    try select.bind(1, space)
    try select.bind(2, RequiredReader.id(of: RequiredReader.versionMax))
    guard try select.step(), !select.isNull(0) else { return 1 }
    return max(1, Int(clamping: try select.identifier(0, RecordID.self).low))
  }
}
