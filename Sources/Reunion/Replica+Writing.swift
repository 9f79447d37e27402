public import ReunionCore
public import ReunionFlow
public import ReunionStore

/// Writing: all that a closure does takes place together, or nothing of it.
extension Replica {
  /// Changes records in one transaction: all of it is on disk when this returns, or none.
  ///
  /// *Thread*: the closure runs on the caller's, while other writes wait. *Errors*: what the closure
  /// throws; then nothing happened.
  @discardableResult
  public func write<Success>(
    in space: SpaceID, _ body: (WriteTransaction) throws -> Success
  ) throws -> Success {
    try store.write(in: space, body)
  }

  /// Changes records so that it can be undone. The name says what the person did, as a menu names it:
  /// "Rename Photo".
  @discardableResult
  public func write<Success>(
    in space: SpaceID, undo name: String, _ body: (WriteTransaction) throws -> Success
  ) throws -> Success {
    try store.write(in: space, undo: name, body)
  }

  /// Undoes the last write that can be undone, with new changes that others get like any other, and
  /// reports the fields that stay because somebody changed them since; nil if there is nothing to undo.
  @discardableResult
  public func undo(in space: SpaceID) throws -> UndoReport? { try store.undo(in: space) }

  /// Writes again what the last undo took back; nil if there is nothing to redo.
  @discardableResult
  public func redo(in space: SpaceID) throws -> UndoReport? { try store.redo(in: space) }

  /// What can be undone and redone, now and after each commit that changes it.
  public func undoStatus(in space: SpaceID) throws -> Signal<UndoStatus> {
    try store.undoStatus(in: space)
  }

  /// Whether a space holds what this app's model is too old to read, now and after each commit; nil while
  /// it does not. `description` is the sentence for the person; everything works on meanwhile.
  public func updateNeed(in space: SpaceID) throws -> Signal<UpdateNeed?> {
    try store.updateNeed(in: space)
  }
}

/// Writing without blocking the caller's thread. A task that is cancelled before its write began gets
/// `CancellationError`, and nothing happens; a write that has begun is finished.
extension Replica {
  /// Changes records in one transaction: all of it is on disk when this returns, or none.
  ///
  /// Writes of many tasks that wait for the disk share one sync; each is atomic by itself.
  /// *Thread*: the closure runs on a queue of the store.
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

  /// Changes records so that it can be undone.
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

  /// Undoes the last write that can be undone.
  @discardableResult
  public func undo(in space: SpaceID) async throws -> UndoReport? {
    try await disk.run { [store] in try store.undo(in: space) }
  }

  /// Writes again what the last undo took back.
  @discardableResult
  public func redo(in space: SpaceID) async throws -> UndoReport? {
    try await disk.run { [store] in try store.redo(in: space) }
  }
}

/// What lost where two people wrote one field, neither having seen the other's value.
extension Replica {
  /// The conflicts that nobody has decided here, the latest loser first. In a write,
  /// `transaction.restore(_:)` writes the loser again, and `dismiss(_:)` drops it.
  public func conflicts(in space: SpaceID) throws -> [Conflict] {
    try store.conflicts(in: space)
  }

  /// The conflicts of one record that nobody has decided here, the latest loser first.
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
  public func liveConflicts(in space: SpaceID) throws -> Signal<[Conflict]> {
    try store.liveConflicts(in: space)
  }
}
