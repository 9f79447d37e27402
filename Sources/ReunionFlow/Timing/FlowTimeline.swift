/// The countdowns of one clock, in the order in which they are over, and its present moment.
///
/// A clock of your own shares the timeline of the clock that it wraps, and can make none: see
/// `FlowClock`. Nothing in it is public: what waits is a `Countdown`, a `Pendulum` or a
/// `StateMachine`.
///
/// *Thread*: any. No lock is held while an action runs or is released.
public final class FlowTimeline: Sendable {
  private struct State {
    var heap = CountdownHeap()
    var sequence: UInt64 = 0
    /// The moment of virtual time.
    var now = Moment(nanoseconds: 0)
    /// The moment at which the machine's timer goes off, or an earlier one.
    var wakesAt: Moment?

    /// Arms a countdown, and tells whether it is over before the machine's timer goes off.
    mutating func arm(_ countdown: Countdown, at moment: Moment) -> Bool {
      if countdown.position >= 0 {
        heap.remove(at: countdown.position)
      } else if countdown.isDetached {
        _ = Unmanaged.passRetained(countdown)
      }
      sequence += 1
      heap.insert(countdown, due: moment, sequence: sequence)
      if let wakesAt, wakesAt <= moment { return false }
      wakesAt = moment
      return true
    }
  }

  private let state = Lock(State())
  private let timer: WakeTimer?

  /// Makes a timeline of the machine's time, or without a timer one of virtual time.
  init(_ timer: WakeTimer? = nil) { self.timer = timer }

  /// The present moment.
  var now: Moment { timer?.now ?? state.withLock { $0.now } }

  /// When the first countdown is over, or `nil` when none runs.
  var firstMoment: Moment? { state.withLock { $0.heap.first?.due } }

  /// When a countdown is over, or `nil` when it does not run.
  func due(of countdown: Countdown) -> Moment? { state.withLock { $0.heap.due(of: countdown) } }

  /// Arms a countdown to run out at a moment, in place of the one that it was armed for.
  func arm(_ countdown: Countdown, at moment: Moment) {
    let isEarlier = state.withLock { $0.arm(countdown, at: moment) }
    if isEarlier, let timer { timer.set(moment) }
  }

  /// Arms a countdown to run out `step` nanoseconds from now.
  func arm(_ countdown: Countdown, afterNanoseconds step: Int64) {
    if let timer { return arm(countdown, at: timer.now.advanced(byNanoseconds: step)) }
    _ = state.withLock { $0.arm(countdown, at: $0.now.advanced(byNanoseconds: step)) }
  }

  /// Stops a countdown.
  func disarm(_ countdown: Countdown) {
    guard countdown.isDetached else {
      state.withLock { $0.heap.remove(countdown) }
      return
    }
    let released = state.withLock { state -> (Unmanaged<Countdown>, Countdown.Action?)? in
      guard countdown.position >= 0 else { return nil }
      state.heap.remove(countdown)
      return (Unmanaged.passUnretained(countdown), countdown.action.take())
    }
    released?.0.release()
  }

  /// Takes out a countdown that is about to be gone.
  func leave(_ countdown: Countdown) { state.withLock { $0.heap.remove(countdown) } }

  /// What is to be done because a countdown is over.
  struct Due {
    let moment: Moment
    fileprivate let action: Countdown.Action?
    fileprivate let released: Unmanaged<Countdown>?

    func run() {
      defer { released?.release() }
      switch action {
      case .plain(let action): action()
      case .timed(let action): action(moment)
      case nil: break
      }
    }
  }

  /// Takes out the first countdown if it is over by a moment. Virtual time moves on to it, or, when
  /// none is left, to that moment.
  func takeDue(by target: Moment) -> Due? {
    state.withLock { state in
      guard let first = state.heap.first, first.due <= target else {
        state.now = max(state.now, target)
        return nil
      }
      state.now = max(state.now, first.due)
      // While we have the lock it cannot go: it would have to take itself out first.
      return first.countdown._withUnsafeGuaranteedRef { countdown in
        let isDetached = countdown.isDetached
        let action = isDetached ? countdown.action.take() : countdown.action
        state.heap.remove(at: 0)
        return Due(
          moment: first.due, action: action, released: isDetached ? first.countdown : nil)
      }
    }
  }

  /// Sets the machine's timer to the first countdown, after it went off.
  func wakeAgain() {
    let next = state.withLock { state in
      state.wakesAt = state.heap.first?.due
      return state.wakesAt
    }
    if let next, let timer { timer.set(next) }
  }

  /// Forgets what would run although nobody holds it: its clock is gone.
  func forgetDetached() {
    let detached = state.withLock { state in
      state.heap.entries.map(\.countdown)
        .filter { $0._withUnsafeGuaranteedRef(\.isDetached) }
        .map { $0.takeUnretainedValue() }
    }
    for countdown in detached { countdown.cancel() }
  }
}
