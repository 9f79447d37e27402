import Foundation
import Reunion
import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync
import Testing

@testable import ReunionServer

/// The decisions of a connection that comes back.
@Suite struct ReconnectionTests {
  static let model = MachineModel<Reconnection>(
    start: .idle,
    events: [
      .connect, .opened, .established, .lost(reason: "cut", chance: 0.5), .refused(reason: "no"),
      .retry, .networkReturned, .timeout, .disconnect,
    ], statesMax: 200)

  @Test func `every walk keeps the promises, and all together take every transition`() throws {
    #expect(
      Self.model.states == ["idle", "connecting", "handshaking", "waiting", "blocked", "online"])
    #expect(Self.model.deadEnds.isEmpty)
    let coverage = Coverage(of: Self.model)
    for walk in Self.model.paths + (0..<300).map({ Self.model.randomWalk(steps: 60, seed: $0) }) {
      let linkCount = Lock(0)
      let machine = StateMachine<Reconnection>(.idle, clock: TestClock()) { effect, _ in
        linkCount.withLock { $0 += effect == .open ? 1 : -1 }
      }
      let recording = machine.transitions.observe { transition in
        coverage.record(transition)
        // A link that ends by itself needs no closing.
        switch transition.event {
        case .lost, .refused:
          if Self.hasLink(transition.from) { linkCount.withLock { $0 -= 1 } }
        default: break
        }
      }
      for event in walk {
        try machine.send(event)
        // Never two links, and none that nobody wants.
        #expect(linkCount.withLock { $0 } == (Self.hasLink(machine.state.value) ? 1 : 0))
      }
      recording.cancel()
    }
    #expect(coverage.missing == [])
    #expect(coverage.unexpected == [])
  }

  static func hasLink(_ state: Reconnection.State) -> Bool {
    switch state {
    case .connecting, .handshaking, .online: true
    case .idle, .waiting, .blocked: false
    }
  }

  @Test func `gives a link 10 s to open and 10 s to shake hands, and waits before the next`() throws
  {
    let clock = TestClock()
    let machine = StateMachine<Reconnection>(.idle, clock: clock)
    try machine.send(.connect)
    clock.advance(by: .seconds(9))
    try machine.send(.opened)
    clock.advance(by: .seconds(9))
    #expect(machine.state.value == .handshaking(attempt: 0))
    clock.advance(by: .seconds(1))
    guard case .waiting(0, let delay, let reason) = machine.state.value else {
      Issue.record("does not wait")
      return
    }
    #expect(reason == "There was no answer in 10 s.")
    clock.advance(by: delay)
    #expect(machine.state.value == .connecting(attempt: 1))
  }

  @Test func `waits longer after each failure, up to 30 s, and starts over after a success`() throws
  {
    var state = Reconnection.State.connecting(attempt: 0)
    var delays: [Duration] = []
    for _ in 0..<9 {
      state = try Reconnection.next(state, .lost(reason: "cut", chance: 1)).state
      guard case .waiting(_, let delay, _) = state else {
        Issue.record("does not wait")
        return
      }
      delays.append(delay)
      state = try Reconnection.next(state, .retry).state
    }
    #expect(delays == delays.sorted())
    #expect(delays.first == .milliseconds(500))
    #expect(delays.last == .seconds(30))
    let online = try Reconnection.next(.handshaking(attempt: 9), .established).state
    guard
      case .waiting(let attempt, _, _) = try Reconnection.next(
        online, .lost(reason: "cut", chance: 1)
      ).state
    else {
      Issue.record("does not wait")
      return
    }
    #expect(attempt == 0)
  }

  /// docs/protocol.md 2.19.
  @Test(arguments: [
    (later: Duration.zero, chance: 1.0, delay: Duration.milliseconds(500)),
    (.seconds(60), 0, .seconds(60)), (.seconds(60), 1, .seconds(120)),
    (.milliseconds(2), 1, .milliseconds(500)),
  ])
  func `comes back no sooner than it was asked to, spread over as much again`(
    later: Duration, chance: Double, delay: Duration
  ) throws {
    let lost = Reconnection.Event.lost(reason: "later", chance: chance, later: later)
    let state = try Reconnection.next(.online, lost).state
    #expect(state == .waiting(attempt: 0, delay: delay, reason: "later"))
    // Whoever hears it once the link had ended waits as long.
    let waiting = Reconnection.State.waiting(
      attempt: 0, delay: .milliseconds(500), reason: "The link broke.")
    let asked = Reconnection.Event.asked(reason: "later", chance: chance, later: later)
    #expect(try Reconnection.next(waiting, asked).state == state)
    #expect(try Reconnection.next(.online, asked).state == .online)
  }

  /// A link that says what a test has it say.
  private final class SpokenLink: Link {
    private let deliver = Lock<(@Sendable (LinkEvent) -> Void)?>(nil)
    let messageBytesMax = 1 << 20
    let queuedBytes = 0

    func start(_ deliver: @escaping @Sendable (LinkEvent) -> Void) {
      self.deliver.withLock { $0 = deliver }
    }
    func says(_ event: LinkEvent) { deliver.withLock { $0 }?(event) }
    func send(_ message: [UInt8]) {}
    func pauseReceiving(_ isPaused: Bool) {}
    func close() {}
  }

  /// docs/protocol.md 2.19: on a busy machine the link is closed before it is heard.
  @Test func `what was said before a link ended is heard before it is dialled again`() throws {
    let folder = "\(NSTemporaryDirectory())/reconnection-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let store = try Store.open(folder: folder, model: Model())
    let (clock, links) = (TestClock(), Log<SpokenLink>())
    let work = Lock<[@Sendable () -> Void]>([])
    let connection = Connection(
      store: store, configuration: Session.Configuration(space: .random()), clock: clock,
      execute: { next in work.withLock { $0.append(next) } }, chance: { 0 },
      makeLink: {
        links.append(SpokenLink())
        return links.all[links.all.count - 1]
      })
    connection.connect()
    links.all[0].says(.opened)
    while let next = work.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { next() }
    let later = Later(milliseconds: 60_000, sentence: Array("Back at ten.".utf8))
    links.all[0].says(.received(Message.later(later).encoded()))
    links.all[0].says(.closed(nil))
    clock.advance(by: .seconds(2))
    #expect(links.all.count == 1)
    while let next = work.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { next() }
    #expect(
      connection.state.value
        == .waiting(attempt: 0, delay: .seconds(60), reason: "Back at ten."))
    connection.disconnect()
    try store.close()
  }

  @Test func `the more are connected the later a server wants them back`() {
    #expect(Relay.later(sessionCount: 1).milliseconds == 2)
    #expect(Relay.later(sessionCount: 10_000).milliseconds == 20_000)
  }

  @Test func `does not try again when it was refused, until it is asked to`() throws {
    let blocked = try Reconnection.next(.online, .refused(reason: "no")).state
    #expect(blocked == .blocked(reason: "no"))
    #expect(Reconnection.deadline(blocked) == nil)
    #expect(try Reconnection.next(blocked, .networkReturned).state == blocked)
    #expect(try Reconnection.next(blocked, .connect).effects == [.open])
  }
}
