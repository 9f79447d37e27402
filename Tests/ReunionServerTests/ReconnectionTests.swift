import Reunion
import Testing

/// The decisions of a connection that comes back.
@Suite struct ReconnectionTests {
  static let events: [Reconnection.Event] = [
    .connect, .established, .lost(reason: "cut", chance: 0.5), .refused(reason: "no"), .retry,
    .networkReturned, .timeout, .disconnect,
  ]

  @Test func `reaches every kind of state, and none that is a dead end`() {
    let model = MachineModel<Reconnection>(start: .idle, events: Self.events, statesMax: 200)
    let kinds = Set(model.states.map { "\($0)".prefix { $0 != "(" } })
    #expect(kinds == ["idle", "connecting", "online", "waiting", "blocked"])
    #expect(model.deadEnds.isEmpty)
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
    let online = try Reconnection.next(state, .established).state
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

  @Test func `does not try again when it was refused, until it is asked to`() throws {
    let blocked = try Reconnection.next(.online, .refused(reason: "no")).state
    #expect(blocked == .blocked(reason: "no"))
    #expect(Reconnection.deadline(blocked) == nil)
    #expect(try Reconnection.next(blocked, .networkReturned).state == blocked)
    #expect(try Reconnection.next(blocked, .connect).effects == [.open])
  }

  @Test func `gives a link 10 s to open`() throws {
    let state = Reconnection.State.connecting(attempt: 0)
    #expect(Reconnection.deadline(state)?.after == .seconds(10))
    #expect(try Reconnection.next(state, .timeout).effects == [.close])
  }
}
