import ReunionCore

/// What arrives from a peer on one lane, until the program has taken it.
struct LaneInbox {
  /// All up to this number were taken.
  private(set) var taken: UInt64
  /// The mark of the message that has this number; empty where it is not known.
  private var takenMark: [UInt8]
  /// What has arrived, or begun to, after that: in order, without gaps; only the last may be unfinished.
  private(set) var arriving: [ArrivingMessage]
  /// The number that the program has and has not taken yet.
  private(set) var given: UInt64?
  /// The first bytes of a head, which may be spread over frames.
  private var headBytes: [UInt8] = []
  /// The most bytes that were held at once; for a seeded bug.
  private(set) var heldBytesPeak = 0

  init(taken: UInt64, takenMark: [UInt8] = [], arriving: [ArrivingMessage]) {
    self.taken = taken
    self.takenMark = takenMark
    self.arriving = arriving
  }

  /// How many bytes the lane holds.
  var heldBytes: Int { arriving.reduce(0) { $0 + $1.bytes.count } }

  private var wanted: UInt64 { (arriving.last?.head.number ?? taken) + 1 }

  /// What to tell the peer.
  var progress: Resumption.Progress {
    let mark = arriving.last?.head.mark ?? takenMark
    guard let last = arriving.last, !last.isWhole else {
      return Resumption.Progress(taken: taken, wanted: wanted, position: 0, mark: mark)
    }
    return Resumption.Progress(
      taken: taken, wanted: last.head.number, position: last.bytes.count + 1, mark: mark)
  }

  /// The mark of the message that the program has.
  var givenMark: [UInt8] { arriving.first?.head.mark ?? [] }

  /// What happened to a message, for the store.
  enum Change {
    case began(MessageHead)
    case grew(UInt64, ArraySlice<UInt8>)
    case dropped(UInt64)
  }

  /// Takes the next bytes of the lane.
  ///
  /// - Throws: `ChannelFault` for what no honest peer sends, and what `note` throws. What it has not noted is
  ///   not here either, and comes again.
  mutating func receive(
    _ bytes: ArraySlice<UInt8>, open: ([UInt8]) throws(SecrecyError) -> [UInt8],
    note: (Change) throws -> Void
  ) throws {
    var rest = bytes
    while !rest.isEmpty {
      if arriving.last.map(\.isWhole) ?? true {
        guard let head = try readHead(&rest, open: open) else { return }
        try note(.began(head))
        arriving.append(ArrivingMessage(head: head))
        continue
      }
      let index = arriving.count - 1
      let piece = rest.prefix(arriving[index].head.byteCount - arriving[index].bytes.count)
      rest = rest.dropFirst(piece.count)
      try note(.grew(arriving[index].head.number, piece))
      arriving[index].bytes += piece
      heldBytesPeak = max(heldBytesPeak, heldBytes)
      if arriving[index].isWhole, text(of: arriving[index]) == nil {
        // What is no message goes in any case: it would stand in the way of all after it.
        let number = arriving.removeLast().head.number
        try note(.dropped(number))
        throw ChannelFault.violation
      }
    }
  }

  /// Reads a head, once all its bytes are here.
  private mutating func readHead(
    _ rest: inout ArraySlice<UInt8>, open: ([UInt8]) throws(SecrecyError) -> [UInt8]
  ) throws -> MessageHead? {
    let need = 1 + (headBytes.first ?? rest.first.map { $0 } ?? 0).integer - headBytes.count
    guard need <= 1 + MessageHead.sealedBytesMax else { throw ChannelFault.violation }
    let piece = rest.prefix(need)
    rest = rest.dropFirst(piece.count)
    headBytes += piece
    guard piece.count == need else { return nil }
    let head = try MessageHead(try open(Array(headBytes.dropFirst())))
    headBytes = []
    guard head.number == wanted else { throw ChannelFault.violation }
    return head
  }

  /// The connection is gone: heads are sealed anew on the next.
  mutating func pause() { headBytes = [] }

  private func text(of message: ArrivingMessage) -> [UInt8]? {
    try? Cipher.open(message.bytes, key: message.head.key, nonce: 0)
  }

  /// The next message for the program, unless it has one that it has not taken.
  mutating func give() -> (number: UInt64, text: [UInt8])? {
    guard given == nil, let first = arriving.first, first.isWhole, let text = text(of: first) else {
      return nil
    }
    given = first.head.number
    return (first.head.number, text)
  }

  /// The program has taken what it was given; false if it was given nothing of that number.
  mutating func take(_ number: UInt64) -> Bool {
    guard given == number else { return false }
    given = nil
    taken = number
    takenMark = arriving.removeFirst().head.mark
    return true
  }

  /// Nothing up to a number will come any more: the peer sends what is after it.
  mutating func skip(to number: UInt64) {
    if number > taken { (taken, takenMark) = (number, []) }
    arriving.removeAll { $0.head.number <= number }
    if let given, given <= number { self.given = nil }
  }

  /// After a start: what a power cut has damaged is asked for again, and what came after it.
  mutating func dropDamaged() -> [UInt64] {
    guard let bad = arriving.firstIndex(where: { $0.isWhole && text(of: $0) == nil }) else {
      return []
    }
    let numbers = arriving[bad...].map(\.head.number)
    arriving.removeSubrange(bad...)
    return numbers
  }
}

extension UInt8 {
  fileprivate var integer: Int { Int(self) }
}
