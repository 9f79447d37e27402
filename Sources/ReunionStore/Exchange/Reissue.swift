import ReunionCore
import ReunionDisk

/// Gives the changes of one site new numbers under another, in the order that they had.
///
/// Stamps and values stay. A delete names what it saw by dots, so that each delete that saw a
/// re-issued change gets a form that names it anew.
struct Reissue {
  let records: RecordWriter
  let space: Int64
  let old: Site
  let new: Site
  /// The changes up to this one keep their numbers.
  let floor: UInt64
  private(set) var touches = Touches()
  private(set) var lastSeq: UInt64 = 0
  /// The old numbers, rising; the new one is the position, from 1.
  private var seqs: [UInt64] = []

  init(records: RecordWriter, space: Int64, old: Site, new: Site, floor: UInt64) {
    self.records = records
    self.space = space
    self.old = old
    self.new = new
    self.floor = floor
  }

  mutating func run(arrival: inout UInt64) throws(StoreError) {
    let number = try records.reader.numbers.number(of: old)
    var found: [StoredRecord] = []
    var seqs = Set(try conflictSeqs(number))
    try records.reader.forEach(space: space) { (record) throws(StoreError) in
      let own = record.state.cells.filter(isReissued)
      seqs.formUnion(own.map(\.dot.seq))
      // An item that was removed is named by others, and is not there itself.
      for item in record.state.cells.compactMap(\.namedItem) where item.site == old {
        if item.seq > floor { seqs.insert(item.seq) }
      }
      if !own.isEmpty || record.state.cells.contains(where: { namesReissued($0) }) {
        found.append(record)
      }
    }
    self.seqs = seqs.sorted()
    lastSeq = UInt64(seqs.count)
    for record in found {
      var state = RecordState()
      for cell in record.state.cells {
        for form in forms(of: cell) { _ = state.merge(form) }
      }
      arrival += 1
      try records.write(
        StoredRecord(key: record.key, state: state, arrival: arrival), over: record, space: space)
      touches.add(record.key, .all)
    }
    try renumberConflicts(number)
  }

  private func isReissued(_ cell: Cell) -> Bool {
    // A part of a counter would count twice beside the one of before, which peers give back.
    cell.dot.site == old && cell.dot.seq > floor && cell.merge != .tally
  }

  private func namesReissued(_ cell: Cell) -> Bool {
    if let seen = cell.seen { return seen[old] > floor }
    return cell.namedItem.map { $0.site == old && $0.seq > floor } ?? false
  }

  /// What a cell becomes; another site's that names a renumbered change stays, beside one of ours
  /// with the new names.
  private mutating func forms(of cell: Cell) -> [Cell] {
    var renamed = cell
    if isReissued(cell) { renamed.dot = Dot(site: new, seq: newSeq(upTo: cell.dot.seq)) }
    guard namesReissued(cell) else {
      return cell.merge == .member && isReissued(cell)
        ? [renamed] + removal(before: cell) : [renamed]
    }
    if let seen = cell.seen {
      var sight = VersionVector()
      for dot in seen.entries where dot.site != old { sight.raise(dot.site, to: dot.seq) }
      sight.raise(old, to: floor)
      sight.raise(new, to: newSeq(upTo: seen[old]))
      renamed.value =
        cell.removedMember.map { Cell.memberRemovalValue(of: $0, seen: sight) }
        ?? Cell.deletionValue(seen: sight)
    } else if let item = cell.namedItem {
      let item = Dot(site: new, seq: newSeq(upTo: item.seq))
      renamed.value =
        cell.position.map { Cell.placeValue(of: item, at: $0) } ?? Cell.itemRemovalValue(of: item)
    }
    if isReissued(cell) { return [renamed] }
    lastSeq += 1
    renamed.dot = Dot(site: new, seq: lastSeq)
    return [cell, renamed]
  }

  /// What takes the site's earlier addition of an element away from peers: here the later one has taken
  /// its place, which they know under a new number alone. Under its old one it may not stay: that may
  /// be another element's elsewhere.
  private mutating func removal(before cell: Cell) -> [Cell] {
    guard floor > 0 else { return [] }
    var sight = VersionVector()
    sight.raise(old, to: floor)
    lastSeq += 1
    var removal = cell
    removal.merge = .memberRemoval
    removal.dot = Dot(site: new, seq: lastSeq)
    removal.value = Cell.memberRemovalValue(of: cell.value, seen: sight)
    return [removal]
  }

  /// The new number of the last old one up to `seq`.
  private func newSeq(upTo seq: UInt64) -> UInt64 {
    var low = 0
    var high = seqs.count
    while low < high {
      let middle = (low + high) / 2
      if seqs[middle] <= seq { low = middle + 1 } else { high = middle }
    }
    return UInt64(low)
  }

  private func conflictSeqs(_ site: Int64) throws(StoreError) -> [UInt64] {
    let statement = try records.reader.connection.statement(
      "SELECT DISTINCT seq FROM reunion_conflict WHERE space = ?1 AND site = ?2 AND seq > ?3")
    defer { statement.reset() }
    try statement.bind(1, space)
    try statement.bind(2, site)
    try statement.bind(3, Int64(bitPattern: floor))
    var seqs: [UInt64] = []
    while try statement.step() { seqs.append(UInt64(bitPattern: statement.int(0))) }
    return seqs
  }

  /// Kept conflicts are told apart by their dots.
  private func renumberConflicts(_ site: Int64) throws(StoreError) {
    for seq in try conflictSeqs(site) {
      let update = try records.reader.connection.statement(
        """
        UPDATE reunion_conflict SET site = ?4, seq = ?5 \
        WHERE space = ?1 AND site = ?2 AND seq = ?3
        """)
      try update.bind(1, space)
      try update.bind(2, site)
      try update.bind(3, Int64(bitPattern: seq))
      try update.bind(4, try records.reader.numbers.number(of: new))
      try update.bind(5, Int64(bitPattern: newSeq(upTo: seq)))
      try update.run()
    }
  }
}
