import ReunionCore
import ReunionDisk
import ReunionFlow

/// Sums over the living records of spaces, by ranges of ids: what audits compare.
///
/// They are kept in memory for the spaces that were asked for last, and made anew where records arrived since: off the
/// way of commits, when somebody asks. *Cost*: the first time a look at each record of the space (some 7 µs for one of
/// ten cells), later at the ranges that changed; 48 bytes in memory for each range of 128 records.
final class RecordSums: Sendable {
  /// The sums of one space as of an arrival.
  struct Known {
    var arrival: UInt64
    var leaves: [Leaf]
  }

  /// The sum over the records from one id up to where the next leaf begins.
  struct Leaf {
    var from: RecordID
    var sum = RecordSum()
  }

  /// How many records a leaf has, and at how many it is divided.
  static let (leafCount, leafCountMax): (UInt64, UInt64) = (128, 256)
  static let spacesMax = 8

  private struct State {
    /// The space that was asked for last at the end.
    var spaces: [(space: SpaceID, known: Known)] = []
    /// How often living records were removed, of which no arrival tells.
    var removalCount = 0
  }

  private let state = Lock(State())

  /// What is known of a space, and what is to be given with it to `keep`.
  func known(of space: SpaceID) -> (known: Known?, removalCount: Int) {
    state.withLock { state in
      (state.spaces.first { $0.space == space }?.known, state.removalCount)
    }
  }

  /// Keeps what was made, unless living records were removed meanwhile.
  func keep(_ known: Known, of space: SpaceID, removalCount: Int) {
    state.withLock { state in
      guard state.removalCount == removalCount else { return }
      state.spaces.removeAll { $0.space == space }
      if state.spaces.count >= Self.spacesMax { state.spaces.removeFirst() }
      state.spaces.append((space, known))
    }
  }

  /// Forgets everything: living records were removed.
  func forget() {
    state.withLock { state in
      state.removalCount += 1
      state.spaces = []
    }
  }
}

extension RecordSums.Known {
  /// Where the leaf after one begins.
  func end(of index: Int) -> RecordID? {
    index + 1 < leaves.count ? leaves[index + 1].from : nil
  }

  /// The leaf in which an id is or would be.
  func index(of id: RecordID) -> Int {
    var (low, high) = (0, leaves.count)
    while low + 1 < high {
      let middle = (low + high) / 2
      if leaves[middle].from <= id { low = middle } else { high = middle }
    }
    return low
  }
}

extension RecordReader {
  /// The sums of a space as of this snapshot, from what was known before it began.
  func sums(space: Int64, _ known: RecordSums.Known?) throws(StoreError) -> RecordSums.Known {
    let arrival = try arrival(space: space)
    guard var sums = known else {
      return RecordSums.Known(arrival: arrival, leaves: try leaves(in: .all, space: space))
    }
    guard sums.arrival != arrival else { return sums }
    var stale: Set<Int> = []
    try scan(space: space, after: sums.arrival) { record in
      stale.insert(sums.index(of: record.key.id))
      return true
    }
    for index in stale.sorted(by: >) {
      let range = RecordRange(from: sums.leaves[index].from, to: sums.end(of: index))
      sums.leaves.replaceSubrange(index...index, with: try leaves(in: range, space: space))
    }
    sums.arrival = arrival
    return sums
  }

  /// The sums over a range, in leaves: at least one.
  private func leaves(
    in range: RecordRange, space: Int64
  ) throws(StoreError) -> [RecordSums.Leaf] {
    var leaves = [RecordSums.Leaf(from: range.from)]
    var digests: [RecordDigest] = []
    func close(before next: RecordID?) {
      for digest in digests { leaves[leaves.count - 1].sum.add(digest) }
      digests = []
      if let next { leaves.append(RecordSums.Leaf(from: next)) }
    }
    try forEachDigest(in: range, space: space) { digest, _ in
      let id = digest.name.record
      // Records of several entities may have one id.
      if digests.count >= RecordSums.leafCount, digests.last?.name.record != id {
        close(before: id)
      }
      digests.append(digest)
    }
    close(before: nil)
    return leaves
  }

  /// The sum over a range, by leaves and by looking at what of a leaf is in it; counts the records that it looks at.
  func sum(
    over range: RecordRange, space: Int64, _ sums: RecordSums.Known, looking count: inout UInt64
  ) throws(StoreError) -> RecordSum {
    var sum = RecordSum()
    var index = sums.index(of: range.from)
    while index < sums.leaves.count {
      let leaf = RecordRange(from: sums.leaves[index].from, to: sums.end(of: index))
      if let to = range.to, leaf.from >= to { break }
      if range.from <= leaf.from, leaf.endsWithin(range) {
        sum.add(sums.leaves[index].sum)
      } else {
        let part = RecordRange(
          from: max(range.from, leaf.from), to: leaf.endsWithin(range) ? leaf.to : range.to)
        try forEachDigest(in: part, space: space) { digest, _ in
          sum.add(digest)
          count += 1
        }
      }
      index += 1
    }
    return sum
  }

  /// A range in at most sixteen parts of about as many records each, at ids where leaves begin, or, within a leaf, at
  /// ids of records. One that cannot be divided comes back whole.
  func parts(
    of range: RecordRange, space: Int64, _ sums: RecordSums.Known, looking count: inout UInt64
  ) throws(StoreError) -> [RecordRange] {
    let first = sums.index(of: range.from)
    var starts: [RecordID] = []
    var index = first + 1
    while index < sums.leaves.count, range.contains(sums.leaves[index].from) {
      starts.append(sums.leaves[index].from)
      index += 1
    }
    if starts.count < Self.auditParts - 1 {
      starts = []
      try forEach(in: range, space: space) { record in
        let id = record.key.id
        count += 1
        if record.state.isAlive, id != range.from, id != starts.last { starts.append(id) }
      }
    }
    let stride = max(1, (starts.count + Self.auditParts) / Self.auditParts)
    let bounds = starts.indices.filter { $0 % stride == stride - 1 }.map { starts[$0] }
    let ends: [RecordID?] = bounds + [range.to]
    return zip([range.from] + bounds, ends).map { RecordRange(from: $0, to: $1) }
  }

  private static var auditParts: Int { 16 }

  /// Calls a closure with the digest and the arrival of each living record of a range, by id.
  func forEachDigest(
    in range: RecordRange, space: Int64,
    _ body: (RecordDigest, _ arrival: UInt64) throws(StoreError) -> Void
  ) throws(StoreError) {
    try forEach(in: range, space: space) { (record) throws(StoreError) in
      guard record.state.isAlive else { return }
      let name = RecordName(entity: record.key.entity, record: record.key.id)
      try body(RecordDigest(name, record.state), record.arrival)
    }
  }

  /// Calls a closure with each record of a range, by id and then by entity.
  func forEach(
    in range: RecordRange, space: Int64, _ body: (StoredRecord) throws(StoreError) -> Void
  ) throws(StoreError) {
    var walks: [RangeWalk] = []
    defer { for walk in walks { walk.statement.finalize() } }
    for table in layout.tables {
      let walk = RangeWalk(
        table: table, statement: try connection.prepare(table.selectFrom), next: nil)
      walks.append(walk)
      try walk.statement.bind(1, space)
      try walk.statement.bind(2, range.from)
      try step(walk, to: range.to, space: space)
    }
    while let walk = walks.filter({ $0.next != nil }).min(by: { $0.isBefore($1) }),
      let record = walk.next
    {
      try body(record)
      try step(walk, to: range.to, space: space)
    }
  }

  private func step(_ walk: RangeWalk, to end: RecordID?, space: Int64) throws(StoreError) {
    walk.next = nil
    guard try walk.statement.step() else { return }
    let record = try row(walk.statement, table: walk.table, space: space)
    if let end, record.key.id >= end { return }
    walk.next = record
  }
}

/// The rows of one table that come next, by id.
private final class RangeWalk {
  let table: Table
  let statement: Statement
  var next: StoredRecord?

  init(table: Table, statement: Statement, next: StoredRecord?) {
    self.table = table
    self.statement = statement
    self.next = next
  }

  func isBefore(_ other: RangeWalk) -> Bool {
    guard let one = next?.key, let other = other.next?.key else { return next != nil }
    return one.id == other.id ? one.entity < other.entity : one.id < other.id
  }
}

extension RecordRange {
  /// Whether no record after its own is in another, in which it begins.
  fileprivate func endsWithin(_ other: RecordRange) -> Bool {
    guard let end = other.to else { return true }
    return to.map { $0 <= end } ?? false
  }
}
