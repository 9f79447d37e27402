package import ReunionCore
import ReunionDisk

/// What a store answers to a step of an audit (`AuditStep`).
package struct AuditAnswer: Hashable, Sendable {
  /// What is to be said.
  package var parts: [AuditStep.Part] = []
  /// Ranges whose sums differ and that are to be said later.
  package var waiting: [RecordRange] = []
  /// The arrival as of which it is said.
  package var arrival: UInt64 = 0
}

extension Store {
  /// Begins an audit of a space: the sum over all that lives here. *Thread*: any. *Cost*: see `RecordSums`.
  package func auditBegin(in space: SpaceID) throws -> AuditAnswer {
    try audit(space) { (reader, number, sums) throws(StoreError) in
      var answer = AuditAnswer(arrival: sums.arrival)
      answer.parts = [.sum(.all, try reader.sum(over: .all, space: number, sums))]
      return answer
    }
  }

  /// Answers a step, and goes on with the ranges that `waiting` names. What arrived here after `since`, as of which
  /// this side spoke last, the other side may not have had when it listed its records: it is no difference. Nil for a
  /// first step, which lists none. *Thread*: any. *Cost*: a look at the records of what differs, of a few hundred for
  /// each part; see `RecordSums`.
  package func auditAnswer(
    to step: AuditStep, goingOnWith waiting: [RecordRange], since: UInt64?, in space: SpaceID
  ) throws -> AuditAnswer {
    try audit(space) { (reader, number, sums) throws(StoreError) in
      var work = AuditWork(reader: reader, space: number, sums: sums, since: since)
      for part in step.parts { try work.answer(part) }
      for range in waiting { try work.bringUp(range) }
      return work.answer
    }
  }

  private func audit(
    _ space: SpaceID,
    _ body: (RecordReader, Int64, RecordSums.Known) throws(StoreError) -> AuditAnswer
  ) throws -> AuditAnswer {
    // Before the snapshot, so that what is known is none of what came after it.
    let (known, removalCount) = recordSums.known(of: space)
    return try readTransaction { (reader) throws(StoreError) in
      guard let number = try reader.numbers.existingNumber(of: space) else {
        return AuditAnswer()
      }
      var sums = try reader.sums(space: number, known)
      if options.seededBugs.auditSumsNotRefreshed, let known { sums.leaves = known.leaves }
      recordSums.keep(sums, of: space, removalCount: removalCount)
      return try body(reader, number, sums)
    }
  }
}

/// One answer that is being made, in a read transaction.
private struct AuditWork {
  let reader: RecordReader
  let space: Int64
  let sums: RecordSums.Known
  let since: UInt64?
  var answer: AuditAnswer
  private var recordCount = 0

  /// As many records are listed as that, where sums differ; more are divided.
  private static let listedMax = 32

  init(reader: RecordReader, space: Int64, sums: RecordSums.Known, since: UInt64?) {
    self.reader = reader
    self.space = space
    self.sums = sums
    self.since = since
    answer = AuditAnswer(arrival: sums.arrival)
  }

  mutating func answer(_ part: AuditStep.Part) throws(StoreError) {
    switch part {
    case .sum(let range, let theirs):
      let ours = try reader.sum(over: range, space: space, sums)
      if ours != theirs { try divide(range, ours) }
    case .records(let range, let theirs):
      let ours = try reader.sum(over: range, space: space, sums)
      guard ours.count <= AuditStep.recordsMax else { return try divide(range, ours) }
      try compare(range, theirs)
    case .differing: break
    }
  }

  /// Says once more what a range has that waited.
  mutating func bringUp(_ range: RecordRange) throws(StoreError) {
    guard hasRoom(for: 1, records: 0) else { return answer.waiting.append(range) }
    let ours = try reader.sum(over: range, space: space, sums)
    answer.parts.append(.sum(range, ours))
  }

  /// Says what a range has whose sum is another there: by its parts, or record by record.
  private mutating func divide(_ range: RecordRange, _ ours: RecordSum) throws(StoreError) {
    if ours.count <= Self.listedMax {
      guard hasRoom(for: 1, records: Int(ours.count)) else {
        return answer.waiting.append(range)
      }
      var records: [RecordDigest] = []
      try reader.forEachDigest(in: range, space: space) { digest, _ in records.append(digest) }
      recordCount += records.count
      return answer.parts.append(.records(range, records))
    }
    let parts = try reader.parts(of: range, space: space, sums)
    // Hundreds of records under one id, which no app writes, are not told apart.
    guard parts.count > 1 else { return }
    for part in parts { try bringUp(part) }
  }

  private mutating func compare(
    _ range: RecordRange, _ theirs: [RecordDigest]
  ) throws(StoreError) {
    guard let since else { return }
    var unmatched = Dictionary(theirs.map { ($0.name, $0) }) { first, _ in first }
    var differing: [RecordName] = []
    try reader.forEachDigest(in: range, space: space) { digest, arrival in
      let isSame = unmatched.removeValue(forKey: digest.name) == digest
      if !isSame, arrival <= since { differing.append(digest.name) }
    }
    for name in unmatched.keys {
      // One that is deleted here since then is none.
      let key = RecordKey(entity: name.entity, id: name.record)
      let held = try reader.record(key, space: space)
      if range.contains(name.record), held?.arrival ?? 0 <= since { differing.append(name) }
    }
    differing.sort { ($0.record, $0.entity) < ($1.record, $1.entity) }
    guard !differing.isEmpty else { return }
    guard hasRoom(for: 1, records: differing.count) else { return answer.waiting.append(range) }
    recordCount += differing.count
    answer.parts.append(.differing(differing))
  }

  private func hasRoom(for parts: Int, records: Int) -> Bool {
    answer.parts.count + parts <= AuditStep.partsMax
      && recordCount + records <= AuditStep.recordsMax
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
