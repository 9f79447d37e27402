import ReunionBluetooth
import ReunionCore

/// What two devices say to each other about a space that they may share.
enum SpaceMessage: Equatable {
  /// Where the sender stands.
  case standing(Standing)
  /// Statements about members, of a space that this key has founded.
  case members(founder: DeviceKey, [MemberStatement])
  /// The sender's link of this number is closed.
  case closed(UInt64)
  /// The sender does not share the space with the other, and why.
  case refused([UInt8])
  /// A message of the sync session on the sender's link of this number.
  case message(UInt64, ArraySlice<UInt8>)

  /// Where a device stands with a space.
  struct Standing: Equatable {
    /// The number of its link, the present or the next one; higher than those before.
    var number: UInt64
    /// The other side's link of this number and those before it are over for it.
    var after: UInt64
    /// The number of the other side's link of which it heard last; 0 if it has heard nothing. The
    /// other side's program may have spoken before its own listened.
    var heard: UInt64
    /// Whether it syncs the space over a better link just now.
    var isServed: Bool
    /// What it holds of the members; zeros for nothing.
    var digest: [UInt8]
    var key: DeviceKey
    var device: UInt64
    /// That the key's holder speaks through this peer to that one.
    var signature: [UInt8]

    static let noDigest = [UInt8](repeating: 0, count: 32)
  }

  /// What a message is longer by at most.
  static let headBytesMax = 1 + 16 + 10
  private static let sentenceBytesMax = 300
  /// No link has a higher number: one more can always be counted.
  private static let numberMax = UInt64(Int64.max)

  /// The bytes of a message about a space.
  func bytes(about space: SpaceID) -> [UInt8] {
    var writer = ByteWriter()
    writer.byte(mark)
    writer.identifier(space)
    switch self {
    case .standing(let standing):
      writer.varint(standing.number)
      writer.varint(standing.after)
      writer.varint(standing.heard)
      writer.byte(standing.isServed ? 1 : 0)
      writer.bytes(standing.digest)
      writer.bytes(standing.key.bytes)
      writer.integer(standing.device)
      writer.bytes(standing.signature)
    case .members(let founder, let statements):
      writer.bytes(founder.bytes)
      writer.varint(UInt64(statements.count))
      for statement in statements { statement.write(to: &writer) }
    case .closed(let number): writer.varint(number)
    case .refused(let sentence):
      writer.lengthPrefixed(Array(sentence.prefix(Self.sentenceBytesMax)))
    case .message(let number, let bytes):
      writer.varint(number)
      return writer.bytes + bytes
    }
    return writer.bytes
  }

  private var mark: UInt8 {
    switch self {
    case .standing: 1
    case .members: 2
    case .closed: 3
    case .refused: 4
    case .message: 5
    }
  }

  /// Reads a message, and which space it is about; nil for a message of a later version.
  static func read(_ bytes: [UInt8]) throws(WireError) -> (space: SpaceID, message: SpaceMessage)? {
    var reader = ByteReader(bytes)
    let mark = try reader.byte()
    let space = try reader.identifier(SpaceID.self)
    switch mark {
    case 1: return (space, .standing(try standing(&reader)))
    case 2:
      guard let founder = DeviceKey(bytes: try reader.bytes(DeviceKey.byteCount)) else {
        return nil
      }
      var statements: [MemberStatement] = []
      for _ in 0..<(try reader.varint(upTo: UInt64(2 * MemberList.membersMax))) {
        if let statement = try MemberStatement(&reader) { statements.append(statement) }
      }
      return (space, .members(founder: founder, statements))
    case 3: return (space, .closed(try reader.varint(upTo: numberMax)))
    case 4: return (space, .refused(try reader.lengthPrefixed(upTo: sentenceBytesMax)))
    case 5:
      let number = try reader.varint(upTo: numberMax)
      return (space, .message(number, bytes.suffix(reader.remaining)))
    default: return nil
    }
  }

  private static func standing(_ reader: inout ByteReader) throws(WireError) -> Standing {
    let (number, after, heard) = (
      try reader.varint(upTo: numberMax), try reader.varint(upTo: numberMax),
      try reader.varint(upTo: numberMax)
    )
    let isServed = try reader.byte() == 1
    let digest = try reader.bytes(32)
    guard let key = DeviceKey(bytes: try reader.bytes(DeviceKey.byteCount)) else {
      throw WireError(.malformed, "A key is none.")
    }
    return Standing(
      number: number, after: after, heard: heard, isServed: isServed, digest: digest, key: key,
      device: try reader.integer(UInt64.self),
      signature: try reader.bytes(DeviceKey.signatureBytes))
  }
}

extension SpaceMessage.Standing {
  /// What is signed: that a device writes under a number, and speaks as one peer to another about a space.
  static func signed(
    _ device: UInt64, as own: PeerID, to other: PeerID, about space: SpaceID
  ) -> [UInt8] {
    var writer = ByteWriter()
    writer.bytes(Array("reunion peer 1".utf8))
    writer.bytes(own.bytes)
    writer.bytes(other.bytes)
    writer.identifier(space)
    writer.integer(device)
    return writer.bytes
  }
}
