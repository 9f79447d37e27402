import ReunionCore
package import ReunionFlow
package import ReunionSync

/// One end of an ordered link over a simulated network: what a session talks to in a `World`.
///
/// *Thread*: events arrive inside `TestClock.advance`.
package final class StreamLink: Link {
  private enum Phase { case idle, opening, open, closing, over }

  private struct State {
    var phase = Phase.idle
    var stream = ByteStream()
    var framing = Framing()
    var deliver: (@Sendable (LinkEvent) -> Void)?
    weak var other: StreamLink?
    var timer: Countdown?
    var isPaused = false
    var isFull = false
    /// How many messages may still be sent before the link is cut.
    var messagesUntilCut: Int?
    var timeoutMilliseconds = 800
  }

  private let clock: TestClock
  private let out: Cable
  private let log: LinkLog
  private let state = Lock(State())
  /// The most bytes of a message that it carries.
  package let messageBytesMax: Int

  init(clock: TestClock, out: Cable, log: LinkLog, messageBytesMax: Int) {
    self.clock = clock
    self.out = out
    self.log = log
    self.messageBytesMax = messageBytesMax
  }

  /// Makes the two ends of a link over a cable each way.
  static func pair(
    clock: TestClock, _ there: Cable, _ back: Cable, log: LinkLog,
    messageBytesMax: Int = Message.bytesMax
  ) -> (StreamLink, StreamLink) {
    let ends = (
      StreamLink(clock: clock, out: there, log: log, messageBytesMax: messageBytesMax),
      StreamLink(clock: clock, out: back, log: log, messageBytesMax: messageBytesMax)
    )
    ends.0.state.withLock { $0.other = ends.1 }
    ends.1.state.withLock { $0.other = ends.0 }
    return ends
  }

  /// Makes the two ends of a link over a network of one quality, for a test without a world.
  package static func pair(
    clock: TestClock, quality: NetworkQuality = .good, seed: UInt64
  ) -> (StreamLink, StreamLink) {
    pair(
      clock: clock, Cable(clock: clock, seed: seed, quality: quality),
      Cable(clock: clock, seed: ~seed, quality: quality), log: LinkLog())
  }

  /// Knocks at the other end; `opened` follows when something comes back.
  package func start(_ deliver: @escaping @Sendable (LinkEvent) -> Void) {
    state.withLock {
      $0.deliver = deliver
      $0.phase = .opening
    }
    clock.schedule(at: clock.now) { self.ask() }
  }

  /// Queues one message.
  package func send(_ message: [UInt8]) {
    let isCut = state.withLock { state -> Bool in
      guard state.phase == .open else { return false }
      if let left = state.messagesUntilCut {
        guard left > 0 else { return true }
        state.messagesUntilCut = left - 1
      }
      state.stream.write(Framing.framed(message))
      return false
    }
    log.sent(message, bytesMax: messageBytesMax)
    isCut ? cut() : transmit()
  }

  /// The bytes that no packet has carried yet.
  package var queuedBytes: Int { state.withLock { $0.stream.queued } }

  /// Stops or resumes taking bytes from the network: the other side's queue grows.
  package func pauseReceiving(_ isPaused: Bool) {
    let wasPaused = state.withLock { state in
      defer { state.isPaused = isPaused }
      return state.isPaused
    }
    guard wasPaused, !isPaused else { return }
    clock.schedule(at: clock.now) {
      self.deliverAll()
      self.answer()
    }
  }

  /// Ends the link after what was sent.
  package func close() {
    let isOpen = state.withLock { state -> Bool in
      guard [.idle, .opening, .open].contains(state.phase) else { return false }
      state.phase = .closing
      state.stream.end()
      return true
    }
    guard isOpen else { return }
    transmit()
    clock.schedule(at: clock.now) { self.report(.closed(nil)) }
    // What the other side does not hear in this time it finds out by itself.
    clock.schedule(at: clock.now.advanced(by: .seconds(10))) { self.finish() }
  }

  // MARK: Faults

  /// Cuts the link after `count` more messages of this end.
  func cut(afterMessages count: Int) { state.withLock { $0.messagesUntilCut = count } }

  /// Ends both ends at once, as when a network goes.
  func cut() {
    let other = state.withLock { $0.other }
    for end in [self, other].compactMap({ $0 }) {
      clock.schedule(at: clock.now) { end.fail("The connection was cut.") }
    }
  }

  /// Ends this end for good: its program or its machine is gone, and hears nothing any more.
  func die(tellsOther: Bool) {
    let isNew = state.withLock { state -> Bool in
      defer { state.phase = .over }
      return state.phase != .over
    }
    guard isNew else { return }
    if tellsOther {
      var packet = Packet()
      packet.marks = .reset
      carry(packet)
    }
    clock.schedule(at: clock.now) { self.report(.closed(LinkFailure("The program ended."))) }
  }

  /// Ends this end with a failure that trying again does not mend.
  func refuse(_ sentence: String) {
    clock.schedule(at: clock.now) { self.fail(sentence, mayRetry: false) }
  }

  // MARK: Packets

  private func ask() {
    guard state.withLock({ $0.phase == .opening }) else { return }
    var packet = state.withLock { $0.stream.head() }
    packet.marks = .asks
    carry(packet)
    wind()
  }

  private func carry(_ packet: Packet) {
    guard let other = state.withLock({ $0.other }) else { return }
    out.carry(packet.encoded) { [weak other] data in other?.arrived(data) }
  }

  private func answer() { carry(state.withLock { $0.stream.head() }) }

  private func arrived(_ data: [UInt8]) {
    guard let packet = Packet(data) else { return }
    let (wantsAnswer, opens, isKnown) = state.withLock { state -> (Bool, Bool, Bool) in
      guard state.phase != .over, state.phase != .idle else { return (false, false, false) }
      if packet.marks.contains(.reset) { return (false, false, true) }
      let opens = state.phase == .opening
      if opens { state.phase = .open }
      let wantsAnswer = state.stream.take(packet)
      return (wantsAnswer, opens, true)
    }
    guard isKnown else { return }
    guard !packet.marks.contains(.reset) else { return fail("The other side is gone.") }
    if opens { report(.opened) }
    deliverAll()
    if wantsAnswer { answer() }
    transmit()
  }

  private func transmit() {
    let bytesMax = out.quality.packetBytesMax
    let (packets, hasDrained) = state.withLock { state -> ([Packet], Bool) in
      guard state.phase == .open || state.phase == .closing else { return ([], false) }
      let packets = state.stream.packets(bytesMax: bytesMax)
      let isFull = state.stream.queued > 0
      defer { state.isFull = isFull }
      return (packets, state.isFull && !isFull)
    }
    for packet in packets { carry(packet) }
    if hasDrained { clock.schedule(at: clock.now) { self.report(.drained) } }
    wind()
  }

  /// Sees to it that a timer runs while something is on its way.
  private func wind() {
    state.withLock { state in
      guard state.phase != .over else { return state.timer = nil }
      let isWaiting = state.stream.isWaiting || state.phase == .opening
      guard isWaiting, state.timer == nil else { return }
      let wait = state.timeoutMilliseconds << min(state.stream.tries, 3)
      state.timer = Countdown(after: .milliseconds(wait), clock: clock) { [weak self] in
        self?.timeout()
      }
    }
  }

  private func timeout() {
    let (isOpening, isAlive) = state.withLock { state -> (Bool, Bool) in
      state.timer = nil
      let isOpening = state.phase == .opening
      guard isOpening || state.stream.isWaiting else { return (false, true) }
      return (isOpening, state.stream.sendAgain())
    }
    guard isAlive else { return fail("The other side does not answer.") }
    if isOpening { return ask() }
    transmit()
    // Where the other side's window is closed, nothing went: ask whether it still is.
    var packet = state.withLock { $0.stream.head() }
    packet.marks = .asks
    carry(packet)
  }

  private func deliverAll() {
    while true {
      let message = state.withLock { state -> [UInt8]? in
        guard !state.isPaused, state.phase == .open else { return nil }
        if let message = state.framing.next() { return message }
        state.framing.add(state.stream.read())
        return state.framing.next()
      }
      guard let message else { break }
      report(.received(message))
    }
    let isAtEnd = state.withLock { state -> Bool in
      guard state.phase == .open, !state.isPaused, state.stream.isAtEnd else { return false }
      state.phase = .closing
      return true
    }
    guard isAtEnd else { return }
    answer()
    report(.closed(nil))
    finish()
  }

  private func fail(_ sentence: String, mayRetry: Bool = true) {
    report(.closed(LinkFailure(sentence, mayRetry: mayRetry)))
    finish()
  }

  private func finish() {
    let timer = state.withLock { state in
      state.phase = .over
      return state.timer.take()
    }
    timer?.cancel()
  }

  private func report(_ event: LinkEvent) {
    let deliver = state.withLock { state in
      if case .closed = event { return state.deliver.take() }
      return state.deliver
    }
    guard let deliver else { return }
    log.trace.note(event, at: clock.now)
    deliver(event)
  }
}
