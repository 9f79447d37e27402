public import ReunionCore
import ReunionDisk

extension Store {
  /// Writes in a space: all that the closure does takes place together, under one stamp.
  ///
  /// *Thread*: the closure runs on the caller's, while other writes wait. *Durability*: on the disk
  /// when this returns, see `StoreOptions.Durability`. *Errors*: what the closure throws; then
  /// nothing happened. `nestedWrite` inside of another write. *Cost*: one sync.
  @discardableResult
  public func write<Success>(
    in space: SpaceID, _ body: (WriteTransaction) throws -> Success
  ) throws -> Success {
    try write(in: space, fieldMerge: .register, body)
  }

  /// Writes what a program found out about records, such as a size that it measured: like `write`,
  /// except that it brings no record back that somebody deletes meanwhile.
  ///
  /// For fields that people do not edit: an edit that it overwrites keeps no record alive either.
  @discardableResult
  public func annotate<Success>(
    in space: SpaceID, _ body: (WriteTransaction) throws -> Success
  ) throws -> Success {
    try write(in: space, fieldMerge: .annotation, body)
  }

  /// Writes; `recording` adds to the commit what is known when everything is written.
  func write<Success>(
    in space: SpaceID, fieldMerge: MergeKind, _ body: (WriteTransaction) throws -> Success,
    recording: ((WriteTransaction) throws(StoreError) -> Void)? = nil
  ) throws -> Success {
    var thrown: (any Error)?
    do throws(StoreError) {
      return try run(in: space, fieldMerge: fieldMerge, recording) {
        (transaction) throws(StoreError) in
        do {
          return try body(transaction)
        } catch {
          thrown = error
          throw error as? StoreError ?? StoreError(.unexpected, "The closure of a write threw.")
        }
      }
    } catch {
      throw thrown ?? error
    }
  }

  private func run<Success>(
    in space: SpaceID, fieldMerge: MergeKind,
    _ recording: ((WriteTransaction) throws(StoreError) -> Void)?,
    _ body: (WriteTransaction) throws(StoreError) -> Success
  ) throws(StoreError) -> Success {
    try commit { (writer, records) throws(StoreError) in
      try perform(in: space, fieldMerge: fieldMerge, recording, &writer, records, body)
    }
  }

  /// Runs a closure in a transaction of the writer that is under way, and writes what it did.
  func perform<Success>(
    in space: SpaceID, fieldMerge: MergeKind,
    _ recording: ((WriteTransaction) throws(StoreError) -> Void)? = nil,
    _ writer: inout StoreWriter, _ records: RecordWriter,
    _ body: (WriteTransaction) throws(StoreError) -> Success
  ) throws(StoreError) -> (Success, Commit?) {
    let old = try writer.space(space, records)
    let transaction = try WriteTransaction(
      store: self, records: records, in: space, old, clock: writer.clock, fieldMerge: fieldMerge,
      isRecorded: recording != nil)
    defer { transaction.end() }
    let success = try body(transaction)
    let written = try transaction.finish(clock: &writer.clock)
    try recording?(transaction)
    guard case (var new, let touches)? = written else {
      guard transaction.changesLocalTables else { return (success, nil) }
      return (success, Commit(space: space, arrival: old.arrival))
    }
    try records.write(&new, over: old, mark(writer.clock.last, in: space))
    writer.spaces[space] = new
    let commit = Commit(space: space, arrival: new.arrival, touches: touches)
    let reader = try requireReader(in: space, after: touches, &writer, records)
    return (success, commit.followed(by: reader))
  }
}
