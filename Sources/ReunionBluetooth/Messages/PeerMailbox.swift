import ReunionCore

/// All messages to and from one peer, whether it is connected or not.
///
/// *Thread*: confined to the serial queue of its `Bluetooth`. What it changes is in the store
/// before it says so to anybody.
final class PeerMailbox {
  /// The most bytes of one message.
  static let messageBytesMax = 65_536
  /// So many bytes may be held for a program that takes none; credits end before it.
  static let heldBytesGoal = 98_304
  /// A peer that makes this side hold more bytes than this ignores the credits.
  static let heldBytesMax = 163_840

  let peer: PeerID
  private let store: any PeerStore
  private let seededBugs: SeededBugs
  private var outboxName: UInt64
  private var inboxName: UInt64
  private var outboxes: [Lane: LaneOutbox] = [:]
  private var inboxes: [Lane: LaneInbox] = [:]
  /// Is told by how much the numbers of what is queued are less than they were.
  var renumbered: ((Lane, UInt64) -> Void)?

  /// Reads what the store has of a peer.
  init(with peer: PeerID, store: any PeerStore, seededBugs: SeededBugs = SeededBugs()) throws {
    self.peer = peer
    self.store = store
    self.seededBugs = seededBugs
    let stored = try store.messages(of: peer)
    outboxName = stored.outbox
    inboxName = stored.inbox
    for lane in Lane.allCases {
      outboxes[lane] = LaneOutbox(
        queue: stored.queued[lane] ?? [], next: stored.next[lane] ?? 1)
      var inbox = LaneInbox(
        taken: stored.taken[lane] ?? 0, takenMark: stored.takenMarks[lane] ?? [],
        arriving: stored.arriving[lane] ?? [])
      for number in inbox.dropDamaged() { try store.drop(number, on: lane, from: peer) }
      inboxes[lane] = inbox
    }
  }

  // MARK: Sending

  /// Queues a message; the result is its number on its lane.
  func queue(_ message: [UInt8], on lane: Lane, key: [UInt8]) throws -> UInt64 {
    let number = outboxes[lane]?.next ?? 1
    let sealed = try SealedMessage(message, number: number, key: key)
    try store.queue(sealed, on: lane, for: peer)
    outboxes[lane]?.append(sealed)
    return number
  }

  /// Whether a lane has bytes for the present connection.
  func hasMore(on lane: Lane) -> Bool { outboxes[lane]?.hasMore ?? false }

  /// How many messages are not settled, and how many bytes they have.
  var queuedCount: Int { outboxes.values.reduce(0) { $0 + $1.queue.count } }
  var queuedBytes: Int {
    outboxes.values.reduce(0) { $0 + $1.queue.reduce(0) { $0 + $1.bytes.count } }
  }

  /// How many bytes of messages were handed to connections, those sent again included.
  var sentBytes: Int { outboxes.values.reduce(0) { $0 + $1.sentBytes } }

  /// The next bytes of a lane.
  func nextBytes(
    of lane: Lane, _ room: Int, seal: ([UInt8]) throws(SecrecyError) -> [UInt8]
  ) throws(SecrecyError) -> ArraySlice<UInt8> {
    try outboxes[lane]?.nextBytes(room, seal: seal) ?? []
  }

  /// The peer has taken all up to a number; the result are those that it had not before.
  func settle(_ lane: Lane, through number: UInt64) throws -> [UInt64] {
    guard var outbox = outboxes[lane], let settled = outbox.settle(through: number) else {
      throw ChannelFault.violation
    }
    if !settled.isEmpty { try store.settle(lane, through: number, for: peer) }
    outboxes[lane] = outbox
    return settled
  }

  // MARK: Receiving

  /// Takes the next bytes of a lane.
  func receive(
    _ bytes: ArraySlice<UInt8>, on lane: Lane,
    open: ([UInt8]) throws(SecrecyError) -> [UInt8]
  ) throws {
    guard (inboxes[lane]?.heldBytes ?? 0) + bytes.count <= Self.heldBytesMax else {
      throw ChannelFault.violation
    }
    try inboxes[lane]?.receive(bytes, open: open) { change in
      switch change {
      case .began(let head): try store.begin(head, on: lane, from: peer)
      case .grew(let number, let bytes):
        try store.append(bytes, to: number, on: lane, from: peer)
      case .dropped(let number): try store.drop(number, on: lane, from: peer)
      }
    }
  }

  /// The next message of a lane for the program.
  func give(on lane: Lane) -> (number: UInt64, text: [UInt8])? { inboxes[lane]?.give() }

  /// The number that the program has on a lane and has not taken.
  func given(on lane: Lane) -> UInt64? { inboxes[lane]?.given }

  /// The program has taken a message.
  func take(_ number: UInt64, on lane: Lane) throws -> Bool {
    guard let inbox = inboxes[lane], inbox.given == number else { return false }
    try store.take(lane, through: number, mark: inbox.givenMark, from: peer)
    return inboxes[lane]?.take(number) ?? false
  }

  /// How many more bytes each lane takes.
  var room: [Int] {
    Lane.allCases.map { lane in
      let held = inboxes[lane]?.heldBytes ?? 0
      guard !seededBugs.windowNeverReopened else {
        return Self.heldBytesGoal - (inboxes[lane]?.heldBytesPeak ?? 0) * 2
      }
      return Self.heldBytesGoal - held
    }
  }

  // MARK: Resuming

  /// The connection is gone, or a fresh one begins.
  func pause() {
    for lane in Lane.allCases {
      outboxes[lane]?.pause()
      inboxes[lane]?.pause()
    }
  }

  /// What to tell the peer on a fresh connection.
  var resumption: Resumption {
    Resumption(
      outbox: outboxName, first: outboxes.mapValues(\.first), next: outboxes.mapValues(\.next),
      inbox: inboxName, progress: inboxes.mapValues(\.progress))
  }

  /// Goes on where the peer says, and tells what it has taken.
  ///
  /// - Throws: `ChannelFault` when it says what cannot be.
  func resume(_ theirs: Resumption, tell: (Lane, [UInt64]) -> Void) throws {
    try resumeReceiving(theirs)
    let known = theirs.inbox == outboxName ? theirs.progress : [:]
    func progress(_ lane: Lane) -> Resumption.Progress { known[lane] ?? Resumption.Progress() }
    guard !Lane.allCases.contains(where: { outboxes[$0]?.isBehind(progress($0)) == true }) else {
      try startOver()
      throw ChannelFault.startsOver
    }
    for lane in Lane.allCases {
      var progress = progress(lane)
      let settled = try settle(lane, through: progress.taken)
      if !settled.isEmpty { tell(lane, settled) }
      if seededBugs.resumedFromWrongOffset, progress.position > 20_000 {
        progress.position -= 20_000
      }
      guard outboxes[lane]?.resume(at: progress) == true else { throw ChannelFault.violation }
    }
  }

  private func resumeReceiving(_ theirs: Resumption) throws {
    if theirs.outbox != inboxName {
      let taken = theirs.first.mapValues { $0 - 1 }
      try store.begin(inbox: theirs.outbox, taken: taken, from: peer)
      inboxName = theirs.outbox
      for lane in Lane.allCases { inboxes[lane] = LaneInbox(taken: taken[lane] ?? 0, arriving: []) }
      return
    }
    for lane in Lane.allCases {
      guard let first = theirs.first[lane], let inbox = inboxes[lane], first > inbox.taken + 1
      else { continue }
      // This side was put back: it had taken these, for they were settled.
      try store.take(lane, through: first - 1, mark: [], from: peer)
      inboxes[lane]?.skip(to: first - 1)
    }
  }

  private func startOver() throws {
    var fresh = outboxes
    let distances = Lane.allCases.map { fresh[$0]?.renumber() ?? 0 }
    let name = outboxName &* 6_364_136_223_846_793_005 &+ 1
    try store.renumber(outbox: name, for: peer)
    (outboxName, outboxes) = (name, fresh)
    for (lane, distance) in zip(Lane.allCases, distances) { renumbered?(lane, distance) }
  }
}
