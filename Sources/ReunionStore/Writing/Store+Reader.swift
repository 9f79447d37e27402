package import ReunionCore
import ReunionDisk

extension Store {
  /// Has a space know the version that its readers need, by the store's model. Does nothing where it knows.
  ///
  /// A write of the app's records does it too. *Durability* and *errors*: as `write`.
  package func requireReader(in space: SpaceID) throws {
    guard model.minimumReader > 1 else { return }
    try commit { (writer, records) throws(StoreError) in
      ((), try requireReader(in: space, &writer, records))
    }
  }

  /// The same after a write that is not committed yet, by what it touched; nil where nothing is written.
  ///
  /// It is a transaction of its own, so that a server that takes none of a guest takes the guest's write all
  /// the same.
  func requireReader(
    in space: SpaceID, after touches: Touches, _ writer: inout StoreWriter, _ records: RecordWriter
  ) throws(StoreError) -> Commit? {
    guard model.minimumReader > 1, !writer.readerSpaces.contains(space),
      touches.byEntity.keys.contains(where: { $0 < ReservedEntity.firstNumber }),
      !options.seededBugs.readerNotSaid
    else { return nil }
    writer.readerSpaces.insert(space)
    return try requireReader(in: space, &writer, records)
  }

  private func requireReader(
    in space: SpaceID, _ writer: inout StoreWriter, _ records: RecordWriter
  ) throws(StoreError) -> Commit? {
    let number = try writer.space(space, records).number
    guard try records.reader.requiredReader(space: number) < model.minimumReader else { return nil }
    let version = model.minimumReader
    return try perform(in: space, fieldMerge: .register, nil, &writer, records) {
      (transaction) throws(StoreError) in
      try transaction.set(
        field: RequiredReader.versionField, of: RequiredReader.id(of: version),
        entity: RequiredReader.entity, to: .int(Int64(version)))
    }.1
  }
}
