import ReunionCore

/// Messages that live as long as a connection: what a sync session says, which begins anew on each one
/// and needs nothing kept.
///
/// They travel as sealed words of the control stream, whole and in order, in parts of at most 2
/// KiB, so that nothing waits long behind a large one. Urgent ones overtake the others. *Limits*:
/// 64 KiB under way that the other side's program has not taken; a message of 66 KiB. *Thread*:
/// confined to the serial queue of its `Bluetooth`.
final class SessionStream {
  /// What a part carries beside its bytes.
  private struct Marks: OptionSet {
    let rawValue: UInt8
    static let isLast = Marks(rawValue: 1)
    static let isUrgent = Marks(rawValue: 2)
  }

  /// The most bytes of a message.
  static let messageBytesMax = 66 * 1024
  /// The most bytes of a part.
  static let partBytesMax = 2048
  /// Bytes under way beyond which a sender waits until the other side's program has taken some.
  static let windowBytes: UInt64 = 65_536
  /// After this many bytes the other side is told that they were taken.
  private static let tellEvery: UInt64 = 8192

  /// Messages that wait, the urgent ones apart.
  private struct Line {
    var messages: [[UInt8]] = []
    var offset = 0
    var arrived: [UInt8] = []
  }

  private var urgent = Line()
  private var bulk = Line()
  private var sentBytes: UInt64 = 0
  private var takenThere: UInt64 = 0
  private var receivedBytes: UInt64 = 0
  private var toldBytes: UInt64 = 0
  /// Whether the program takes no more for now.
  var isPaused = false
  /// Queues a message.
  func queue(_ message: [UInt8], isUrgent: Bool) {
    if isUrgent { urgent.messages.append(message) } else { bulk.messages.append(message) }
  }

  /// Whether nothing waits, of what is urgent or of the rest.
  func isDrained(isUrgent: Bool) -> Bool {
    isUrgent ? urgent.messages.isEmpty : bulk.messages.isEmpty
  }

  private var isOpen: Bool { sentBytes < takenThere + Self.windowBytes }

  /// Whether an urgent part may go, or one of the others.
  var hasUrgent: Bool { isOpen && !urgent.messages.isEmpty }
  var hasBulk: Bool { isOpen && !bulk.messages.isEmpty }

  /// The next part that goes.
  func nextPart(_ room: Int, isUrgent: Bool) -> [UInt8] {
    isUrgent ? take(&urgent, room, .isUrgent) : take(&bulk, room, [])
  }

  private func take(_ line: inout Line, _ room: Int, _ marks: Marks) -> [UInt8] {
    guard let message = line.messages.first else { return [] }
    let end = min(message.count, line.offset + min(max(room, 64), Self.partBytesMax))
    let part = message[line.offset..<end]
    let isLast = end == message.count
    line.offset = isLast ? 0 : end
    if isLast { line.messages.removeFirst() }
    sentBytes += UInt64(part.count)
    return [marks.union(isLast ? .isLast : []).rawValue] + part
  }

  /// Takes a part in; the result is the message that it ends.
  func receive(_ part: ArraySlice<UInt8>) throws(ChannelFault) -> [UInt8]? {
    guard let first = part.first else { throw .violation }
    let marks = Marks(rawValue: first)
    receivedBytes += UInt64(part.count - 1)
    guard receivedBytes <= toldBytes + Self.windowBytes + UInt64(Self.partBytesMax) else {
      throw .violation
    }
    func add(to line: inout Line) throws(ChannelFault) -> [UInt8]? {
      line.arrived += part.dropFirst()
      guard line.arrived.count <= Self.messageBytesMax else { throw .violation }
      guard marks.contains(.isLast) else { return nil }
      defer { line.arrived = [] }
      return line.arrived
    }
    return marks.contains(.isUrgent) ? try add(to: &urgent) : try add(to: &bulk)
  }

  /// How much was taken so far, where the other side should hear of it now.
  func tell() -> UInt64? {
    guard !isPaused, receivedBytes >= toldBytes + Self.tellEvery else { return nil }
    toldBytes = receivedBytes
    return receivedBytes
  }

  /// Notes that the other side's program has taken `count` bytes in all.
  func taken(_ count: UInt64) throws(ChannelFault) {
    guard count <= sentBytes, count >= takenThere else { throw .violation }
    takenThere = count
  }
}
