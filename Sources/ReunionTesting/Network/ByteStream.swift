/// A reliable stream of bytes each way over packets that get lost: what one end of a link knows.
///
/// A pure value. Positions are counted from the stream's beginning; what was sent and not yet
/// acknowledged is kept and sent again, what came before its turn waits. Source: RFC 9293, without
/// its handshake, its congestion control and its options.
struct ByteStream {
  /// How many bytes may wait to be read here.
  static let windowBytes: UInt32 = 64 * 1024
  /// How many packets may be on their way.
  static let flightMax = 24
  /// How often the same packets are sent before the other side counts as gone.
  static let triesMax = 12

  // Going out.
  private var outgoing: [UInt8] = []
  /// How much of `outgoing` has come; the rest of its head is dropped now and then.
  private var dropped = 0
  private var acknowledged: UInt32 = 0
  private var sent: UInt32 = 0
  private var written: UInt32 = 0
  /// The most that has ever been sent, so that `queued` is what no packet has carried yet.
  private var reached: UInt32 = 0
  private var peerWindow = Self.windowBytes
  private var isEnding = false
  /// Whether the end is on its way: once a flight, or two ends that close at once flood each other.
  private var isEndSent = false
  private(set) var isEndAcknowledged = false

  // Coming in.
  private var early: [(position: UInt32, bytes: ArraySlice<UInt8>)] = []
  private var received: UInt32 = 0
  private var unread: [UInt8] = []
  private var endPosition: UInt32?

  /// How often the flight was sent in vain.
  private(set) var tries = 0

  /// Bytes that no packet has carried yet.
  var queued: Int { Int(written - reached) }
  /// Whether something is on its way or cannot go yet, so that a timer must run.
  var isWaiting: Bool { written != acknowledged || isEnding && !isEndAcknowledged }
  /// Whether all of the other's stream has been read.
  var isAtEnd: Bool { endPosition == received && unread.isEmpty }

  mutating func write(_ bytes: [UInt8]) {
    outgoing += bytes
    written += UInt32(bytes.count)
  }

  /// Ends the stream after what was written.
  mutating func end() { isEnding = true }

  /// What can be sent now, in packets of at most `bytesMax` bytes.
  mutating func packets(bytesMax: Int) -> [Packet] {
    var packets: [Packet] = []
    let payload = max(1, bytesMax - Packet.headBytes)
    let inFlight = (Int(sent - acknowledged) + payload - 1) / payload
    while packets.count + inFlight < Self.flightMax {
      let room = Int(peerWindow) - Int(sent - acknowledged)
      let count = min(payload, Int(written - sent), room)
      guard count > 0 else { break }
      var packet = head()
      packet.position = sent
      let start = Int(sent - acknowledged) + dropped
      packet.bytes = outgoing[start..<start + count]
      sent += UInt32(count)
      reached = max(reached, sent)
      packets.append(packet)
    }
    if isEnding, !isEndSent, !isEndAcknowledged, sent == written {
      isEndSent = true
      if packets.isEmpty {
        packets.append(head())
        packets[0].position = sent
      }
      packets[packets.count - 1].marks.insert(.end)
    }
    return packets
  }

  /// The packet that says what has come and what fits.
  func head() -> Packet {
    var packet = Packet()
    packet.position = sent
    packet.received = received &+ (endPosition == received ? 1 : 0)
    packet.window = Self.windowBytes - min(Self.windowBytes, UInt32(unread.count))
    return packet
  }

  /// Begins the flight anew, as when nothing was heard for a while; false where the other side
  /// counts as gone.
  mutating func sendAgain() -> Bool {
    tries += 1
    sent = acknowledged
    isEndSent = false
    return tries <= Self.triesMax
  }

  /// Takes a packet in; true where it wants an answer.
  mutating func take(_ packet: Packet) -> Bool {
    acknowledge(packet)
    let end = packet.position &+ UInt32(packet.bytes.count)
    if packet.marks.contains(.end) { endPosition = end }
    if !packet.bytes.isEmpty, end > received {
      let place = early.firstIndex { $0.position >= packet.position } ?? early.count
      if early.count < 4 * Self.flightMax {
        early.insert((packet.position, packet.bytes), at: place)
      }
      advance()
    }
    return !packet.bytes.isEmpty || packet.marks.contains(.end) || packet.marks.contains(.asks)
  }

  private mutating func acknowledge(_ packet: Packet) {
    var upTo = packet.received
    if isEnding, upTo == written + 1 {
      isEndAcknowledged = true
      upTo = written
    }
    guard upTo >= acknowledged, upTo <= written else { return }
    if upTo > acknowledged || packet.window > peerWindow { tries = 0 }
    peerWindow = packet.window
    dropped += Int(upTo - acknowledged)
    acknowledged = upTo
    sent = max(sent, upTo)
    reached = max(reached, upTo)
    if dropped > 16 * 1024 || dropped == outgoing.count {
      outgoing.removeSubrange(..<dropped)
      dropped = 0
    }
  }

  private mutating func advance() {
    // Parts may overlap, since what is sent again may be cut elsewhere.
    var rest: [(position: UInt32, bytes: ArraySlice<UInt8>)] = []
    for (position, bytes) in early {
      guard position <= received else {
        rest.append((position, bytes))
        continue
      }
      let fresh = bytes.dropFirst(Int(received - position))
      guard unread.count + fresh.count <= Int(Self.windowBytes) else { continue }
      unread += fresh
      received += UInt32(fresh.count)
    }
    early = rest
  }

  /// Takes out all that has come in order.
  mutating func read() -> [UInt8] {
    defer { unread = [] }
    return unread
  }
}

/// Cuts a stream of bytes into the messages that were put into it, each after its length.
struct Framing {
  private var bytes: [UInt8] = []
  private var start = 0

  mutating func add(_ more: [UInt8]) { bytes += more }

  /// The next whole message; nil if there is none yet.
  mutating func next() -> [UInt8]? {
    guard bytes.count - start >= 4 else { return nil }
    let length = (0..<4).reduce(0) { $0 | Int(bytes[start + $1]) << (8 * $1) }
    guard bytes.count - start >= 4 + length else { return nil }
    let message = Array(bytes[start + 4..<start + 4 + length])
    start += 4 + length
    if start == bytes.count || start > 64 * 1024 {
      bytes.removeSubrange(..<start)
      start = 0
    }
    return message
  }

  /// A message's bytes with their length before them.
  static func framed(_ message: [UInt8]) -> [UInt8] {
    let length = UInt32(message.count)
    return (0..<4).map { UInt8(truncatingIfNeeded: length >> UInt32(8 * $0)) } + message
  }
}
