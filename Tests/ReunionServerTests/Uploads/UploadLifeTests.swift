import Reunion
import Testing

@testable import ReunionServer

/// The decisions of an upload, without files and without a network.
@Suite struct UploadLifeTests {
  typealias State = UploadLife.State
  typealias Event = UploadLife.Event

  static let model = MachineModel<UploadLife>(
    start: .waiting(held: 0),
    events: [
      .append(at: 0), .append(at: 4), .append(at: 9), .brokenOff(held: 0), .brokenOff(held: 4),
      .received(held: 4, of: 9), .received(held: 9, of: 9), .adopted, .refused, .failed(held: 9),
      .cancel,
    ])

  @Test func `every walk keeps the promises, and all together take every transition`() throws {
    let coverage = Coverage(of: Self.model)
    for walk in Self.model.paths + (0..<300).map({ Self.model.randomWalk(steps: 40, seed: $0) }) {
      let clock = TestClock()
      let effects = Log<UploadLife.Effect>()
      let machine = StateMachine<UploadLife>(.waiting(held: 0), clock: clock) { effect, _ in
        effects.append(effect)
      }
      let recording = machine.transitions.observe { coverage.record($0) }
      for event in walk {
        let before = machine.state.value
        let count = effects.all.count
        try machine.send(event)
        let new = effects.all.dropFirst(count)
        // Only a whole upload is checked, once a request.
        #expect(
          new.contains(.check) == (event == .received(held: 9, of: 9) && before == .receiving))
        // Files go when it ends, and never again.
        let isOver = [.stored, .forgotten].contains(machine.state.value)
        let wasOver = [.stored, .forgotten].contains(before)
        #expect(new.contains(.forget) == (isOver && !wasOver))
        #expect(!wasOver || isOver)
      }
      recording.cancel()
    }
    #expect(Self.model.isComplete)
    #expect(coverage.missing == [])
    #expect(coverage.unexpected == [])
    #expect(Self.model.deadEnds == ["forgotten", "stored"])
  }

  @Test
  func `an upload is appended to where it ends, by one at a time, and not while it is checked`() {
    #expect(throws: InvalidTransition.self) {
      try UploadLife.next(.waiting(held: 4), .append(at: 3))
    }
    for state in [State.receiving, .checking, .stored, .forgotten] {
      #expect(throws: InvalidTransition.self) { try UploadLife.next(state, .append(at: 0)) }
    }
  }

  @Test func `an upload that nobody goes on with for a week is forgotten`() throws {
    let clock = TestClock()
    let effects = Log<UploadLife.Effect>()
    let machine = StateMachine<UploadLife>(.waiting(held: 0), clock: clock) { effect, _ in
      effects.append(effect)
    }
    clock.advance(by: .seconds(6 * 24 * 3600))
    try machine.send(.append(at: 0))
    clock.advance(by: .seconds(8 * 24 * 3600))
    #expect(machine.state.value == .receiving)
    try machine.send(.brokenOff(held: 4))
    clock.advance(by: .seconds(7 * 24 * 3600 - 1))
    #expect(machine.state.value == .waiting(held: 4))
    clock.advance(by: .seconds(1))
    #expect(machine.state.value == .forgotten)
    #expect(effects.all == [.forget])
  }
}
