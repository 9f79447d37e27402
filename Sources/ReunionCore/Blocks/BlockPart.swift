/// A part of a block: whole records of a space, in columns.
///
/// A block is a space as of one arrival, which a newcomer takes in place of a long first push. Each of its
/// parts can be read alone. Source: `docs/protocol.md` §6.
package struct BlockPart: Hashable, Sendable {
  /// A record with all its cells.
  package struct Record: Hashable, Sendable {
    /// The record's entity.
    package var entity: UInt32
    /// The record.
    package var id: RecordID
    /// Its cells.
    package var state: RecordState

    /// Makes a record.
    package init(entity: UInt32, id: RecordID, state: RecordState) {
      self.entity = entity
      self.id = id
      self.state = state
    }
  }

  /// The records, in any order.
  package var records: [Record]

  /// The most records of a part.
  package static let recordsMax = 4096
  /// The most cells of a part.
  package static let cellsMax = 1 << 17
  /// About where the maker of a block ends a part, in bytes that its cells have as changes.
  package static let bytesSoftMax = 2 * 1024 * 1024
  /// The most bytes of a part, inflated.
  package static let bytesMax = 4 * 1024 * 1024

  /// The latest stamp of all.
  package var latestStamp: Stamp { records.reduce(.none) { max($0, $1.state.latestStamp) } }

  /// Makes a part.
  package init(_ records: [Record]) { self.records = records }
}

/// A column: the cells of one field that merge alike and have values of one kind.
struct BlockColumn: Hashable {
  var entity: UInt32
  var field: UInt32
  var merge: MergeKind
  var kind: ValueKind
}

/// How the values of a column are written.
enum BlockValues: UInt8 {
  /// All are empty.
  case none = 0
  /// Eight bytes each, as differences from the one before.
  case numbers = 1
  /// As many bytes each, as they are.
  case fixed = 2
  /// All lengths, then all bytes.
  case lengths = 3
}

/// What the clocks of cells are told from: each is a difference from the cell before.
struct BlockClock {
  var milliseconds: UInt64 = 0
  var counter: UInt64 = 0
  /// How many milliseconds lay between a cell and the one that it replaced.
  var distance: UInt64 = 0
  /// The last number of each site of the part.
  var seqs: [UInt64]
}

extension UInt64 {
  /// The difference from a base with its sign in the lowest bit, so that small ones are short.
  func zigzag(from base: UInt64) -> UInt64 {
    let difference = Int64(bitPattern: self &- base)
    return UInt64(bitPattern: difference << 1 ^ difference >> 63)
  }

  /// The number that has this difference from a base.
  func unzigzag(from base: UInt64) -> UInt64 { base &+ (self >> 1 ^ (0 &- (self & 1))) }
}
