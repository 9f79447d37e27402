import ReunionCore
import ReunionFlow
import ReunionServer
import ReunionSync

/// The two ends of a WebSocket in one process, on virtual time: a message takes a millisecond.
///
/// *Thread*: events arrive inside `TestClock.advance`.
final class TenantLine: WebSocketLine {
  private struct End {
    var deliver: (@Sendable (LinkEvent) -> Void)?
    var isOver = false
    /// What has come, and waits while its receiver takes none.
    var held: [LinkEvent] = []
    var isPaused = false
  }

  private let clock: TestClock
  private let ends = Lock([End(), End()])

  init(clock: TestClock) { self.clock = clock }

  // The server's end.

  func start(_ deliver: @escaping @Sendable (LinkEvent) -> Void) { start(0, deliver) }
  func send(_ message: [UInt8]) { carry(.received(message), to: 1) }
  var queuedBytes: Int { 0 }
  var queuedBlobBytes: Int { 0 }
  func pauseReceiving(_ isPaused: Bool) { pause(0, isPaused) }

  func close(code: UInt16, reason: String) {
    let failure = WebSocketEnding(authority: "server").closed(code)
    end(1, failure)
    end(0, nil)
  }

  /// The client's end.
  var client: any Link { ClientEnd(line: self) }

  /// Ends it for both, as a network does.
  func cut() {
    let failure = WebSocketEnding(authority: "server").closed(nil)
    end(0, failure)
    end(1, failure)
  }

  fileprivate func startClient(_ deliver: @escaping @Sendable (LinkEvent) -> Void) {
    start(1, deliver)
  }
  fileprivate func sendFromClient(_ message: [UInt8]) { carry(.received(message), to: 0) }
  fileprivate func pauseClient(_ isPaused: Bool) { pause(1, isPaused) }
  fileprivate func closeFromClient() {
    end(0, nil)
    end(1, nil)
  }

  private func start(_ place: Int, _ deliver: @escaping @Sendable (LinkEvent) -> Void) {
    ends.withLock { $0[place].deliver = deliver }
    carry(.opened, to: place)
  }

  private func carry(_ event: LinkEvent, to place: Int) {
    clock.schedule(at: clock.now.advanced(by: .milliseconds(1))) { [self] in
      arrive(event, at: place)
    }
  }

  private func end(_ place: Int, _ failure: LinkFailure?) { carry(.closed(failure), to: place) }

  private func arrive(_ event: LinkEvent, at place: Int) {
    ends.withLock { if !$0[place].isOver { $0[place].held.append(event) } }
    deliverAll(place)
  }

  /// Delivers in order what has come, as far as its receiver takes it.
  private func deliverAll(_ place: Int) {
    while let (deliver, event) = next(place) { deliver(event) }
  }

  private func next(_ place: Int) -> ((@Sendable (LinkEvent) -> Void), LinkEvent)? {
    ends.withLock { ends in
      guard !ends[place].isOver, let deliver = ends[place].deliver, !ends[place].held.isEmpty
      else { return nil }
      if ends[place].isPaused, case .received = ends[place].held[0] { return nil }
      let event = ends[place].held.removeFirst()
      if case .closed = event {
        ends[place].isOver = true
        ends[place].deliver = nil
      }
      return (deliver, event)
    }
  }

  private func pause(_ place: Int, _ isPaused: Bool) {
    ends.withLock { $0[place].isPaused = isPaused }
    if !isPaused { clock.schedule(at: clock.now) { [self] in deliverAll(place) } }
  }
}

private final class ClientEnd: Link {
  private let line: TenantLine

  init(line: TenantLine) { self.line = line }

  func start(_ deliver: @escaping @Sendable (LinkEvent) -> Void) { line.startClient(deliver) }
  func send(_ message: [UInt8]) { line.sendFromClient(message) }
  var messageBytesMax: Int { Message.bytesMax }
  var queuedBytes: Int { 0 }
  func pauseReceiving(_ isPaused: Bool) { line.pauseClient(isPaused) }
  func close() { line.closeFromClient() }
}

/// A link that never opens.
final class RefusedLink: Link {
  private let clock: TestClock
  private let failure: LinkFailure

  init(clock: TestClock, _ failure: LinkFailure) { (self.clock, self.failure) = (clock, failure) }

  func start(_ deliver: @escaping @Sendable (LinkEvent) -> Void) {
    clock.schedule(at: clock.now.advanced(by: .milliseconds(1))) { [failure] in
      deliver(.closed(failure))
    }
  }
  func send(_ message: [UInt8]) {}
  var messageBytesMax: Int { Message.bytesMax }
  var queuedBytes: Int { 0 }
  func pauseReceiving(_ isPaused: Bool) {}
  func close() {}
}
