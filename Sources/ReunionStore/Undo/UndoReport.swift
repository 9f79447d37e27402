/// What an undo or a redo did.
///
/// ```swift
/// if let report = try store.redo(in: space) {
///   let captions = report.kept.filter { $0.isField(\Photo.caption) }
///   print(report.name, report.isComplete, captions.count)
/// }
/// ```
public struct UndoReport: Hashable, Sendable {
  /// The name that the write was given.
  public let name: String
  /// The fields that stay as they are because somebody has written them since; where it is the
  /// whole record, which was deleted or is edited by others, its existence (field 0) or their
  /// fields.
  public let kept: [FieldID]

  /// Whether all of it was undone.
  public var isComplete: Bool { kept.isEmpty }
}

/// What can be undone and redone: what a menu shows. Both are of this device and one space.
public struct UndoStatus: Hashable, Sendable {
  /// The name of the write that an undo would undo; nil if there is none.
  public var undoName: String?
  /// The name of the write that a redo would bring back; nil if there is none.
  public var redoName: String?

  /// Whether there is something to undo.
  public var canUndo: Bool { undoName != nil }
  /// Whether there is something to redo.
  public var canRedo: Bool { redoName != nil }
}
