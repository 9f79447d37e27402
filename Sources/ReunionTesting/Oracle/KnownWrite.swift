import ReunionCore

/// A record of a space.
struct RecordPlace: Hashable, Comparable {
  let entity: UInt32
  let id: RecordID

  static func < (left: RecordPlace, right: RecordPlace) -> Bool {
    (left.entity, left.id) < (right.entity, right.id)
  }
}

extension RecordPlace {
  init(_ change: Change) { self.init(entity: change.entity, id: change.record) }
}

/// What tells a device's write apart whatever its number: what was rolled back is issued anew under
/// others.
struct WriteName: Hashable {
  let device: UInt64
  let place: RecordPlace
  let field: UInt32
  let merge: MergeKind
  let stamp: Stamp
  /// What it says, without the numbers of other changes that it names.
  let value: Value?

  init(_ change: Change) { self.init(change.cell, at: RecordPlace(change)) }

  init(_ cell: Cell, at place: RecordPlace) {
    self.place = place
    device = cell.dot.site.device
    field = cell.field
    merge = cell.merge
    stamp = cell.stamp
    value =
      switch cell.merge {
      case .deletion, .itemRemoval: nil
      case .memberRemoval: cell.removedMember
      case .place: cell.position.map { .bytes($0.bytes) }
      default: cell.value
      }
  }
}

/// A write that was committed somewhere, as the oracle knows it.
struct KnownWrite {
  /// What must become of a write.
  enum Fate {
    /// In the end, everybody must hold it.
    case sure
    /// It may be gone: every replica that surely had it lost it, or nobody can tell whether it was
    /// allowed.
    case open
    /// Its author was not allowed to make it: nobody else may hold it.
    case refused
  }

  /// The write under its number, and under those under which it was issued anew.
  var forms: [Change]
  /// The number of its author among the replicas; that of a browser is above them.
  let author: Int
  /// The number of its transaction.
  let transaction: Int
  var fate: Fate
  /// Whether its device wrote over it when it was not sure that anybody else had it.
  var isReplaced = false
  /// Whether a refused write of another device would have, if it ever came.
  var isPerhapsReplaced = false
  /// Whether it was a deletion of its record that did, which a leaf's values do not survive.
  var isDeleted = false

  var change: Change { forms[0] }
  var place: RecordPlace { RecordPlace(change) }
  var device: UInt64 { change.cell.dot.site.device }

  /// The number of the first browser as an author.
  static let firstBrowser = 1000
  /// Whether a browser wrote it: it keeps no conflicts.
  var isOfBrowser: Bool { author >= Self.firstBrowser }
}
