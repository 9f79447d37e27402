import ReunionCore

/// The erasure of a blob as a record: an entity that every model has, and none may take.
///
/// The record's id is the beginning of the blob's hash, so that everybody who erases a blob in a space
/// makes the same record. That its field is there, alive or not, erases: it is final.
enum Erasure {
  static let entity = ReservedEntity.blobErasure
  /// The field that holds the whole hash, as bytes.
  static let hashField: UInt32 = 1

  static func id(of hash: BlobHash) -> RecordID {
    RecordID(bytes: Array(hash.bytes.prefix(16))) ?? RecordID(high: 0, low: 0)
  }

  /// The blob that a record of the entity erases, by a value of it; nil where that is another.
  static func hash(_ value: Value, of record: RecordID) -> BlobHash? {
    guard value.kind == .bytes, let hash = BlobHash(bytes: value.bytes), id(of: hash) == record
    else { return nil }
    return hash
  }
}
