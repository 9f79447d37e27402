public import ReunionCore
public import ReunionFlow
public import ReunionStore

/// Writing: all that a closure does takes place together, or nothing of it.
///
/// ```swift
/// try await replica.write(in: space) { transaction in
///   try transaction.create(album)
///   try transaction.set(\Photo.album, of: photo.id, to: Reference(album))
///   try transaction.add(1, to: \Photo.views, of: photo.id)
/// }
/// ```
///
/// Other devices see all of a write together, too, or nothing of it yet. No write waits for a
/// network.
extension Replica {
  /// Changes records in one transaction: all of it is on disk when this returns, or none.
  ///
  /// A space needs no making: the first write in it makes it here. To read in the closure, use
  /// `transaction.fetch`, which sees what it has done so far.
  ///
  /// *Thread*: the closure runs on the caller's, while other writes wait; keep it short. *Cost*:
  /// one sync of the disk, so put what belongs together into one write.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws; then nothing happened. The transaction's own calls throw,
  ///   for example, `notFound`, `alreadyExists` and `valueTooLarge`. `nestedWrite` for a write
  ///   inside this one: use the transaction that is open. `diskFull` and `ioFailed` as the disk
  ///   answers, and the next write tries anew; `closed` after `close()`, `notWritable` for a
  ///   read-only replica.
  @discardableResult
  public func write<Success>(
    in space: SpaceID, _ body: (WriteTransaction) throws -> Success
  ) throws -> Success {
    try store.write(in: space, body)
  }

  /// Changes records so that it can be undone. The name says what the person did, as a menu names
  /// it: "Rename Photo".
  ///
  /// Only what this device writes like this is undone. Of each space the last 100 such writes and 4
  /// MiB of old values are kept, also over restarts. What was undone before can no longer be
  /// redone. *Durability* and *errors*: as `write(in:_:)`.
  @discardableResult
  public func write<Success>(
    in space: SpaceID, undo name: String, _ body: (WriteTransaction) throws -> Success
  ) throws -> Success {
    try store.write(in: space, undo: name, body)
  }

  /// Undoes the last write that can be undone, with new changes that others get like any other, and
  /// reports the fields that stay because somebody changed them since; nil if there is nothing to
  /// undo.
  ///
  /// Those fields cannot be undone later either. *Durability* and *errors*: as `write(in:_:)`;
  /// after an error the write can still be undone.
  @discardableResult
  public func undo(in space: SpaceID) throws -> UndoReport? { try store.undo(in: space) }

  /// Writes again what the last undo took back, and reports the fields that stay; nil if there is
  /// nothing to redo. The next write with a name ends what can be redone.
  ///
  /// *Durability* and *errors*: as `write(in:_:)`.
  @discardableResult
  public func redo(in space: SpaceID) throws -> UndoReport? { try store.redo(in: space) }

  /// What can be undone and redone, now and after each commit that changes it: for the two items of
  /// a menu.
  ///
  /// ```swift
  /// let status = try replica.undoStatus(in: space)
  /// let showing = status.observe { print($0.undoName.map { "Undo \($0)" } ?? "Nothing to undo") }
  /// ```
  ///
  /// *Thread*, *lifetime* and *errors*: as of `live(_:)`.
  public func undoStatus(in space: SpaceID) throws -> Signal<UndoStatus> {
    try store.undoStatus(in: space)
  }

  /// Whether a space holds what this app's model is too old to read, now and after each commit; nil
  /// while it does not. `description` is the sentence for the person; everything works on
  /// meanwhile.
  ///
  /// Such values are kept whole and handed on, and show once the app is updated: see
  /// `Model.minimumReader`. *Thread*, *lifetime* and *errors*: as of `live(_:)`.
  public func updateNeed(in space: SpaceID) throws -> Signal<UpdateNeed?> {
    try store.updateNeed(in: space)
  }
}

/// Writing without blocking the caller's thread. A task that is cancelled before its write began
/// gets `CancellationError`, and nothing happens; a write that has begun is finished.
extension Replica {
  /// Changes records in one transaction: all of it is on disk when this returns, or none.
  ///
  /// Writes of many tasks that wait for the disk share one sync, up to 256 at a time; each is
  /// atomic by itself. *Thread*: the closure runs on a queue of the store.
  /// - Throws: As the form that blocks, and `CancellationError`. An error of the disk while several
  ///   writes are committed together is that of all of them: none of them happened.
  @discardableResult
  public func write<Success: Sendable>(
    in space: SpaceID, _ body: @escaping @Sendable (WriteTransaction) throws -> Success
  ) async throws -> Success {
    let cancellation = Cancellation()
    return try await withTaskCancellationHandler {
      try await store.groupedWrite(in: space) { transaction in
        try cancellation.check()
        return try body(transaction)
      }
    } onCancel: {
      cancellation.cancel()
    }
  }

  /// Changes records so that it can be undone, and shares no sync with other writes.
  ///
  /// *Errors*: as `write(in:undo:_:)` without `await`, and `CancellationError`.
  @discardableResult
  public func write<Success: Sendable>(
    in space: SpaceID, undo name: String,
    _ body: @escaping @Sendable (WriteTransaction) throws -> Success
  ) async throws -> Success {
    try await disk.runUnlessCancelled { [store] cancellation in
      try store.write(in: space, undo: name) { transaction in
        try cancellation.check()
        return try body(transaction)
      }
    }
  }

  /// Undoes the last write that can be undone; nil if there is nothing to undo.
  ///
  /// ```swift
  /// try await replica.write(in: space, undo: "Rename Photo") { transaction in
  ///   try transaction.set(\Photo.caption, of: photo.id, to: "Night")
  /// }
  /// if let report = try await replica.undo(in: space), !report.isComplete {
  ///   print("\(report.name): somebody has changed \(report.kept.count) fields since.")
  /// }
  /// ```
  @discardableResult
  public func undo(in space: SpaceID) async throws -> UndoReport? {
    try await disk.run { [store] in try store.undo(in: space) }
  }

  /// Writes again what the last undo took back; nil if there is nothing to redo.
  @discardableResult
  public func redo(in space: SpaceID) async throws -> UndoReport? {
    try await disk.run { [store] in try store.redo(in: space) }
  }
}

/// What lost where two people wrote one field, neither having seen the other's value.
///
/// ```swift
/// for conflict in try await replica.conflicts(in: space) {
///   guard let caption = conflict.values(of: \Photo.caption) else { continue }
///   print(caption.lost, "lost to", caption.standing)
///   try await replica.write(in: space) { try $0.restore(conflict) }
/// }
/// ```
///
/// The later write stands, and nothing waits for a decision. Losers are kept on each device where
/// the two writes met, of each field the last four. Counters, sets and lists have none: nothing
/// loses there.
extension Replica {
  /// The conflicts that nobody has decided here, the latest loser first. In a write,
  /// `transaction.restore(_:)` writes the loser again, and `dismiss(_:)` drops it.
  ///
  /// Dismissing is for this device alone. A restored value is a write like any other. Where another
  /// device holds the same conflict, it is off the list there, too, once the value arrives. *Cost*:
  /// a look-up for each. *Errors*: as of `fetch`.
  public func conflicts(in space: SpaceID) throws -> [Conflict] {
    try store.conflicts(in: space)
  }

  /// The conflicts of one record that nobody has decided here, the latest loser first: for the page
  /// that shows this record.
  public func conflicts<Record: Entity>(
    of type: Record.Type, _ id: RecordID, in space: SpaceID
  ) throws -> [Conflict] {
    try store.conflicts(of: type, id, in: space)
  }

  /// The conflicts that nobody has decided here, read without blocking the caller's thread.
  public func conflicts(in space: SpaceID) async throws -> [Conflict] {
    try await disk.run { [store] in try store.conflicts(in: space) }
  }

  /// The conflicts that nobody has decided here, now and after each commit that changes them.
  ///
  /// *Thread*, *lifetime* and *errors*: as of `live(_:)`. *Cost*: after every commit in the space,
  /// a look-up for each conflict.
  public func liveConflicts(in space: SpaceID) throws -> Signal<[Conflict]> {
    try store.liveConflicts(in: space)
  }
}
