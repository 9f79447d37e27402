/// The messages of one lane that wait for a peer, and how far the present connection has come.
struct LaneOutbox {
  /// What is not settled yet, in order and without gaps.
  private(set) var queue: [SealedMessage]
  /// The number of the next message.
  private(set) var next: UInt64
  /// The message that is being sent, counted from the queue's first; nil before the other side has
  /// said what it has.
  private var index: Int?
  /// What is left of its head.
  private var head: ArraySlice<UInt8> = []
  /// How many of its bytes were sent; nil before its head was made.
  private var offset: Int?
  private(set) var sentBytes = 0

  init(queue: [SealedMessage], next: UInt64) {
    self.queue = queue
    self.next = next
  }

  /// The number of the first message that is not settled.
  var first: UInt64 { queue.first?.number ?? next }

  /// True when there is something to send on this connection.
  var hasMore: Bool { index.map { $0 < queue.count } ?? false }

  mutating func append(_ message: SealedMessage) {
    queue.append(message)
    next = message.number + 1
  }

  /// The connection is gone, or begins.
  mutating func pause() {
    index = nil
    head = []
    offset = nil
  }

  /// Whether the other side has what this side does not know of: this one was put back to an earlier state.
  func isBehind(_ progress: Resumption.Progress) -> Bool {
    guard progress.last < next else { return true }
    guard !progress.mark.isEmpty, let same = queue.first(where: { $0.number == progress.last })
    else { return false }
    return same.head.mark != progress.mark
  }

  /// Goes on where the other side says, on a fresh connection; false if that cannot be.
  mutating func resume(at progress: Resumption.Progress) -> Bool {
    pause()
    guard progress.wanted <= next else { return false }
    guard progress.wanted >= first else {
      index = 0
      return true
    }
    let index = Int(progress.wanted - first)
    if progress.position > 0 {
      guard index < queue.count, progress.position - 1 <= queue[index].bytes.count else {
        return false
      }
      offset = progress.position - 1
    }
    self.index = index
    advance()
    return true
  }

  /// Forgets all up to a number, and says which messages that were; nil for a number never sent.
  mutating func settle(through number: UInt64) -> [UInt64]? {
    guard number < next else { return nil }
    let count = queue.prefix { $0.number <= number }.count
    // What is still being sent was not taken.
    if let index, count > index { return nil }
    let settled = queue.prefix(count).map(\.number)
    queue.removeFirst(count)
    if let index { self.index = index - count }
    return settled
  }

  /// The next bytes, at most `room`; `seal` puts a head under the session's key.
  mutating func nextBytes(
    _ room: Int, seal: ([UInt8]) throws(SecrecyError) -> [UInt8]
  ) throws(SecrecyError) -> ArraySlice<UInt8> {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(room)
    while bytes.count < room, let index, index < queue.count {
      let message = queue[index]
      if offset == nil {
        let sealed = try seal(message.head.bytes)
        head = [UInt8(sealed.count)] + sealed
        offset = 0
      }
      let ofHead = head.prefix(room - bytes.count)
      bytes += ofHead
      head = head.dropFirst(ofHead.count)
      let start = offset ?? 0
      let end = min(message.bytes.count, start + room - bytes.count)
      bytes += message.bytes[start..<end]
      offset = end
      sentBytes += end - start
      if head.isEmpty { advance() }
    }
    return bytes[...]
  }

  /// Turns to the next message where this one was sent whole.
  private mutating func advance() {
    guard let index, index < queue.count, head.isEmpty, offset == queue[index].bytes.count else {
      return
    }
    self.index = index + 1
    offset = nil
  }

  /// Begins to count anew, since this side was put back to an earlier state: all goes again. The result is
  /// by how much each number is less than it was.
  mutating func renumber() -> UInt64 {
    pause()
    let distance = first - 1
    queue = queue.renumbered
    next = UInt64(queue.count + 1)
    return distance
  }
}
