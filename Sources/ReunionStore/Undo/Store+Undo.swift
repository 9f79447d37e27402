public import ReunionCore
import ReunionDisk
public import ReunionFlow

/// Undo and redo of a person's own writes, on this device, as new changes that others get like any.
///
/// A field is restored only while it still holds the write that is undone. Creations become deletes,
/// deletes bring the record back whole, counters count the opposite, elements and items go or return.
/// Old values are kept in a local log that is never sent: of each space the last 100 writes and 4 MiB,
/// and as much to redo. It survives a new opening; a store that finds itself copied forgets it.
extension Store {
  /// Writes in a space like `write(in:_:)`, so that it can be undone. Earlier undos can no longer be
  /// redone.
  ///
  /// The name says what the person did, as a menu names it: "Rename Photo". If a program writes by
  /// itself, use no name, so that the person does not undo it by mistake.
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

  /// Undoes the last write that can be undone, and reports the fields that stay; nil if there is none.
  ///
  /// *Durability* and *errors*: as `write`. Those fields cannot be undone later either.
  @discardableResult
  public func undo(in space: SpaceID) throws -> UndoReport? {
    try takeBack(.undo, pushing: .redo, in: space)
  }

  /// Writes again what the last undo took back, and reports the fields that stay; nil if there is none.
  ///
  /// *Durability* and *errors*: as `write`.
  @discardableResult
  public func redo(in space: SpaceID) throws -> UndoReport? {
    try takeBack(.redo, pushing: .undo, in: space)
  }

  /// What can be undone and redone in a space, now and after each commit that changes it.
  ///
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
