/// A record as it crosses the bridge.
struct FlatRecord {
  var entity: UInt32
  var record: RecordID
  var cells: [Cell]
}

extension ByteWriter {
  mutating func flatCells(_ cells: [Cell]) {
    integer(UInt32(cells.count))
    for cell in cells { flatCell(cell) }
  }

  mutating func flatRecords(_ records: [FlatRecord]) {
    integer(UInt32(records.count))
    for record in records {
      integer(record.entity)
      identifier(record.record)
      byte(RecordState(record.cells).isAlive ? 1 : 0)
      flatCells(record.cells)
    }
  }

  /// Changes by record, each record's merged: one that is new at the receiver is held as it comes.
  private static func gathered(_ changes: [Change]) -> [FlatRecord] {
    var records: [FlatRecord] = []
    var state = RecordState()
    var last: (entity: UInt32, record: RecordID)?
    func close() {
      guard let (entity, record) = last else { return }
      records.append(FlatRecord(entity: entity, record: record, cells: state.cells))
      state = RecordState()
    }
    for change in changes {
      if last?.record != change.record || last?.entity != change.entity {
        close()
        last = (change.entity, change.record)
      }
      _ = state.merge(change.cell)
    }
    close()
    return records
  }

  mutating func flatChanges(_ changes: [Change]) {
    integer(changes.reduce(Stamp.none) { max($0, $1.cell.stamp) }.rawValue)
    flatRecords(Self.gathered(changes))
  }

  /// Changes by record as they came, none of them merged: the byte for "alive" says nothing.
  mutating func flatGroups(_ changes: [Change]) {
    integer(changes.reduce(Stamp.none) { max($0, $1.cell.stamp) }.rawValue)
    var starts: [Int] = []
    for index in changes.indices {
      if index == 0 || changes[index].record != changes[index - 1].record
        || changes[index].entity != changes[index - 1].entity
      {
        starts.append(index)
      }
    }
    integer(UInt32(starts.count))
    for (number, start) in starts.enumerated() {
      let end = number + 1 < starts.count ? starts[number + 1] : changes.count
      integer(changes[start].entity)
      identifier(changes[start].record)
      byte(0)
      integer(UInt32(end - start))
      for change in changes[start..<end] { flatCell(change.cell) }
    }
  }

  mutating func flatRefusals(_ refusals: [Refusal]) {
    integer(UInt32(refusals.count))
    for refusal in refusals {
      integer(refusal.entity)
      identifier(refusal.record)
      flatVector(refusal.sent)
      flatBytes(refusal.sentence)
    }
  }

  mutating func flatVector(_ vector: VersionVector) { flatEntries(vector.entries) }

  mutating func flatEntries(_ entries: [Dot]) {
    integer(UInt32(entries.count))
    for dot in entries {
      identifier(dot.site)
      integer(dot.seq)
    }
  }

  mutating func flatMessage(_ message: Message) {
    switch message {
    case .features(let features):
      byte(15)
      flatBytes(features.types)
    case .hello(let hello):
      byte(1)
      identifier(hello.space)
      identifier(hello.site)
      byte(hello.isLeaf ? 1 : 0)
      integer(hello.seq)
    case .pull(let pull):
      byte(pull.isBeyond ? Pull.beyondType : 2)
      flatBytes(pull.position)
      byte(pull.isWhole ? 1 : 0)
      flatVector(pull.vector)
    case .changes(let changes):
      byte(3)
      flatChanges(changes)
    case .pushEnd(let end):
      byte(4)
      flatEnd(end)
    case .acknowledge(let cursor):
      byte(5)
      integer(cursor)
    case .refused(let refusals):
      byte(6)
      flatRefusals(refusals)
    case .ping(let number):
      byte(7)
      integer(number)
    case .pong(let number):
      byte(8)
      integer(number)
    case .want(let hash, let offset):
      byte(9)
      bytes(hash.bytes)
      integer(offset)
    case .blob(let piece):
      byte(10)
      bytes(piece.hash.bytes)
      integer(piece.byteCount)
      integer(piece.offset)
      flatBytes(piece.bytes)
    case .lack(let hash):
      byte(11)
      bytes(hash.bytes)
    case .have(let hashes):
      byte(12)
      integer(UInt32(hashes.count))
      for hash in hashes { bytes(hash.bytes) }
    case .bye(let bye):
      byte(13)
      integer(bye.code.rawValue)
      flatBytes(bye.sentence)
    case .fragment(let isLast, let bytes):
      byte(14)
      byte(isLast ? 1 : 0)
      flatBytes(bytes)
    case .later(let later):
      byte(16)
      integer(later.milliseconds)
      flatBytes(later.sentence)
    case .nameAll: byte(Message.nameAllType)
    case .presence, .standing, .part, .horizon, .behind, .whole, .reached, .audit, .unknown:
      flatTold(message)
    }
  }

  /// Writes a message of which the conversation makes nothing.
  private mutating func flatTold(_ message: Message) {
    switch message {
    case .presence(let update):
      byte(PresenceUpdate.type)
      presence(update)
    case .standing(let update):
      byte(StandingUpdate.type)
      standing(update)
    case .part(let part):
      byte(PackedPart.type)
      integer(UInt32(part.byteCount))
      flatBytes(part.bytes)
    case .horizon(let arrival):
      byte(Message.horizonType)
      integer(arrival)
    case .behind: byte(Message.behindType)
    case .whole(let names):
      byte(Message.wholeType)
      integer(UInt32(names.count))
      for name in names {
        integer(name.entity)
        identifier(name.record)
      }
    case .reached(let reached):
      byte(Message.reachedType)
      integer(UInt32(reached.count))
      for each in reached {
        identifier(each.site)
        integer(each.arrival)
      }
    case .audit(let step):
      byte(AuditStep.type)
      audit(step)
    case .unknown(let type): byte(type)
    default: break
    }
  }

  private mutating func flatEnd(_ end: PushEnd) {
    integer(end.cursor)
    flatBytes(end.position)
    integer(UInt32(end.raised.count))
    for entry in end.raised {
      switch entry.site {
      case .known(let number): integer(number + 1)
      case .new(let site):
        integer(UInt32(0))
        identifier(site)
      }
      integer(entry.seq)
    }
  }

  mutating func flatBytes(_ values: [UInt8]) {
    integer(UInt32(values.count))
    bytes(values)
  }
}

extension ByteReader {
  mutating func flatStamp() throws(WireError) -> Stamp {
    let stamp = Stamp(rawValue: try integer(UInt64.self))
    guard stamp < Stamp.limit else { throw .malformed("A stamp is malformed.") }
    return stamp
  }

  mutating func flatCell() throws(WireError) -> Cell {
    let field = try integer(UInt32.self)
    let merge = MergeKind(rawValue: try byte())
    let kind = ValueKind(rawValue: try byte())
    let site = try identifier(Site.self)
    let seq = try integer(UInt64.self)
    let stamp = try flatStamp()
    let replaced = try flatStamp()
    guard field <= Cell.fieldMax, stamp != .none, replaced < stamp, seq > 0 else {
      throw .malformed("A cell is malformed.")
    }
    let cell = Cell(
      field: field, merge: merge, dot: Dot(site: site, seq: seq), stamp: stamp,
      replaced: replaced, value: Value(kind: kind, bytes: try flatBytes(upTo: Value.bytesMax)))
    try cell.validate()
    return cell
  }

  mutating func flatBytes(upTo limit: Int) throws(WireError) -> [UInt8] {
    let length = Int(try integer(UInt32.self))
    guard length <= limit else { throw WireError(.tooLarge, "A value is over its limit.") }
    return try bytes(length)
  }

  mutating func flatCount(bytesEach: Int) throws(WireError) -> Int {
    let count = Int(try integer(UInt32.self))
    guard count <= remaining / bytesEach else {
      throw WireError(.truncated, "The message ends too early.")
    }
    return count
  }

  mutating func flatCells() throws(WireError) -> [Cell] {
    var cells: [Cell] = []
    for _ in 0..<(try flatCount(bytesEach: 50)) { cells.append(try flatCell()) }
    return cells
  }

  mutating func flatRecords() throws(WireError) -> [FlatRecord] {
    var records: [FlatRecord] = []
    for _ in 0..<(try flatCount(bytesEach: 25)) {
      let entity = try integer(UInt32.self)
      let record = try identifier(RecordID.self)
      _ = try byte()
      records.append(FlatRecord(entity: entity, record: record, cells: try flatCells()))
    }
    return records
  }

  mutating func flatChanges() throws(WireError) -> [Change] {
    var changes: [Change] = []
    for record in try flatRecords() {
      for cell in record.cells {
        changes.append(Change(entity: record.entity, record: record.record, cell: cell))
      }
    }
    return changes
  }

  mutating func flatVector() throws(WireError) -> VersionVector {
    var vector = VersionVector()
    for _ in 0..<(try flatCount(bytesEach: 24)) {
      let site = try identifier(Site.self)
      vector.raise(site, to: try integer(UInt64.self))
    }
    return vector
  }

  private mutating func flatEnd() throws(WireError) -> PushEnd {
    let cursor = try integer(UInt64.self)
    let position = try flatBytes(upTo: Pull.positionBytesMax)
    var raised: [PushEnd.Raised] = []
    for _ in 0..<(try flatCount(bytesEach: 12)) {
      let number = try integer(UInt32.self)
      raised.append(
        PushEnd.Raised(
          site: number == 0 ? .new(try identifier(Site.self)) : .known(number - 1),
          seq: try integer(UInt64.self)))
    }
    return PushEnd(cursor: cursor, position: position, raised: raised)
  }

  mutating func flatMessage() throws(WireError) -> Message {
    let message: Message
    let type = try byte()
    switch type {
    case 1:
      message = .hello(
        Hello(
          space: try identifier(SpaceID.self), site: try identifier(Site.self),
          isLeaf: try flag(), seq: try integer(UInt64.self)))
    case 2, Pull.beyondType:
      let position = try flatBytes(upTo: Pull.positionBytesMax)
      let isWhole = try flag()
      message = .pull(
        Pull(
          position: position, vector: try flatVector(), isWhole: isWhole, isBeyond: type != 2))
    case 3:
      _ = try integer(UInt64.self)
      message = .changes(try flatChanges())
    case 4: message = .pushEnd(try flatEnd())
    case 5: message = .acknowledge(cursor: try integer(UInt64.self))
    case 6:
      var refusals: [Refusal] = []
      for _ in 0..<(try flatCount(bytesEach: 28)) {
        refusals.append(
          Refusal(
            entity: try integer(UInt32.self), record: try identifier(RecordID.self),
            sent: try flatVector(), sentence: try flatBytes(upTo: Bye.sentenceBytesMax)))
      }
      message = .refused(refusals)
    case 7: message = .ping(try integer(UInt32.self))
    case 8: message = .pong(try integer(UInt32.self))
    case 9: message = .want(try blobHash(), offset: try integer(UInt64.self))
    case 10:
      message = .blob(
        BlobPiece(
          hash: try blobHash(), byteCount: try integer(UInt64.self),
          offset: try integer(UInt64.self), bytes: try flatBytes(upTo: BlobPiece.bytesMax)))
    case 11: message = .lack(try blobHash())
    case 12:
      var hashes: [BlobHash] = []
      for _ in 0..<(try flatCount(bytesEach: 32)) { hashes.append(try blobHash()) }
      message = .have(hashes)
    case 13:
      message = .bye(
        Bye(
          code: Bye.Code(rawValue: try integer(UInt16.self)),
          sentence: try flatBytes(upTo: Bye.sentenceBytesMax)))
    case 14:
      let isLast = try flag()
      message = .fragment(isLast: isLast, try flatBytes(upTo: Message.bytesMax))
    case 15: message = .features(Features(types: try flatBytes(upTo: 255)))
    case 16:
      message = .later(
        Later(
          milliseconds: try integer(UInt64.self),
          sentence: try flatBytes(upTo: Bye.sentenceBytesMax)))
    case Message.nameAllType: message = .nameAll
    default: message = try flatTold(type)
    }
    try finish()
    return message
  }

  private mutating func flatNames() throws(WireError) -> [RecordName] {
    var names: [RecordName] = []
    for _ in 0..<(try flatCount(bytesEach: 20)) {
      names.append(
        RecordName(entity: try integer(UInt32.self), record: try identifier(RecordID.self)))
    }
    return names
  }

  private mutating func flatReached() throws(WireError) -> [Reached] {
    var reached: [Reached] = []
    for _ in 0..<(try flatCount(bytesEach: 24)) {
      reached.append(
        Reached(
          site: try identifier(Site.self), arrival: try integer(UInt64.self)))
    }
    return reached
  }

  /// Reads a message of which the conversation makes nothing.
  private mutating func flatTold(_ type: UInt8) throws(WireError) -> Message {
    switch type {
    case PresenceUpdate.type: .presence(try presence())
    case StandingUpdate.type: .standing(try standing())
    case PackedPart.type:
      .part(
        PackedPart(
          byteCount: Int(try integer(UInt32.self)), bytes: try flatBytes(upTo: PackedPart.bytesMax))
      )
    case Message.horizonType: .horizon(try integer(UInt64.self))
    case Message.behindType: .behind
    case Message.wholeType: .whole(try flatNames())
    case Message.reachedType: .reached(try flatReached())
    case AuditStep.type: .audit(try audit())
    default: .unknown(type)
    }
  }
}
