public import ReunionCore
import ReunionDisk

extension Store {
  /// Writes in a space: all that the closure does takes place together, or nothing of it.
  ///
  /// ```swift
  /// let count = try store.write(in: space) { transaction in
  ///   try transaction.create(album)
  ///   try transaction.update(photo) { $0.album = Reference(album) }
  ///   try transaction.add(1, to: \Photo.views, of: photo.id)
  ///   return try transaction.fetch(Query<Photo>(in: space).count())
  /// }
  /// print(count, "photos")
  /// ```
  /// *Isolation*: one write of a store runs at a time. Reads in the closure, through the
  /// transaction, see what it has done so far. All other reads see the last commit until this
  /// returns. Other devices get the changes together too: no replica ever shows half of them.
  ///
  /// *Rollback*: if the closure throws, nothing happened, here or elsewhere, and the error goes on
  /// to the caller. If the closure catches an error of a call and returns, that call has done
  /// nothing, and the rest is committed. An error of the disk while rows are written is the
  /// exception: this throws it, whatever the closure does.
  ///
  /// *Durability*: on the disk when this returns, see `StoreOptions.Durability`. *Thread*: the
  /// closure runs once, on the caller's thread. Observers of commits are told on it before this
  /// returns, and live queries too, unless another thread is updating them: that one goes on with
  /// these. *Cost*: one sync, for any number of changes; a write that changes nothing tells nobody.
  ///
  /// A program that goes wrong sees an error, and not a deadlock, with one exception:
  /// - A write inside another write throws `nestedWrite`; so do `undo`, `collect`, `blobs.add` and
  ///   what else commits.
  /// - A transaction that is used after its closure throws `closed`.
  /// - A query of another space throws `otherSpace`.
  /// - A closure that waits for another thread, which waits to write, waits for ever.
  ///
  /// - Parameters:
  ///   - space: the space in which all changes are made; it begins to exist with its first write.
  ///   - body: what makes the changes.
  /// - Returns: what the closure returns.
  /// - Throws: what the closure throws; `nestedWrite`, `closed`, `notWritable` for a store that was
  ///   opened read-only, `diskFull`, `ioFailed`, `damaged`, `outOfMemory`. Nothing happened then.
  @discardableResult
  public func write<Success>(
    in space: SpaceID, _ body: (WriteTransaction) throws -> Success
  ) throws -> Success {
    try write(in: space, fieldMerge: .register, body)
  }

  /// Writes what a program found out about records, such as a size that it measured. It is like
  /// `write(in:_:)`, except that it brings no record back that somebody deletes meanwhile.
  ///
  /// ```swift
  /// let count = try store.read(photo.thumbnail)?.count ?? 0
  /// try store.annotate(in: space) { try $0.set(\Photo.stars, of: photo.id, to: count / 1024) }
  /// ```
  /// A plain write keeps a record alive against a delete by a device that has not seen the write. A
  /// measurement should not: nobody cares for it when the photo is gone. The value is merged like
  /// any other, and is there if the record comes back.
  ///
  /// For fields that people do not edit: an edit that an annotation overwrites keeps no record
  /// alive either. A record that it creates lives by its creation.
  ///
  /// - Parameters:
  ///   - space: the space in which all changes are made.
  ///   - body: what makes the changes.
  /// - Returns: what the closure returns.
  /// - Throws: as `write(in:_:)`.
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
