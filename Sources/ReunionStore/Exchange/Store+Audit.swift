package import ReunionCore
import ReunionDisk

/// What a store says in an audit.
package struct AuditSpeech: Hashable, Sendable {
  /// What is to be said.
  package var parts: [AuditStep.Part] = []
  /// Of an answer: how many parts of the question are answered.
  package var answeredCount = 0
  /// The records that turned out to differ.
  package var differing: [RecordName] = []
  /// The arrival as of which it is said.
  package var arrival: UInt64 = 0
}

extension Store {
  /// Reads what was answered, and asks on. *Thread*: any. *Cost*: a look at some thousand records; see `RecordSums`.
  package func auditTurn(_ walk: inout AuditWalk, in space: SpaceID) throws -> AuditSpeech {
    let before = walk
    let (next, speech) = try audit(space, unknown: (AuditWalk.over, AuditSpeech())) {
      (work) throws(StoreError) in
      var (next, work) = (before, work)
      while !next.unread.isEmpty, next.todo.count < AuditStep.partsMax, work.hasTime {
        let unread = next.unread.removeFirst()
        next.todo += try work.read(unread.part, since: unread.since)
      }
      next.untold += work.speech.differing
      let told = next.untold.prefix(AuditStep.recordsMax)
      if !told.isEmpty { work.say(.differing(Array(told))) }
      next.untold.removeFirst(told.count)
      var count = 0
      while count < next.todo.count, work.hasTime || count == 0, try work.ask(next.todo[count]) {
        count += 1
      }
      next.asked(count, after: told.isEmpty ? 0 : 1, as: work.speech.arrival)
      return (next, work.speech)
    }
    walk = next
    return speech
  }

  /// Answers a question, as far as there is room and time: one part at least. What arrived here after `since`, as of
  /// which this side answered last, the asker may not have had when it listed its records: it is no difference. Nil for
  /// a first question, which lists none. *Thread*: any. *Cost*: as `auditTurn`.
  package func auditAnswer(
    to parts: [AuditStep.Part], since: UInt64?, in space: SpaceID
  ) throws -> AuditSpeech {
    try audit(space, unknown: AuditSpeech(answeredCount: parts.count)) {
      (work) throws(StoreError) in
      var work = work
      for part in parts {
        guard work.hasTime || work.speech.answeredCount == 0, try work.answer(part, since: since)
        else { break }
        work.speech.answeredCount += 1
      }
      return work.speech
    }
  }

  private func audit<Success>(
    _ space: SpaceID, unknown: Success,
    _ body: (AuditWork) throws(StoreError) -> Success
  ) throws -> Success {
    // Before the snapshot, so that what is known is none of what came after it.
    let (known, removalCount) = recordSums.known(of: space)
    return try readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else { return unknown }
      var sums = try reader.sums(space: number, known)
      if options.seededBugs.auditSumsNotRefreshed, let known { sums.leaves = known.leaves }
      recordSums.keep(sums, of: space, removalCount: removalCount)
      return try body(AuditWork(reader: reader, space: number, sums: sums))
    }
  }
}

extension AuditWalk {
  /// One that is over.
  fileprivate static var over: AuditWalk {
    var walk = AuditWalk()
    walk.todo = []
    return walk
  }
}

/// One turn that is being made, in a read transaction.
private struct AuditWork {
  let reader: RecordReader
  let space: Int64
  let sums: RecordSums.Known
  var speech: AuditSpeech
  private var namedCount = 0
  private var readCount: UInt64 = 0

  /// As many records are listed as that, where sums differ; more are divided.
  private static let listedMax: UInt64 = 32
  /// About how many records one turn looks at.
  private static let readMax: UInt64 = 8192

  init(reader: RecordReader, space: Int64, sums: RecordSums.Known) {
    self.reader = reader
    self.space = space
    self.sums = sums
    speech = AuditSpeech(arrival: sums.arrival)
  }

  /// Whether this turn goes on: it has not looked at too many records.
  var hasTime: Bool { readCount < Self.readMax }

  mutating func say(_ part: AuditStep.Part) {
    if case .differing(let names) = part { namedCount += names.count }
    speech.parts.append(part)
  }

  /// Reads a part of an answer: what is to be asked then.
  mutating func read(
    _ part: AuditStep.Part, since: UInt64
  ) throws(StoreError) -> [AuditWalk.Todo] {
    switch part {
    case .sum(let range, let theirs):
      let ours = try sum(over: range)
      guard ours != theirs else { return [] }
      return ours.count <= Self.listedMax ? [.list(range)] : try parts(of: range).map { .sum($0) }
    case .records(let range, let theirs):
      speech.differing += try differing(range, theirs, since: since)
      return []
    case .differing: return []
    }
  }

  /// Asks about a range. Without room for it the result is false, and nothing is asked.
  mutating func ask(_ todo: AuditWalk.Todo) throws(StoreError) -> Bool {
    switch todo {
    case .sum(let range):
      guard hasRoom(for: 1, records: 0) else { return false }
      speech.parts.append(.sum(range, try sum(over: range)))
      return true
    case .list(let range):
      let ours = try sum(over: range)
      // More have come since: they are divided once more.
      guard ours.count <= AuditStep.recordsMax else { return try ask(.sum(range)) }
      return try list(range, ours.count)
    }
  }

  /// Answers a part. Without room for the answer the result is false, and nothing is said.
  mutating func answer(_ part: AuditStep.Part, since: UInt64?) throws(StoreError) -> Bool {
    switch part {
    case .sum(let range, let theirs):
      let ours = try sum(over: range)
      if ours == theirs { return true }
      return ours.count <= Self.listedMax ? try list(range, ours.count) : try divide(range)
    case .records(let range, let theirs):
      let ours = try sum(over: range)
      if ours.count + UInt64(theirs.count) > AuditStep.recordsMax { return try divide(range) }
      guard hasRoom(for: 1, records: Int(ours.count) + theirs.count) else { return false }
      let names = try differing(range, theirs, since: since ?? 0)
      guard since != nil, !names.isEmpty else { return true }
      speech.differing += names
      say(.differing(names))
    case .differing(let names): speech.differing += names
    }
    return true
  }

  private mutating func list(_ range: RecordRange, _ count: UInt64) throws(StoreError) -> Bool {
    guard hasRoom(for: 1, records: Int(count)) else { return false }
    var records: [RecordDigest] = []
    try reader.forEachDigest(in: range, space: space) { digest, _ in records.append(digest) }
    namedCount += records.count
    readCount += UInt64(records.count)
    speech.parts.append(.records(range, records))
    return true
  }

  private mutating func divide(_ range: RecordRange) throws(StoreError) -> Bool {
    let parts = try parts(of: range)
    guard hasRoom(for: parts.count, records: 0) else { return false }
    for part in parts { speech.parts.append(.sum(part, try sum(over: part))) }
    return true
  }

  /// A range in parts; none where hundreds of records have one id, which no app writes: they are not told apart.
  private mutating func parts(of range: RecordRange) throws(StoreError) -> [RecordRange] {
    let parts = try reader.parts(of: range, space: space, sums, looking: &readCount)
    return parts.count > 1 ? parts : []
  }

  private mutating func sum(over range: RecordRange) throws(StoreError) -> RecordSum {
    try reader.sum(over: range, space: space, sums, looking: &readCount)
  }

  private mutating func differing(
    _ range: RecordRange, _ theirs: [RecordDigest], since: UInt64
  ) throws(StoreError) -> [RecordName] {
    readCount += UInt64(theirs.count)
    var unmatched = Dictionary(theirs.map { ($0.name, $0) }) { first, _ in first }
    var differing: [RecordName] = []
    try reader.forEachDigest(in: range, space: space) { digest, arrival in
      let isSame = unmatched.removeValue(forKey: digest.name) == digest
      if !isSame, arrival <= since { differing.append(digest.name) }
    }
    for name in unmatched.keys where range.contains(name.record) {
      // One that is deleted here since then is none.
      let held = try reader.record(RecordKey(name), space: space)
      if held?.arrival ?? 0 <= since { differing.append(name) }
    }
    return differing.sorted { ($0.record, $0.entity) < ($1.record, $1.entity) }
  }

  private func hasRoom(for parts: Int, records: Int) -> Bool {
    speech.parts.count + parts <= AuditStep.partsMax
      && namedCount + records <= AuditStep.recordsMax
  }
}

extension Store {
  /// How long after an audit the next one is due: a week.
  private static let auditMilliseconds: UInt64 = 7 * 86_400_000

  /// Whether a space is to be compared with a peer: it was not for a week, or since either of them went back to an
  /// earlier state, or this store was upgraded. *Cost*: a row.
  package func isAuditDue(with peer: Site, in space: SpaceID) throws -> Bool {
    let kept = try readTransaction { (reader) throws(StoreError) in
      try reader.connection.kept(AuditMark.key(peer, space))
    }
    let present = auditMark(with: peer, in: space)
    guard let kept, let mark = AuditMark(decoding: kept), mark.own == present.own,
      mark.peer == peer, mark.layout == present.layout
    else { return true }
    // A clock that went back does not put it off for longer.
    let (earlier, later) = (
      min(mark.milliseconds, present.milliseconds), max(mark.milliseconds, present.milliseconds)
    )
    return later - earlier >= Self.auditMilliseconds
  }

  /// Notes that a space was compared. *Durability*: as a write.
  package func keepAudit(with peer: Site, in space: SpaceID) throws {
    let mark = auditMark(with: peer, in: space)
    try commit { (_, records) throws(StoreError) in
      try records.reader.connection.keep(mark.encoded, as: AuditMark.key(peer, space))
      return ((), nil)
    }
  }

  private func auditMark(with peer: Site, in space: SpaceID) -> AuditMark {
    AuditMark(
      milliseconds: options.wallMilliseconds(), own: site(in: space), peer: peer,
      layout: layout.fingerprint)
  }
}

/// When a space was last compared with a peer, who the two were then, and which tables this one had.
private struct AuditMark {
  var milliseconds: UInt64
  var own: Site
  var peer: Site
  var layout: UInt64

  static func key(_ peer: Site, _ space: SpaceID) -> String {
    "audit \(space) \(Site(device: peer.device, incarnation: 0))"
  }

  var encoded: [UInt8] {
    var writer = ByteWriter()
    writer.integer(milliseconds)
    writer.identifier(own)
    writer.identifier(peer)
    writer.integer(layout)
    return writer.bytes
  }
}

extension AuditMark {
  /// Nil where it cannot be read: then an audit is due.
  fileprivate init?(decoding bytes: [UInt8]) {
    var reader = ByteReader(bytes)
    guard let milliseconds = try? reader.integer(UInt64.self),
      let own = try? reader.identifier(Site.self), let peer = try? reader.identifier(Site.self),
      let layout = try? reader.integer(UInt64.self)
    else { return nil }
    self.init(milliseconds: milliseconds, own: own, peer: peer, layout: layout)
  }
}

extension Layout {
  /// A hash of the entities and of the columns that hold their fields.
  fileprivate var fingerprint: UInt64 {
    var hash = CellHash()
    for table in tables {
      hash.add(UInt64(table.entity))
      for column in table.columns {
        hash.add(UInt64(column.field))
        hash.add(UInt64(column.kind.rawValue))
      }
    }
    return hash.value
  }
}
