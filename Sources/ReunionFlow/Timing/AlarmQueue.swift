/// The alarms of one clock, in the order in which they go off.
///
/// *Thread*: any. Actions are handed out and released outside the lock.
final class AlarmQueue: Sendable {
  private struct State {
    var heap = AlarmHeap()
    var sequence: UInt64 = 0
  }

  private let state = Lock(State())

  /// When the first alarm goes off, or `nil` when none waits.
  var firstMoment: Moment? { state.withLock { $0.heap.first?.moment } }

  /// Adds an alarm, and tells whether it goes off before all others.
  func add(
    at moment: Moment, _ action: @escaping @Sendable () -> Void
  ) -> (alarm: Alarm, isFirst: Bool) {
    state.withLock { state in
      state.sequence += 1
      let alarm = Alarm(moment: moment, sequence: state.sequence, queue: self, action: action)
      state.heap.insert(alarm)
      return (alarm, state.heap.first === alarm)
    }
  }

  /// Takes an alarm out, so that it never goes off and holds nothing.
  func remove(_ alarm: Alarm) {
    let unused = state.withLock { state in
      state.heap.remove(alarm)
      return alarm.action.take()
    }
    _ = unused
  }

  /// Takes out the first alarm's action if it is due, with the moment that it was due at.
  func takeDue(by now: Moment) -> (moment: Moment, action: @Sendable () -> Void)? {
    state.withLock { state in
      guard let alarm = state.heap.first, alarm.moment <= now else { return nil }
      state.heap.remove(alarm)
      return alarm.action.take().map { (alarm.moment, $0) }
    }
  }
}
