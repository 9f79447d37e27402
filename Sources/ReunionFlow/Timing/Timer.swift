/// What a countdown and a pendulum share: at most one alarm, and none that outlives its owner.
///
/// Each start has a number; an alarm of an earlier start does nothing, whoever was faster.
final class Timer: Sendable {
  /// What runs, with the moment that was due and the number of the start, for `start(at:after:)`.
  typealias Action = @Sendable (_ timer: Timer, _ due: Moment, _ start: UInt64) -> Void

  private struct State {
    var start: UInt64 = 0
    var due: Moment?
    var alarm: (any Cancellable)?
  }

  let clock: any FlowClock
  private let action: Action
  private let state = Lock(State())

  init(clock: any FlowClock, action: @escaping Action) {
    self.clock = clock
    self.action = action
  }

  var isArmed: Bool { state.withLock { $0.due != nil } }

  var remaining: Duration {
    guard let due = state.withLock({ $0.due }) else { return .zero }
    return max(.zero, clock.now.duration(to: due))
  }

  func stop() {
    let alarm = state.withLock { state in
      state.start += 1
      state.due = nil
      return state.alarm.take()
    }
    alarm?.cancel()
  }

  /// Arms the timer for a moment, in place of what it was armed for.
  ///
  /// With `previous` it does so only while that is still the latest start.
  func start(at due: Moment, after previous: UInt64? = nil) {
    let armed = state.withLock { state -> (start: UInt64, old: (any Cancellable)?)? in
      if let previous, previous != state.start { return nil }
      state.start += 1
      state.due = due
      return (state.start, state.alarm.take())
    }
    guard let (start, old) = armed else { return }
    old?.cancel()
    let alarm = clock.schedule(at: due) { [weak self] in self?.fire(start) }
    let isCurrent = state.withLock { state in
      guard state.start == start, state.due != nil else { return false }
      state.alarm = alarm
      return true
    }
    if !isCurrent { alarm.cancel() }
  }

  private func fire(_ start: UInt64) {
    let fired = state.withLock { state -> (due: Moment, alarm: (any Cancellable)?)? in
      guard state.start == start, let due = state.due.take() else { return nil }
      return (due, state.alarm.take())
    }
    if let fired { action(self, fired.due, start) }
  }
}
