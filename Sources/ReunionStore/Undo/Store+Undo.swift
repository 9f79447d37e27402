public import ReunionCore
import ReunionDisk
public import ReunionFlow

/// Undo and redo of a person's own writes, on this device, as new changes that others get like any.
///
/// A field is restored only while it still holds the write that is undone. Creations become
/// deletes, deletes bring the record back whole, counters count the opposite, elements and items go
/// or return. Old values are kept in a local log that is never sent: of each space the last 100
/// writes and 4 MiB, and as much to redo. It survives a new opening; a store that finds itself
/// copied forgets it.
extension Store {
  /// Writes in a space like `write(in:_:)`, so that it can be undone. Earlier undos can no longer
  /// be redone.
  ///
  /// ```swift
  /// try store.write(in: space, undo: "Rename Photo") { transaction in
  ///   try transaction.update(photo) { $0.caption = "Night" }
  /// }
  /// let report = try store.undo(in: space)
  /// print("Undone:", report?.name ?? "nothing")
  /// ```
  /// The name says what the person did, as a menu names it: "Rename Photo". If a program writes by
  /// itself, use no name, so that the person does not undo it by mistake. A write without a name
  /// leaves both lists alone.
  ///
  /// *Cost*: each record is read before it is changed, and what it was is written to the log in the
  /// same commit. A write of more than 4 MiB of old values empties the log, and cannot be undone.
  /// - Parameters:
  ///   - space: the space in which all changes are made.
  ///   - name: what an undo is called.
  ///   - body: what makes the changes.
  /// - Returns: what the closure returns.
  /// - Throws: as `write(in:_:)`.
  @discardableResult
  public func write<Success>(
    in space: SpaceID, undo name: String, _ body: (WriteTransaction) throws -> Success
  ) throws -> Success {
    try write(in: space, fieldMerge: .register, body) { (transaction) throws(StoreError) in
      let step = UndoStep(
        name: name, of: transaction.recorded, site: transaction.site, self.layout)
      guard !step.records.isEmpty else { return }
      let log = UndoLog(transaction.records.reader, space: transaction.space)
      try log.clear(.redo)
      try log.push(step, on: .undo)
    }
  }

  /// Undoes the last write that can be undone, and reports the fields that stay; nil if there is
  /// none.
  ///
  /// ```swift
  /// if let report = try store.undo(in: space), !report.isComplete {
  ///   print("Somebody changed", report.kept.count, "fields since: they stay.")
  /// }
  /// ```
  /// It is a new write: others get it like any, and it is taken back by `redo(in:)`. Fields that
  /// stay cannot be undone later either. A record that the write created is deleted, and stays if
  /// somebody else has edited it.
  ///
  /// *Thread*: the caller's, blocked. *Durability*: on the disk when this returns.
  /// - Parameter space: the space of the write.
  /// - Returns: what was undone; nil if the list is empty.
  /// - Throws: as `write(in:_:)`. The list is as it was then.
  @discardableResult
  public func undo(in space: SpaceID) throws -> UndoReport? {
    try takeBack(.undo, pushing: .redo, in: space)
  }

  /// Writes again what the last undo took back, and reports the fields that stay; nil if there is
  /// none. A new write with a name empties this list.
  ///
  /// *Durability* and *errors*: as `undo(in:)`.
  @discardableResult
  public func redo(in space: SpaceID) throws -> UndoReport? {
    try takeBack(.redo, pushing: .undo, in: space)
  }

  /// What can be undone and redone in a space, now and after each commit that changes it.
  ///
  /// ```swift
  /// let status = try store.undoStatus(in: space)
  /// let watching = status.observe { print("Undo", $0.undoName ?? "nothing") }
  /// watching.cancel()
  /// ```
  /// *Thread* and *lifetime*: as for `live(_:)`, and in one turn with it.
  public func undoStatus(in space: SpaceID) throws -> Signal<UndoStatus> {
    try following(space) { (reader, number) throws(StoreError) in
      guard let number else { return UndoStatus() }
      let log = UndoLog(reader, space: number)
      return UndoStatus(undoName: try log.name(.undo), redoName: try log.name(.redo))
    }
  }

  private func takeBack(
    _ side: UndoLog.Side, pushing other: UndoLog.Side, in space: SpaceID
  ) throws -> UndoReport? {
    var undoing: Undoing?
    var report: UndoReport?
    try write(in: space, fieldMerge: .register) { transaction in
      let log = UndoLog(transaction.records.reader, space: transaction.space)
      guard let step = try log.pop(side) else { return }
      transaction.changesLocalTables = true
      var run = Undoing(transaction)
      try run.run(step)
      report = UndoReport(name: step.name, kept: run.kept)
      undoing = run
    } recording: { (transaction) throws(StoreError) in
      guard let report, let undoing else { return }
      let log = UndoLog(transaction.records.reader, space: transaction.space)
      try log.rename(undoing.newNames())
      try log.push(
        UndoStep(
          name: report.name, of: transaction.recorded, site: transaction.site, self.layout),
        on: other)
    }
    return report
  }
}
