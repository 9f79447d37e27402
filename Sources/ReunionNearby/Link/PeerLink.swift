import ReunionCore
import ReunionFlow
import ReunionSync

/// A link of the sync session over the session stream to a peer: open while its gate is.
///
/// *Thread*: any. Events come on the clock's executor.
final class PeerLink: Link {
  private struct State {
    var deliver: (@Sendable (LinkEvent) -> Void)?
    var isClosed = false
    var queuedBytes = 0
    var queuedBlobBytes = 0
  }

  private let clock: any FlowClock
  private let transport: any PeerTransport
  private let seededBugs: SeededBugs
  private let state = Lock(State())

  init(clock: any FlowClock, transport: any PeerTransport, seededBugs: SeededBugs) {
    self.clock = clock
    self.seededBugs = seededBugs
    self.transport = transport
  }

  /// Starts; `opened` follows when the gate opens.
  func start(_ deliver: @escaping @Sendable (LinkEvent) -> Void) {
    state.withLock { $0.deliver = deliver }
    transport.attach(self)
  }

  func send(_ message: [UInt8]) {
    let isOpen = state.withLock { state in
      guard !state.isClosed else { return false }
      if isBlob(message) {
        state.queuedBlobBytes += message.count
      } else {
        state.queuedBytes += message.count
      }
      return true
    }
    if isOpen { transport.send(message, of: self) }
  }

  /// A piece of a blob and what is beside it: what is longer, a large value, goes in fragments.
  var messageBytesMax: Int { transport.messageBytesMax }

  var queuedBytes: Int { state.withLock { $0.queuedBytes } }

  var queuedBlobBytes: Int { state.withLock { $0.queuedBlobBytes } }

  /// Whether a message is a piece of a blob, which everything else overtakes.
  func isBlob(_ message: [UInt8]) -> Bool {
    Message.isBlobPiece(message) && !seededBugs.blobsFirst
  }

  /// What waited is on its way.
  func drained(isUrgent: Bool) {
    state.withLock { state in
      if isUrgent { state.queuedBytes = 0 } else { state.queuedBlobBytes = 0 }
    }
    report(.drained)
  }

  /// Little: a record that is written now goes before what waits.
  var queuedBytesSoftMax: Int { 32 * 1024 }

  func pauseReceiving(_ isPaused: Bool) { transport.pause(isPaused, of: self) }

  func close() {
    transport.detach(self)
    report(.closed(nil))
  }

  /// Tells the session of an event, later.
  func report(_ event: LinkEvent) {
    let deliver = state.withLock { state -> (@Sendable (LinkEvent) -> Void)? in
      guard !state.isClosed else { return nil }
      if case .closed = event { state.isClosed = true }
      defer { if state.isClosed { state.deliver = nil } }
      return state.deliver
    }
    guard let deliver else { return }
    clock.later { deliver(event) }
  }
}

/// What carries the messages of a link.
protocol PeerTransport: AnyObject, Sendable {
  var messageBytesMax: Int { get }
  func attach(_ link: PeerLink)
  func detach(_ link: PeerLink)
  func send(_ message: [UInt8], of link: PeerLink)
  func pause(_ isPaused: Bool, of link: PeerLink)
}

extension FlowClock {
  /// Runs something as soon as possible, and never inside this call.
  fileprivate func later(_ action: @escaping @Sendable () -> Void) {
    schedule(at: now, action)
  }
}
