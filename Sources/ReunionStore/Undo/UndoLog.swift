import ReunionCore
import ReunionDisk

/// The log of steps that can be undone and redone: local, in the commit of the write itself.
struct UndoLog {
  /// The most steps that a side of a space's log keeps; the oldest go first.
  static let stepsMax = 100
  /// The most bytes that a side of a space's log keeps.
  static let bytesMax = 4 << 20

  enum Side: Int64 {
    case undo = 0
    case redo = 1
  }

  let reader: RecordReader
  let space: Int64
  private var connection: DatabaseConnection { reader.connection }

  init(_ reader: RecordReader, space: Int64) {
    self.reader = reader
    self.space = space
  }

  /// The name of the newest step of a side; nil if there is none.
  func name(_ side: Side) throws(StoreError) -> String? {
    let statement = try connection.statement(
      """
      SELECT name FROM reunion_undo WHERE space = ?1 AND side = ?2 ORDER BY number DESC LIMIT 1
      """)
    defer { statement.reset() }
    try statement.bind(1, space)
    try statement.bind(2, side.rawValue)
    return try statement.step() ? statement.text(0) : nil
  }

  /// Takes the newest step off a side.
  func pop(_ side: Side) throws(StoreError) -> UndoStep? {
    guard let (number, step) = try steps(side, limit: 1).first else { return nil }
    let delete = try connection.statement(
      "DELETE FROM reunion_undo WHERE space = ?1 AND side = ?2 AND number = ?3")
    try delete.bind(1, space)
    try delete.bind(2, side.rawValue)
    try delete.bind(3, number)
    try delete.run()
    return step
  }

  /// Puts a step on a side; if there is no room, the oldest ones go. One that has no room itself
  /// empties its side, since what is before it could not be undone first.
  func push(_ step: UndoStep, on side: Side) throws(StoreError) {
    guard !step.records.isEmpty else { return }
    let insert = try connection.statement(
      """
      INSERT INTO reunion_undo(space, side, number, name, step) VALUES(?1, ?2, \
      (SELECT ifnull(max(number), 0) + 1 FROM reunion_undo WHERE space = ?1 AND side = ?2), ?3, ?4)
      """)
    try insert.bind(1, space)
    try insert.bind(2, side.rawValue)
    try insert.bind(3, text: step.name)
    try insert.bind(4, step.encoded())
    try insert.run()
    let trim = try connection.statement(
      """
      DELETE FROM reunion_undo WHERE space = ?1 AND side = ?2 AND number <= (SELECT max(number) \
      FROM (SELECT number, row_number() OVER newest AS position, sum(length(step)) OVER newest \
      AS bytes FROM reunion_undo WHERE space = ?1 AND side = ?2 \
      WINDOW newest AS (ORDER BY number DESC)) WHERE position > ?3 OR bytes > ?4)
      """)
    try trim.bind(1, space)
    try trim.bind(2, side.rawValue)
    try trim.bind(3, Int64(Self.stepsMax))
    try trim.bind(4, Int64(Self.bytesMax))
    try trim.run()
  }

  /// Removes all steps of a side.
  func clear(_ side: Side) throws(StoreError) {
    let delete = try connection.statement(
      "DELETE FROM reunion_undo WHERE space = ?1 AND side = ?2")
    try delete.bind(1, space)
    try delete.bind(2, side.rawValue)
    try delete.run()
  }

  /// Has all steps name changes by the dots under which they were written anew.
  func rename(_ names: [Dot: Dot]) throws(StoreError) {
    guard !names.isEmpty else { return }
    for side in [Side.undo, .redo] {
      for (number, step) in try steps(side, limit: Self.stepsMax) {
        let renamed = step.renamed(names)
        guard renamed != step else { continue }
        let update = try connection.statement(
          """
          UPDATE reunion_undo SET step = ?4 WHERE space = ?1 AND side = ?2 AND number = ?3
          """)
        try update.bind(1, space)
        try update.bind(2, side.rawValue)
        try update.bind(3, number)
        try update.bind(4, renamed.encoded())
        try update.run()
      }
    }
  }

  private func steps(
    _ side: Side, limit: Int
  ) throws(StoreError) -> [(number: Int64, step: UndoStep)] {
    let statement = try connection.statement(
      """
      SELECT number, name, step FROM reunion_undo WHERE space = ?1 AND side = ?2 \
      ORDER BY number DESC LIMIT ?3
      """)
    defer { statement.reset() }
    try statement.bind(1, space)
    try statement.bind(2, side.rawValue)
    try statement.bind(3, Int64(limit))
    var steps: [(Int64, UndoStep)] = []
    while try statement.step() {
      guard let step = UndoStep(name: statement.text(1), decoding: statement.bytes(2)) else {
        throw statement.damaged("a step that can be undone")
      }
      steps.append((statement.int(0), step))
    }
    return steps
  }
}
