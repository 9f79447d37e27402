/// How the changes of a cell come together.
///
/// Kinds that a build does not know are kept whole, each change for itself, and forwarded.
package struct MergeKind: RawRepresentable, Hashable, Sendable {
  /// The number on the wire.
  package let rawValue: UInt8

  /// Takes its parts as they are.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The creation of a record: the earliest stays, and its site is the record's creator.
  package static let creation = MergeKind(rawValue: 0)
  /// A delete: the bytes are the version vector of the cells that its author saw.
  package static let deletion = MergeKind(rawValue: 1)
  /// A register: the later (stamp, site) wins.
  package static let register = MergeKind(rawValue: 2)
  /// A register that a program wrote of itself, such as a size it measured: it merges with registers
  /// of its field as one of them, but keeps no record alive that somebody deletes meanwhile.
  package static let annotation = MergeKind(rawValue: 3)

  /// A part of a counter: what its site has added in sum. The counter is the sum of all sites' parts.
  package static let tally = MergeKind(rawValue: 4)
  /// An element added to a set. Of one element's additions by a site the last one stays.
  package static let member = MergeKind(rawValue: 5)
  /// An element removed from a set: the bytes name it and the additions that the author saw, so that
  /// an addition made meanwhile stays (add wins).
  package static let memberRemoval = MergeKind(rawValue: 6)
  /// An item of a list. Its change's dot is its name; what it holds never changes.
  package static let item = MergeKind(rawValue: 7)
  /// Where an item stands: the later of several wins, so that a move is one change.
  package static let place = MergeKind(rawValue: 8)
  /// An item removed from a list, for good.
  package static let itemRemoval = MergeKind(rawValue: 9)

  /// Whether it holds a field's value.
  package var isRegister: Bool { self == .register || self == .annotation }
}

/// The state of a field: the change that holds it, with the clock readings that decide merges.
package struct Cell: Hashable, Sendable {
  /// The field's permanent number in its model; 0 is the record's existence.
  package var field: UInt32
  /// How it merges.
  package var merge: MergeKind
  /// The site that wrote it, and the count of that site's changes.
  package var dot: Dot
  /// When it was written; every change of one transaction has the same.
  package var stamp: Stamp
  /// The stamp of the cell that its author replaced, `.none` where there was none.
  package var replaced: Stamp
  /// What was written.
  package var value: Value

  /// The field number of a record's existence.
  package static let existence: UInt32 = 0
  /// The highest field number.
  package static let fieldMax: UInt32 = 1 << 24

  /// Makes a cell.
  package init(
    field: UInt32, merge: MergeKind, dot: Dot, stamp: Stamp, replaced: Stamp = .none, value: Value
  ) {
    self.field = field
    self.merge = merge
    self.dot = dot
    self.stamp = stamp
    self.replaced = replaced
    self.value = value
  }

  /// For a deletion, or a set's removal: the changes that its author saw.
  package var seen: VersionVector? {
    guard merge == .deletion || merge == .memberRemoval, let count = nameCount else { return nil }
    var reader = ByteReader(value.bytes, from: count)
    guard let vector = try? reader.vector(), reader.remaining == 0 else { return nil }
    return vector
  }

  /// The bytes of a deletion that saw these changes.
  package static func deletionValue(seen: VersionVector) -> Value {
    var writer = ByteWriter()
    writer.vector(seen)
    return Value(kind: .bytes, bytes: writer.bytes)
  }

  /// The cell without its value, where that is a field's: it beats what the cell beats, and yields to the
  /// cell itself, since null is the lowest value.
  package var hollow: Cell {
    guard merge.isRegister else { return self }
    var cell = self
    cell.value = .null
    return cell
  }

  /// The order in which later writes beat earlier ones: stamp, site, `seq`, value, `replaced`, merge.
  package static func isOrdered(_ left: Cell, before right: Cell) -> Bool {
    if left.stamp != right.stamp { return left.stamp < right.stamp }
    if left.dot.site != right.dot.site { return left.dot.site < right.dot.site }
    if left.dot.seq != right.dot.seq { return left.dot.seq < right.dot.seq }
    if left.value != right.value { return Value.isOrdered(left.value, before: right.value) }
    if left.replaced != right.replaced { return left.replaced < right.replaced }
    return left.merge.rawValue < right.merge.rawValue
  }
}

/// One write of one cell of one record: what replicas exchange.
package struct Change: Hashable, Sendable {
  /// The number of the record's entity in its model.
  package var entity: UInt32
  /// The record.
  package var record: RecordID
  /// What was written.
  package var cell: Cell

  /// Makes a change.
  package init(entity: UInt32, record: RecordID, cell: Cell) {
    self.entity = entity
    self.record = record
    self.cell = cell
  }
}
