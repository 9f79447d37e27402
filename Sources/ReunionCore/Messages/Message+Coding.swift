extension Message {
  private static let blobMark: UInt8 = 10

  /// Whether a message's bytes are a piece of a blob, which a link may have all others overtake.
  package static func isBlobPiece(_ message: [UInt8]) -> Bool {
    message.count > 1 && message[0] == version && message[1] == blobMark
  }

  /// The bytes of the message, as they go over a link.
  package func encoded() -> [UInt8] {
    var writer = ByteWriter()
    writer.byte(Self.version)
    switch self {
    case .features(let features):
      writer.byte(15)
      writer.lengthPrefixed(features.types)
    case .hello(let hello):
      writer.byte(1)
      writer.identifier(hello.space)
      writer.identifier(hello.site)
      writer.byte(hello.isLeaf ? 1 : 0)
      writer.varint(hello.seq)
    case .pull(let pull):
      writer.byte(pull.isBeyond ? Pull.beyondType : 2)
      writer.lengthPrefixed(pull.position)
      writer.byte(pull.isWhole ? 1 : 0)
      writer.vector(pull.vector)
    case .changes(let changes):
      writer.byte(3)
      writer.changes(changes)
    case .pushEnd(let end):
      writer.byte(4)
      writer.varint(end.cursor)
      writer.lengthPrefixed(end.position)
      writer.varint(UInt64(end.raised.count))
      for entry in end.raised { writer.raised(entry) }
    case .acknowledge(let cursor):
      writer.byte(5)
      writer.varint(cursor)
    case .refused(let refusals):
      writer.byte(6)
      writer.varint(UInt64(refusals.count))
      for refusal in refusals {
        writer.varint(UInt64(refusal.entity))
        writer.identifier(refusal.record)
        writer.vector(refusal.sent)
        writer.lengthPrefixed(refusal.sentence)
      }
    case .ping(let number):
      writer.byte(7)
      writer.integer(number)
    case .pong(let number):
      writer.byte(8)
      writer.integer(number)
    case .want(let hash, let offset):
      writer.byte(9)
      writer.bytes(hash.bytes)
      writer.varint(offset)
    case .blob(let piece):
      writer.byte(Self.blobMark)
      writer.bytes(piece.hash.bytes)
      writer.varint(piece.byteCount)
      writer.varint(piece.offset)
      writer.lengthPrefixed(piece.bytes)
    case .lack(let hash):
      writer.byte(11)
      writer.bytes(hash.bytes)
    case .have(let hashes):
      writer.byte(12)
      writer.varint(UInt64(hashes.count))
      for hash in hashes { writer.bytes(hash.bytes) }
    case .bye(let bye):
      writer.byte(13)
      writer.integer(bye.code.rawValue)
      writer.lengthPrefixed(bye.sentence)
    case .fragment(let isLast, let bytes):
      writer.byte(14)
      writer.byte(isLast ? 1 : 0)
      writer.lengthPrefixed(bytes)
    case .later(let later):
      writer.byte(16)
      writer.varint(later.milliseconds)
      writer.lengthPrefixed(later.sentence)
    case .nameAll: writer.byte(Self.nameAllType)
    case .presence(let update):
      writer.byte(PresenceUpdate.type)
      writer.presence(update)
    case .standing(let standing):
      writer.byte(StandingUpdate.type)
      writer.standing(standing)
    case .part(let part):
      writer.byte(PackedPart.type)
      writer.varint(UInt64(part.byteCount))
      writer.lengthPrefixed(part.bytes)
    case .horizon(let arrival):
      writer.byte(Self.horizonType)
      writer.varint(arrival)
    case .behind: writer.byte(Self.behindType)
    case .whole(let names):
      writer.byte(Self.wholeType)
      writer.varint(UInt64(names.count))
      for name in names { writer.name(name) }
    case .reached(let reached):
      writer.byte(Self.reachedType)
      writer.varint(UInt64(reached.count))
      for each in reached {
        writer.identifier(each.site)
        writer.varint(each.arrival)
      }
    case .audit(let step):
      writer.byte(AuditStep.type)
      writer.audit(step)
    case .unknown(let type):
      writer.byte(type)
    }
    return writer.bytes
  }

  /// Reads a message from its bytes, which may come from anyone.
  ///
  /// - Throws: `WireError` for anything that no replica of this protocol would send.
  package init(decoding bytes: [UInt8]) throws(WireError) {
    guard bytes.count <= Self.bytesMax else {
      throw WireError(.tooLarge, "The message is over 1 MiB.")
    }
    var reader = ByteReader(bytes)
    guard try reader.byte() == Self.version else {
      throw WireError(.unknownVersion, "The message is of a protocol version unknown here.")
    }
    let type = try reader.byte()
    switch type {
    case 1:
      self = .hello(
        Hello(
          space: try reader.identifier(SpaceID.self), site: try reader.identifier(Site.self),
          isLeaf: try reader.flag(), seq: try reader.varint()))
    case 2, Pull.beyondType:
      let position = try reader.lengthPrefixed(upTo: Pull.positionBytesMax)
      let isWhole = try reader.flag()
      self = .pull(
        Pull(
          position: position, vector: try reader.vector(), isWhole: isWhole, isBeyond: type != 2))
    case 3: self = .changes(try reader.changes())
    case 4:
      let cursor = try reader.varint()
      let position = try reader.lengthPrefixed(upTo: Pull.positionBytesMax)
      var raised: [PushEnd.Raised] = []
      for _ in 0..<(try reader.count(bytesEach: 2)) { raised.append(try reader.raised()) }
      self = .pushEnd(PushEnd(cursor: cursor, position: position, raised: raised))
    case 5: self = .acknowledge(cursor: try reader.varint())
    case 6:
      var refusals: [Refusal] = []
      for _ in 0..<(try reader.count(bytesEach: 19)) {
        refusals.append(
          Refusal(
            entity: try reader.entity(), record: try reader.identifier(RecordID.self),
            sent: try reader.vector(),
            sentence: try reader.lengthPrefixed(upTo: Bye.sentenceBytesMax)))
      }
      self = .refused(refusals)
    case 7: self = .ping(try reader.integer(UInt32.self))
    case 8: self = .pong(try reader.integer(UInt32.self))
    case 9: self = .want(try reader.blobHash(), offset: try reader.varint())
    case 10:
      self = .blob(
        BlobPiece(
          hash: try reader.blobHash(), byteCount: try reader.varint(),
          offset: try reader.varint(),
          bytes: try reader.lengthPrefixed(upTo: BlobPiece.bytesMax)))
    case 11: self = .lack(try reader.blobHash())
    case 12:
      var hashes: [BlobHash] = []
      for _ in 0..<(try reader.count(bytesEach: 32)) { hashes.append(try reader.blobHash()) }
      self = .have(hashes)
    case 13:
      self = .bye(
        Bye(
          code: Bye.Code(rawValue: try reader.integer(UInt16.self)),
          sentence: try reader.lengthPrefixed(upTo: Bye.sentenceBytesMax)))
    case 14:
      let isLast = try reader.flag()
      self = .fragment(isLast: isLast, try reader.lengthPrefixed(upTo: Self.bytesMax))
    case 15:
      self = .features(Features(types: try reader.lengthPrefixed(upTo: 255)))
      // A later version says more behind it.
      return
    case 16:
      self = .later(
        Later(
          milliseconds: try reader.varint(),
          sentence: try reader.lengthPrefixed(upTo: Bye.sentenceBytesMax)))
    case Self.nameAllType: self = .nameAll
    case StandingUpdate.type: self = .standing(try reader.standing())
    case PresenceUpdate.type: self = .presence(try reader.presence())
    case PackedPart.type: self = .part(try reader.packedPart())
    case Self.horizonType: self = .horizon(try reader.varint())
    case Self.behindType: self = .behind
    case Self.wholeType:
      var names: [RecordName] = []
      let count = try reader.count(bytesEach: 17)
      guard count <= Self.wholeMax else {
        throw WireError(.tooLarge, "A number is over its limit.")
      }
      for _ in 0..<count {
        names.append(
          RecordName(entity: try reader.entity(), record: try reader.identifier(RecordID.self)))
      }
      self = .whole(names)
    case Self.reachedType:
      var reached: [Reached] = []
      for _ in 0..<(try reader.varint(upTo: UInt64(Self.reachedMax))) {
        reached.append(
          Reached(site: try reader.identifier(Site.self), arrival: try reader.varint()))
      }
      self = .reached(reached)
    case AuditStep.type: self = .audit(try reader.audit())
    default:
      self = .unknown(type)
      return
    }
    try reader.finish()
  }
}

extension ByteWriter {
  /// A site by its number plus one, or 0 and the site; then the seq.
  fileprivate mutating func raised(_ entry: PushEnd.Raised) {
    switch entry.site {
    case .known(let number): varint(UInt64(number) + 1)
    case .new(let site):
      varint(0)
      identifier(site)
    }
    varint(entry.seq)
  }
}

extension ByteReader {
  fileprivate mutating func raised() throws(WireError) -> PushEnd.Raised {
    let number = try varint(upTo: UInt64(UInt32.max))
    let site: PushEnd.Raised.Name =
      number == 0 ? .new(try identifier(Site.self)) : .known(UInt32(number - 1))
    let seq = try varint()
    guard seq > 0 else { throw .malformed("A version vector has an empty entry.") }
    return PushEnd.Raised(site: site, seq: seq)
  }

  mutating func flag() throws(WireError) -> Bool {
    switch try byte() {
    case 0: return false
    case 1: return true
    default: throw .malformed("A flag is neither 0 nor 1.")
    }
  }

  mutating func entity() throws(WireError) -> UInt32 {
    UInt32(try varint(upTo: UInt64(Cell.fieldMax)))
  }

  fileprivate mutating func packedPart() throws(WireError) -> PackedPart {
    let byteCount = Int(try varint(upTo: UInt64(BlockPart.bytesMax)))
    return PackedPart(
      byteCount: byteCount, bytes: try lengthPrefixed(upTo: PackedPart.bytesMax))
  }

  mutating func blobHash() throws(WireError) -> BlobHash {
    guard let hash = BlobHash(bytes: try bytes(32)) else { throw .malformed("No blob hash.") }
    return hash
  }
}
