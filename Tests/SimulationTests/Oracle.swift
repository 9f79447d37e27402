import Reunion
import ReunionCore

/// Knows every write that was ever committed, and what its author saw.
struct Oracle {
  /// A cell of the space.
  struct Place: Hashable {
    let record: RecordID
    let field: UInt32
  }

  /// A committed write of a register.
  struct Write {
    let place: Place
    let cell: Cell
    /// The write that its author saw and replaced.
    let parent: Dot?
    /// The number of its transaction.
    let transaction: Int
  }

  private(set) var writes: [Dot: Write] = [:]
  private(set) var transactions: [[Dot]] = []
  private(set) var deletions: [(record: RecordID, seen: VersionVector, dot: Dot)] = []

  /// Notes what a transaction did, from the states of its records before and after.
  mutating func note(_ changes: [(id: RecordID, before: RecordState, after: RecordState)]) {
    var dots: [Dot] = []
    for change in changes {
      for cell in change.after.cells where cell.merge == .register {
        let earlier = change.before.register(cell.field)
        guard earlier != cell else { continue }
        writes[cell.dot] = Write(
          place: Place(record: change.id, field: cell.field), cell: cell, parent: earlier?.dot,
          transaction: transactions.count)
        dots.append(cell.dot)
      }
      for cell in change.after.cells where cell.merge == .deletion {
        guard !change.before.cells.contains(cell), let seen = cell.seen else { continue }
        deletions.append((change.id, seen, cell.dot))
      }
    }
    transactions.append(dots)
  }

  /// Whether the first write was seen, directly or through others, by the second one's author.
  func isAncestor(_ dot: Dot, of other: Dot) -> Bool {
    var current = writes[other]?.parent
    while let step = current {
      if step == dot { return true }
      current = writes[step]?.parent
    }
    return false
  }

  /// The order of registers: which of two writes of a cell wins.
  static func wins(_ cell: Cell, over other: Cell) -> Bool {
    cell.stamp != other.stamp ? cell.stamp > other.stamp : cell.dot.site >= other.dot.site
  }
}
