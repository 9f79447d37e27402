import ReunionCore

/// One value of a characteristic: a piece of a stream, or a word about pieces.
///
/// A piece is its stream, a sequence number, and bytes: 3 bytes more than it carries. The others have
/// no number, are not repeated, and promise nothing that would be lost with them.
enum Frame: Equatable {
  /// Bytes of a stream.
  case piece(stream: Int, sequence: UInt16, bytes: ArraySlice<UInt8>)
  /// What has arrived, and how much more may come.
  case acknowledgement(Acknowledgement)
  /// Asks for an acknowledgement.
  case ping
  /// The sender ends the channel, and says why.
  case close(CloseReason)

  /// What has arrived.
  struct Acknowledgement: Equatable {
    /// All pieces before this one have arrived.
    var next: UInt16
    /// Bit n: the piece `next + 1 + n` has arrived as well.
    var early: UInt64
    /// How many pieces of each lane may be under way, counted from `next`.
    var credits: [UInt8]
  }

  /// Control, records, blobs.
  static let streamCount = 3
  /// The bytes of a piece that are not the stream's.
  static let headBytes = 3
  /// The bytes of a link layer's packet, and what the layers between need of a value's first one.
  private static let (packetBytes, valueHeadBytes) = (251, 7)

  /// The most bytes of a frame if a value may have `bytes`. A frame fills whole packets of the link
  /// layer, since a packet that is only begun costs as much as a full one.
  static func bytesMax(ofValue bytes: Int) -> Int {
    let packetCount = (bytes + valueHeadBytes) / packetBytes
    return packetCount == 0 ? bytes : packetCount * packetBytes - valueHeadBytes
  }

  /// How many pieces may be under way: as many as an acknowledgement can name.
  static let windowMax = 64
  private static let acknowledgementMark: UInt8 = 0x80
  private static let pingMark: UInt8 = 0x81
  private static let closeMark: UInt8 = 0x82

  var bytes: [UInt8] {
    switch self {
    case .piece(let stream, let sequence, let bytes):
      var frame: [UInt8] = []
      frame.reserveCapacity(Self.headBytes + bytes.count)
      frame.append(UInt8(stream))
      frame.append(UInt8(truncatingIfNeeded: sequence >> 8))
      frame.append(UInt8(truncatingIfNeeded: sequence))
      frame.append(contentsOf: bytes)
      return frame
    case .acknowledgement(let acknowledgement):
      var writer = ByteWriter()
      writer.byte(Self.acknowledgementMark)
      writer.integer(acknowledgement.next)
      writer.integer(acknowledgement.early)
      writer.bytes(acknowledgement.credits)
      return writer.bytes
    case .ping: return [Self.pingMark]
    case .close(let reason): return [Self.closeMark, reason.rawValue]
    }
  }

  /// The frame of these bytes, or nil where they are none.
  init?(_ bytes: [UInt8]) {
    guard let mark = bytes.first else { return nil }
    switch mark {
    case 0..<UInt8(Self.streamCount):
      guard bytes.count > Self.headBytes else { return nil }
      let sequence = UInt16(bytes[1]) << 8 | UInt16(bytes[2])
      self = .piece(stream: Int(mark), sequence: sequence, bytes: bytes[Self.headBytes...])
    case Self.acknowledgementMark:
      var reader = ByteReader(bytes, from: 1)
      guard let next = try? reader.integer(UInt16.self),
        let early = try? reader.integer(UInt64.self),
        let credits = try? reader.bytes(Self.streamCount - 1), reader.remaining == 0
      else { return nil }
      self = .acknowledgement(Acknowledgement(next: next, early: early, credits: credits))
    case Self.pingMark where bytes.count == 1: self = .ping
    case Self.closeMark where bytes.count == 2:
      self = .close(CloseReason(rawValue: bytes[1]) ?? .other)
    default: return nil
    }
  }
}

/// Why one side ends a channel. It is not authenticated: who can jam the radio can say it too.
enum CloseReason: UInt8, Hashable, Sendable {
  /// No reason that this build knows.
  case other = 0
  /// The other side is not known here, and was not invited.
  case stranger = 1
  /// There were too many tries; come back in a minute.
  case busy = 2
  /// The number of the suite or of the version is not known.
  case unknownSuite = 3
  /// The bytes were not what the protocol allows, or the wrong key made them.
  case violation = 4
  /// The program does not want to talk any more.
  case leaving = 5
}
