public import ReunionCore
public import ReunionDisk

extension WriteTransaction {
  /// Deletes a record for good, here and at every replica of the space: its values go, also those
  /// that lost in conflicts and those that could be undone, and no later edit brings it back.
  ///
  /// ```swift
  /// try store.write(in: space) { try $0.erase(Photo.self, photo.id) }
  /// print(try store.isErased(Photo.self, photo.id, in: space))
  /// ```
  /// Unlike `delete(_:_:)` it cannot be undone, and the undo steps that have values of the record
  /// go as a whole. Edits that others make without having seen this are refused, and they are told.
  /// Only those who may edit others' records can erase: a server refuses a guest's. Other replicas
  /// hear of it when they sync. Backups and archives stay.
  ///
  /// The blobs that it names are collected as a deleted record's are; `erase(_ hash:)` takes them
  /// at once. What the model's delete rules say of records that name this one is done as for a
  /// delete.
  /// - Throws: `notFound` if there never was such a record, `recordErased` if it was erased before,
  ///   `referenced` as `delete`, `invalidModel`. Nothing of it is done then.
  public func erase<E: Entity>(_: E.Type, _ id: RecordID) throws(StoreError) {
    _ = try existing(E.self, id)
    try erase(RecordKey(entity: E.schema.number, id: id))
  }

  fileprivate func erase(_ key: RecordKey) throws(StoreError) {
    // First deleted, then erased: what comes last is written last.
    if try isAlive(key) { try deleteNamed(key) } else { try perform(.delete, on: key) }
    try set(
      field: RecordErasure.keyField, of: RecordErasure.id(of: key), entity: RecordErasure.entity,
      to: RecordErasure.value(of: key))
    touches.add(key, .all)
  }
}

extension Store {
  /// Deletes a record for good, and with it the bytes of its blobs, but for those that a living
  /// record names by a device that `keeps` them: a guest may name what others sent.
  ///
  /// False where there never was such a record, or it was erased before. *Durability*: on the disk
  /// when it returns, with the bytes gone, or going when the store is opened.
  package func erase(
    entity: UInt32, _ id: RecordID, in space: SpaceID,
    keeps: (_ hash: BlobHash, _ device: UInt64) throws -> Bool
  ) throws -> Bool {
    let key = RecordKey(entity: entity, id: id)
    return try write(in: space) { transaction in
      guard let held = try transaction.base(key) else { return false }
      let blobs = Set(held.cells.compactMap(\.value.blob?.hash))
      try transaction.erase(key)
      try transaction.flush()
      for hash in blobs {
        let namers = try transaction.records.reader.namers(of: hash, space: transaction.space)
        if try !namers.contains(where: { try keeps(hash, $0.device) }) {
          try transaction.erase(hash)
        }
      }
      return true
    }
  }

  /// Whether a record was erased for good in a space, as of the last commit. False for a record
  /// that is only deleted, or that nobody made. *Cost*: one look into an index.
  public func isErased<E: Entity>(_: E.Type, _ id: RecordID, in space: SpaceID) throws -> Bool {
    try readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return false }
      return try reader.isErased(RecordKey(entity: E.schema.number, id: id), space: number)
    }
  }
}
