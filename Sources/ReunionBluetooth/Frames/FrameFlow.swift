import ReunionCore
import ReunionFlow

/// The frames of one connection: numbers and keeps what is sent until it has arrived, and puts what
/// arrives into order.
///
/// A pure value without a clock: each call says what time it is. The radio below may lose, repeat and
/// reorder frames, as BlueZ does with several channels; above it, three streams are whole and in order.
/// *Cost*: O(frames under way), which are at most 64, a frame.
struct FrameFlow {
  /// A piece that arrived.
  struct Piece {
    let stream: Int
    let bytes: ArraySlice<UInt8>
  }

  private struct Sent {
    let sequence: UInt16
    let stream: Int
    let frame: [UInt8]
    var sentAt: Moment
    var tries = 0
    var hasArrived = false
  }

  /// The most bytes of a frame on this connection.
  let frameBytesMax: Int
  /// The number of pieces after which an acknowledgement is due.
  static let acknowledgementEvery = 8
  /// How long a piece waits at most for its acknowledgement.
  static let acknowledgementDelay: Int64 = 50_000_000
  /// The shortest time after which a piece is sent again.
  static let repeatDelayMin: Int64 = 300_000_000
  /// After this time without a word about what was sent, the connection is dead.
  static let stallDelay: Int64 = 10_000_000_000
  /// How long a frame may take there and back before fewer are sent at once: a record must not wait
  /// behind more than this.
  static let roundTripGoal: Int64 = 100_000_000
  /// The most bytes under way: what may be sent again after a cut.
  static let bytesUnderWayMax = 16_384

  private let seededBugs: SeededBugs

  // Sending.
  private var sent: [Sent] = []
  private var nextSequence: UInt16 = 0
  private var window = 16.0
  /// None before the other side has said what it has room for: it may be full since the last connection.
  private var credits: [Int]
  private var roundTrip: Int64 = 0
  private var heardAt = Moment(nanoseconds: 0)
  private var pingAt: Moment?
  private var pingDelay = Self.repeatDelayMin

  // Receiving.
  private var nextExpected: UInt16 = 0
  private var early: [UInt16: Piece] = [:]
  private var unacknowledgedCount = 0
  private var acknowledgeAt: Moment?

  /// How many frames were sent for the first time, and again; for figures.
  private(set) var sentCount = 0
  private(set) var repeatedCount = 0
  private(set) var acknowledgementCount = 0

  init(frameBytesMax: Int, seededBugs: SeededBugs = SeededBugs()) {
    self.frameBytesMax = max(Frame.headBytes + 1, frameBytesMax)
    self.seededBugs = seededBugs
    credits = Array(repeating: 0, count: Frame.streamCount)
  }

  /// How many bytes wait for those before them.
  var earlyBytes: Int { early.values.reduce(0) { $0 + $1.bytes.count } }

  /// The bytes of a stream that fit into one frame.
  var pieceBytesMax: Int { frameBytesMax - Frame.headBytes }

  private var windowMax: Int {
    min(Frame.windowMax, max(2, Self.bytesUnderWayMax / frameBytesMax))
  }

  private var underWay: Int {
    sent.first.map { Int(nextSequence &- $0.sequence) } ?? 0
  }

  // MARK: Sending

  /// Whether a piece of a stream may be sent now: blobs leave room for records, and both for control.
  func isOpen(_ stream: Int) -> Bool {
    guard hasRoom(stream) else { return false }
    guard stream > 0 else { return true }
    return sent.count { $0.stream == stream && !$0.hasArrived } < credits[stream]
  }

  /// The same, whatever the other side's program has room for.
  func hasRoom(_ stream: Int) -> Bool {
    let reserve = (Frame.streamCount - 1 - stream) * 4
    return underWay < min(Int(window) + reserve, windowMax - 8 + reserve)
  }

  /// Whether a stream could go on but for the other side's credits.
  private func isHeldBack(_ stream: Int) -> Bool { stream > 0 && credits[stream] == 0 }

  /// Numbers a piece and keeps it; the result is its frame.
  mutating func send(_ stream: Int, _ bytes: ArraySlice<UInt8>, at now: Moment) -> [UInt8] {
    let frame = Frame.piece(stream: stream, sequence: nextSequence, bytes: bytes).bytes
    if sent.isEmpty { heardAt = now }
    sent.append(Sent(sequence: nextSequence, stream: stream, frame: frame, sentAt: now))
    nextSequence &+= 1
    sentCount += 1
    return frame
  }

  /// Notes that a lane has more to send, which its credits forbid: then the other side is asked.
  mutating func wants(_ stream: Int, at now: Moment) {
    guard isHeldBack(stream), pingAt == nil else { return }
    pingAt = now.advanced(by: .nanoseconds(pingDelay))
  }

  private mutating func note(_ acknowledgement: Frame.Acknowledgement, at now: Moment) {
    let arrived = sent.first.map { Int(acknowledgement.next &- $0.sequence) } ?? 0
    guard arrived >= 0, arrived <= sent.count else { return }
    heardAt = now
    var sample: Int64?
    for index in sent.indices where !sent[index].hasArrived {
      let distance = sent[index].sequence &- acknowledgement.next
      // Before it, or named by its bit.
      let isBefore = distance >= 0x8000
      guard
        isBefore
          || distance >= 1 && distance <= 64
            && acknowledgement.early >> UInt64(distance - 1) & 1 == 1
      else { continue }
      sent[index].hasArrived = true
      if sent[index].tries == 0 { sample = now.nanoseconds - sent[index].sentAt.nanoseconds }
    }
    let isLimited = underWay >= Int(window)
    sent.removeFirst(arrived)
    while sent.first?.hasArrived == true { sent.removeFirst() }
    if let sample { adapt(to: sample, isLimited: isLimited) }
    for lane in 1..<Frame.streamCount {
      credits[lane] = min(Frame.windowMax, Int(acknowledgement.credits[lane - 1]))
      if credits[lane] > 0 { pingDelay = Self.repeatDelayMin }
    }
    pingAt = nil
  }

  /// Adapts the number of frames under way, so that a new one does not wait long behind them.
  private mutating func adapt(to sample: Int64, isLimited: Bool) {
    roundTrip = roundTrip == 0 ? sample : roundTrip + (sample - roundTrip) / 8
    if sample > Self.roundTripGoal {
      window = max(4, window * 0.9)
    } else if isLimited {
      window = min(Double(Frame.windowMax), window + 1)
    }
  }

  // MARK: Receiving

  /// Takes a frame in; what is in order now comes out. `close` and pieces far off are the caller's.
  mutating func receive(_ frame: Frame, at now: Moment) -> [Piece] {
    switch frame {
    case .piece(let stream, let sequence, let bytes):
      return receive(Piece(stream: stream, bytes: bytes), sequence, at: now)
    case .acknowledgement(let acknowledgement):
      note(acknowledgement, at: now)
    case .ping: acknowledgeAt = now
    case .close: break
    }
    return []
  }

  private mutating func receive(_ piece: Piece, _ sequence: UInt16, at now: Moment) -> [Piece] {
    let distance = sequence &- nextExpected
    unacknowledgedCount += 1
    if acknowledgeAt == nil {
      acknowledgeAt = now.advanced(by: .nanoseconds(Self.acknowledgementDelay))
    }
    if unacknowledgedCount >= Self.acknowledgementEvery { acknowledgeAt = now }
    if seededBugs.reorderedFrameDelivered, distance < 4 {
      nextExpected &+= 1
      return [piece]
    }
    // What was had already, or lies outside what may be under way.
    guard distance < Frame.windowMax else { return [] }
    guard distance == 0 else {
      early[sequence] = piece
      return []
    }
    nextExpected &+= 1
    var pieces = [piece]
    while let next = early.removeValue(forKey: nextExpected) {
      pieces.append(next)
      nextExpected &+= 1
    }
    return pieces
  }

  /// Has an acknowledgement go out at once: there is room again.
  mutating func reopen(at now: Moment) { acknowledgeAt = now }

  // MARK: Time

  /// When `due` has something to do, or nil.
  var deadline: Moment? {
    let first = sent.first.map { _ in heardAt.advanced(by: .nanoseconds(Self.stallDelay)) }
    return [acknowledgeAt, pingAt, first, repeatAt].compactMap { $0 }.min()
  }

  private var repeatAt: Moment? {
    sent.lazy.filter { !$0.hasArrived }.map { repeatMoment(of: $0) }.min()
  }

  private func repeatMoment(of piece: Sent) -> Moment {
    let delay = max(4 * roundTrip, Self.repeatDelayMin) << Int64(min(piece.tries, 4))
    return piece.sentAt.advanced(by: .nanoseconds(min(delay, Self.stallDelay / 3)))
  }

  /// True when the other side has said nothing for too long about what it was sent.
  func isStalled(at now: Moment) -> Bool {
    !sent.isEmpty && now.nanoseconds - heardAt.nanoseconds >= Self.stallDelay
  }

  /// The frames that are due: acknowledgements, what must be sent again, a question for credits.
  mutating func due(at now: Moment, room: [Int]) -> [[UInt8]] {
    var frames: [[UInt8]] = []
    if let moment = acknowledgeAt, moment <= now {
      acknowledgeAt = nil
      unacknowledgedCount = 0
      acknowledgementCount += 1
      frames.append(Frame.acknowledgement(acknowledgement(room: room)).bytes)
    }
    if let moment = pingAt, moment <= now {
      pingDelay = min(pingDelay * 2, 2_000_000_000)
      pingAt = now.advanced(by: .nanoseconds(pingDelay))
      frames.append(Frame.ping.bytes)
    }
    for index in sent.indices where !sent[index].hasArrived {
      guard repeatMoment(of: sent[index]) <= now else { continue }
      sent[index].sentAt = now
      sent[index].tries += 1
      repeatedCount += 1
      frames.append(sent[index].frame)
    }
    return frames
  }

  /// The acknowledgement of what has arrived, with credits for `room` bytes on each lane.
  private func acknowledgement(room: [Int]) -> Frame.Acknowledgement {
    var bits: UInt64 = 0
    for sequence in early.keys {
      let distance = sequence &- nextExpected
      if distance >= 1, distance <= 64 { bits |= 1 << UInt64(distance - 1) }
    }
    let credits = room.map { UInt8(clamping: min(Frame.windowMax, max(0, $0) / pieceBytesMax)) }
    return Frame.Acknowledgement(next: nextExpected, early: bits, credits: credits)
  }
}
