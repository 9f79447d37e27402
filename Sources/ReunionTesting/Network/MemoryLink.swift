import ReunionCore
package import ReunionFlow
package import ReunionSync

/// What goes wrong on a simulated link, each chance for one message.
package struct LinkFaults: Sendable {
  /// How long a message travels; order is kept.
  package var delayMilliseconds: ClosedRange<Int>
  /// The chance that a message and all after it get lost, until the link is found dead.
  package var dropChance: Double
  /// The chance that a message arrives twice.
  package var duplicateChance: Double
  /// The chance that the link is cut in place of carrying the message.
  package var cutChance: Double

  /// Makes faults; by default none, and 5 to 50 ms of delay.
  package init(
    delayMilliseconds: ClosedRange<Int> = 5...50, dropChance: Double = 0,
    duplicateChance: Double = 0, cutChance: Double = 0
  ) {
    self.delayMilliseconds = delayMilliseconds
    self.dropChance = dropChance
    self.duplicateChance = duplicateChance
    self.cutChance = cutChance
  }

  /// No faults, and 5 to 50 ms of delay.
  package static let none = LinkFaults()
}

/// One end of a link inside the process, on virtual time, with seeded faults.
///
/// *Thread*: events arrive inside `TestClock.advance`.
package final class MemoryLink: Link {
  private struct State {
    var deliver: (@Sendable (LinkEvent) -> Void)?
    var other: MemoryLink?
    var isClosed = false
    var isDead = false
    var lastArrival = Moment(nanoseconds: 0)
  }

  private let clock: TestClock
  private let faults: LinkFaults
  private let random: SharedRandom
  private let trace: Trace?
  private let state = Lock(State())

  private init(clock: TestClock, faults: LinkFaults, random: SharedRandom, trace: Trace?) {
    self.clock = clock
    self.faults = faults
    self.random = random
    self.trace = trace
  }

  /// Makes the two ends of a link.
  package static func pair(
    clock: TestClock, faults: LinkFaults = .none, random: SharedRandom
  ) -> (MemoryLink, MemoryLink) {
    pair(clock: clock, faults: faults, random: random, trace: nil)
  }

  static func pair(
    clock: TestClock, faults: LinkFaults, random: SharedRandom, trace: Trace?
  ) -> (MemoryLink, MemoryLink) {
    let one = MemoryLink(clock: clock, faults: faults, random: random, trace: trace)
    let two = MemoryLink(clock: clock, faults: faults, random: random, trace: trace)
    one.state.withLock { $0.other = two }
    two.state.withLock { $0.other = one }
    return (one, two)
  }

  /// Starts the link; `opened` follows.
  package func start(_ deliver: @escaping @Sendable (LinkEvent) -> Void) {
    state.withLock { $0.deliver = deliver }
    later { $0.report(.opened) }
  }

  /// Queues one message, or loses it, as the faults say.
  package func send(_ message: [UInt8]) {
    guard let other = state.withLock({ $0.isClosed || $0.isDead ? nil : $0.other }) else { return }
    if random.draw({ $0.happens(faults.cutChance) }) {
      close()
      return
    }
    if random.draw({ $0.happens(faults.dropChance) }) {
      state.withLock { $0.isDead = true }
      return
    }
    other.later { $0.report(.received(message)) }
    if random.draw({ $0.happens(faults.duplicateChance) }) {
      other.later { $0.report(.received(message)) }
    }
  }

  /// As much as a message of the protocol may have.
  package var messageBytesMax: Int { Message.bytesMax }

  /// Always 0: time is what fills this link.
  package var queuedBytes: Int { 0 }

  /// Nothing: all that is under way is in memory anyhow.
  package func pauseReceiving(_ isPaused: Bool) {}

  /// Closes both ends.
  package func close() {
    let other = state.withLock { state in
      defer { state.other = nil }
      return state.other
    }
    later { $0.end() }
    other?.later { $0.end() }
  }

  private func end() {
    let deliver = state.withLock { state in
      defer {
        state.isClosed = true
        state.other = nil
        state.deliver = nil
      }
      return state.isClosed ? nil : state.deliver
    }
    guard let deliver else { return }
    trace?.note(.closed(nil), at: clock.now)
    deliver(.closed(nil))
  }

  private func report(_ event: LinkEvent) {
    guard let deliver = state.withLock({ $0.isClosed ? nil : $0.deliver }) else { return }
    trace?.note(event, at: clock.now)
    deliver(event)
  }

  /// Runs something at this end after a delay, in the order of the calls.
  private func later(_ body: @escaping @Sendable (MemoryLink) -> Void) {
    let delay = random.draw { Int.random(in: faults.delayMilliseconds, using: &$0) }
    let moment = state.withLock { state in
      let arrival = max(state.lastArrival, clock.now.advanced(by: .milliseconds(delay)))
      state.lastArrival = arrival
      return arrival
    }
    _ = clock.schedule(at: moment) { [self] in body(self) }
  }
}
