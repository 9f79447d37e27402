/// A step of an audit, in which two replicas that believe themselves equal look whether they are.
///
/// One side asks: it sends the sum over all of its living records. The other answers with sums over parts of a range
/// whose sums differ, or with a list of what it has there, until the asker knows the records that differ (range-based
/// set reconciliation: A. Meyer, *Range-Based Set Reconciliation*, SRDS 2023). Whoever answers keeps nothing for it.
package struct AuditStep: Hashable, Sendable {
  /// What the step is.
  package var kind: Kind
  /// The asker's number of the question: its answer has the same.
  package var number: UInt64
  /// Of an answer: how many parts of the question are answered, from the first on.
  package var answeredCount: UInt64 = 0
  /// What the speaker says.
  package var parts: [Part]

  /// What a step is to who hears it.
  package enum Kind: UInt8, Hashable, Sendable {
    /// A question, which is answered once.
    case ask
    /// An answer.
    case answer
    /// In place of an answer: the speaker audits enough others already.
    case busy
    /// "These records come whole with the next end of a push: an audit found that they differ somewhere."
    case whole
  }

  /// What a step says of one range, or of records.
  package enum Part: Hashable, Sendable {
    /// "My living records there have this sum."
    case sum(RecordRange, RecordSum)
    /// "These are all that I have there."
    case records(RecordRange, [RecordDigest])
    /// "These differ: I send mine whole, send yours."
    case differing([RecordName])
  }

  /// The type of its message.
  package static let type: UInt8 = 26
  /// The most parts of a step.
  package static let partsMax = 64
  /// The most records that all parts of a step name.
  package static let recordsMax = 256

  /// Takes its parts as they are.
  package init(
    _ kind: Kind, number: UInt64 = 0, answeredCount: UInt64 = 0, parts: [Part] = []
  ) {
    self.kind = kind
    self.number = number
    self.answeredCount = answeredCount
    self.parts = parts
  }
}

/// Records by their ids: from one on, up to another that is not in it.
package struct RecordRange: Hashable, Sendable {
  /// The lowest id.
  package var from: RecordID
  /// The id above all of them; nil for no end.
  package var to: RecordID?

  /// All records.
  package static let all = RecordRange(from: RecordID(high: 0, low: 0), to: nil)

  /// Takes its parts as they are.
  package init(from: RecordID, to: RecordID?) {
    self.from = from
    self.to = to
  }

  /// Whether an id is in it.
  package func contains(_ id: RecordID) -> Bool { from <= id && to.map { id < $0 } ?? true }
}

/// How many records there are, and the sum of the first sixteen bytes of their SHA-256: equal for equal ones in any
/// order.
package struct RecordSum: Hashable, Sendable {
  /// How many records.
  package var count: UInt64 = 0
  private(set) var high: UInt64 = 0
  private(set) var low: UInt64 = 0

  /// The sum of none.
  package init() {}

  /// Adds a record.
  package mutating func add(_ digest: RecordDigest) {
    count += 1
    add(digest.high, digest.low)
  }

  /// Adds what another one is the sum of.
  package mutating func add(_ other: RecordSum) {
    count += other.count
    add(other.high, other.low)
  }

  /// The sixteen bytes of the sum.
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.integer(high)
    writer.integer(low)
    return writer.bytes
  }

  private mutating func add(_ high: UInt64, _ low: UInt64) {
    let (sum, overflows) = self.low.addingReportingOverflow(low)
    self.low = sum
    self.high &+= high &+ (overflows ? 1 : 0)
  }
}

/// A record, and the first sixteen bytes of the SHA-256 of all its cells.
package struct RecordDigest: Hashable, Sendable {
  /// The record.
  package var name: RecordName
  let high: UInt64
  let low: UInt64

  /// Digests a record: its name, and each cell in the state's order.
  package init(_ name: RecordName, _ state: RecordState) {
    var writer = ByteWriter()
    writer.integer(name.entity)
    writer.identifier(name.record)
    for cell in state.cells { writer.flatCell(cell) }
    var hash = SHA256()
    hash.update(writer.bytes)
    var reader = ByteReader(hash.finish())
    self.name = name
    high = (try? reader.integer(UInt64.self)) ?? 0
    low = (try? reader.integer(UInt64.self)) ?? 0
  }

  fileprivate init(_ name: RecordName, high: UInt64, low: UInt64) {
    self.name = name
    self.high = high
    self.low = low
  }
}

extension ByteWriter {
  mutating func audit(_ step: AuditStep) {
    byte(step.kind.rawValue)
    varint(step.number)
    varint(step.answeredCount)
    varint(UInt64(step.parts.count))
    var last: RecordID?
    for part in step.parts {
      switch part {
      case .sum(let range, let sum):
        self.range(range, kind: 0, after: &last)
        varint(sum.count)
        bytes(sum.bytes)
      case .records(let range, let records):
        self.range(range, kind: 1, after: &last)
        varint(UInt64(records.count))
        for record in records {
          name(record.name)
          integer(record.high)
          integer(record.low)
        }
      case .differing(let names):
        byte(2)
        varint(UInt64(names.count))
        for name in names { self.name(name) }
      }
    }
  }

  /// The kind of a part, with 4 if its range begins elsewhere than the last one ended, and 8 if it has an end.
  private mutating func range(_ range: RecordRange, kind: UInt8, after last: inout RecordID?) {
    let begins = range.from != last
    byte(kind | (begins ? 4 : 0) | (range.to == nil ? 0 : 8))
    if begins { bound(range.from) }
    if let to = range.to { bound(to) }
    last = range.to
  }

  /// An id without the zeros at its end.
  private mutating func bound(_ id: RecordID) {
    let bytes = id.bytes
    let count = bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    lengthPrefixed(Array(bytes[..<count]))
  }

  mutating func name(_ name: RecordName) {
    varint(UInt64(name.entity))
    identifier(name.record)
  }
}

extension ByteReader {
  mutating func audit() throws(WireError) -> AuditStep {
    guard let kind = AuditStep.Kind(rawValue: try byte()) else {
      throw .malformed("A step of an audit is of no kind.")
    }
    var step = AuditStep(kind, number: try varint(), answeredCount: try varint())
    var recordCount = 0
    var last: RecordID?
    for _ in 0..<(try varint(upTo: UInt64(AuditStep.partsMax))) {
      let kind = try byte()
      switch kind {
      case 2: step.parts.append(.differing(try names(&recordCount) { _, _ in }))
      case _ where kind & 3 == 0 && kind < 16:
        let range = try range(kind, after: &last)
        step.parts.append(.sum(range, try sum()))
      case _ where kind & 3 == 1 && kind < 16:
        let range = try range(kind, after: &last)
        var records: [RecordDigest] = []
        _ = try names(&recordCount) { (reader, name) throws(WireError) in
          records.append(
            RecordDigest(
              name, high: try reader.integer(UInt64.self), low: try reader.integer(UInt64.self)))
        }
        step.parts.append(.records(range, records))
      default: throw .malformed("A part of an audit is of no kind.")
      }
    }
    return step
  }

  private mutating func sum() throws(WireError) -> RecordSum {
    RecordSum(count: try varint(), high: try integer(UInt64.self), low: try integer(UInt64.self))
  }

  private mutating func range(
    _ kind: UInt8, after last: inout RecordID?
  ) throws(WireError) -> RecordRange {
    var from = last
    if kind & 4 != 0 { from = try bound() }
    let to = kind & 8 != 0 ? try bound() : nil
    last = to
    guard let from, to.map({ from < $0 }) ?? true else {
      throw .malformed("A range of an audit has no records.")
    }
    return RecordRange(from: from, to: to)
  }

  private mutating func bound() throws(WireError) -> RecordID {
    let bytes = try lengthPrefixed(upTo: 16)
    var reader = ByteReader(bytes + [UInt8](repeating: 0, count: 16 - bytes.count))
    return try reader.identifier(RecordID.self)
  }

  /// Names of records, each with what the closure reads behind it.
  private mutating func names(
    _ recordCount: inout Int,
    _ body: (inout ByteReader, RecordName) throws(WireError) -> Void
  ) throws(WireError) -> [RecordName] {
    var names: [RecordName] = []
    for _ in 0..<(try varint(upTo: UInt64(AuditStep.recordsMax))) {
      let name = RecordName(entity: try entity(), record: try identifier(RecordID.self))
      try body(&self, name)
      names.append(name)
    }
    recordCount += names.count
    guard recordCount <= AuditStep.recordsMax else {
      throw WireError(.tooLarge, "A number is over its limit.")
    }
    return names
  }
}

extension RecordSum {
  fileprivate init(count: UInt64, high: UInt64, low: UInt64) {
    (self.count, self.high, self.low) = (count, high, low)
  }
}
