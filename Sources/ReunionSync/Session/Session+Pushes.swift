import ReunionCore
import ReunionFlow
import ReunionStore

extension Session {
  /// Compares a hello with the store: a peer of whose changes we hold more than it made itself was
  /// restored or copied.
  ///
  /// A guest speaks for its own device alone: it could otherwise disturb what another sends.
  func compare(_ hello: Hello) throws {
    if case .own(let device) = configuration.authority, hello.site.device != device {
      offer(.violated("The hello names another device."))
      return
    }
    let vector = try store.vector(of: configuration.space)
    if configuration.authority != .none {
      work.withLock { $0.peer = hello.site }
      try store.discardStaged(from: hello.site, in: configuration.space)
    }
    let cursor = try store.cursor(of: hello.site, in: configuration.space)
    let isForked = vector[hello.site] > hello.seq
    offer(.compared(Pull(cursor: cursor, vector: vector), peerIsForked: isForked))
  }

  /// Drops what a push that was broken off has left on the disk.
  func discardStaged() {
    let site = work.withLock { work in
      defer { work.stagedCount = 0 }
      return work.stagedCount > 0 ? work.peer : nil
    }
    // What cannot be dropped now is dropped when the store is opened or the peer comes back.
    if let site { try? store.discardStaged(from: site, in: configuration.space) }
  }

  /// Reads a push in one read transaction and sends its changes in messages of about 16 KiB.
  func push(after cursor: UInt64, lacking vector: VersionVector) throws {
    var batch = Batch(configuration, device: store.site.device)
    var messages: [[UInt8]] = []
    var end = try store.push(in: configuration.space, after: cursor, lacking: vector) { changes in
      messages += batch.add(changes)
    }
    if let rest = batch.rest() { messages.append(rest) }
    if configuration.isLeaf { end.vector = end.vector.only(device: store.site.device) }
    work.withLock { $0.push = OutgoingPush(messages: messages, end: end) }
    continuePush()
  }

  /// Sends parts of the push under way while the link takes them, and then ends it.
  func continuePush() {
    while link.queuedBytes < Self.queuedBytesSoftMax {
      guard let step = work.withLock({ $0.push?.next() }) else { return }
      switch step {
      case .part(let message): link.send(message)
      case .end(let end, let isEmpty):
        work.withLock { $0.push = nil }
        offer(.pushed(end, isEmpty: isEmpty))
        return
      }
    }
  }

  /// Gathers changes of a push, in memory up to 256 KiB and then on disk.
  func stage(_ changes: [Change]) throws {
    let byteCount = changes.reduce(0) { $0 + 64 + $1.cell.value.bytes.count }
    let total = work.withLock { work in
      work.pushBytes += byteCount
      return work.pushBytes
    }
    guard configuration.authority == .all || total <= Self.guestPushBytesMax else {
      offer(.violated("A push of more than 64 MiB was sent by a guest."))
      return
    }
    let overflow: [Change] = work.withLock { work in
      work.gathered += changes
      work.gatheredBytes += byteCount
      guard work.gatheredBytes > configuration.gatheredBytesMax else { return [] }
      defer {
        work.gathered = []
        work.gatheredBytes = 0
      }
      return work.gathered
    }
    if !overflow.isEmpty, let peer {
      try store.stage(overflow, from: peer.site, in: configuration.space)
      work.withLock { $0.stagedCount += overflow.count }
    }
  }

  /// Applies a push in one commit, which is on disk when it is acknowledged.
  func apply(_ end: PushEnd) throws {
    guard let peer else { return }
    let (changes, stagedCount) = work.withLock { work in
      defer {
        work.gathered = []
        work.gatheredBytes = 0
        work.pushBytes = 0
        work.stagedCount = 0
      }
      return (work.gathered, work.stagedCount)
    }
    if store.options.seededBugs.contains(.acknowledgeBeforeCommit) {
      send(.acknowledge(cursor: end.cursor))
    }
    let applied = try store.apply(
      changes, end: end, from: peer.site, in: configuration.space,
      authority: configuration.authority, isLeaf: peer.isLeaf, stagedCount: stagedCount)
    offer(.applied(end, refused: applied.refusals))
    guard configuration.fetchesBlobs else { return }
    let isFirst = work.withLock { work in
      defer { work.hasLookedForBlobs = true }
      return !work.hasLookedForBlobs
    }
    if isFirst { try fetchMissingBlobs() } else { try fetchBlobs(applied.wanted) }
  }
}

/// A push that is on its way: its parts wait here while the link is full.
struct OutgoingPush {
  enum Step {
    case part([UInt8])
    case end(PushEnd, isEmpty: Bool)
  }

  private let messages: [[UInt8]]
  private let end: PushEnd
  private var sentCount = 0

  init(messages: [[UInt8]], end: PushEnd) {
    self.messages = messages
    self.end = end
  }

  mutating func next() -> Step {
    guard sentCount < messages.count else { return .end(end, isEmpty: messages.isEmpty) }
    defer { sentCount += 1 }
    return .part(messages[sentCount])
  }
}

/// Splits the changes of a push into messages of about 16 KiB.
private struct Batch {
  private let isLeaf: Bool
  private let bytesSoftMax: Int
  private let device: UInt64
  private var changes: [Change] = []
  private var byteCount = 0

  init(_ configuration: Session.Configuration, device: UInt64) {
    isLeaf = configuration.isLeaf
    bytesSoftMax = configuration.messageBytesSoftMax
    self.device = device
  }

  /// Takes changes, and gives the messages that are full.
  mutating func add(_ more: [Change]) -> [[UInt8]] {
    var full: [[UInt8]] = []
    for change in more where !isLeaf || change.cell.dot.site.device == device {
      let size = 48 + change.cell.value.bytes.count
      if byteCount + size > bytesSoftMax, let message = rest() { full.append(message) }
      changes.append(change)
      byteCount += size
    }
    return full
  }

  /// The message of what is left, if anything is.
  mutating func rest() -> [UInt8]? {
    guard !changes.isEmpty else { return nil }
    defer {
      changes = []
      byteCount = 0
    }
    return Message.changes(changes).encoded()
  }
}

extension VersionVector {
  /// The entries of one device's sites.
  func only(device: UInt64) -> VersionVector {
    var vector = VersionVector()
    for dot in entries where dot.site.device == device { vector.raise(dot.site, to: dot.seq) }
    return vector
  }
}
