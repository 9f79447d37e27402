/// Runs a `Machine`: holds the state, performs effects, watches deadlines, and tells what happened.
///
/// ```swift
/// let link = StateMachine<LinkMachine>(.idle, clock: .system) { effect, machine in … }
/// try link.send(.open)
/// ```
///
/// *Thread*: any thread may send. Of concurrent sends each is judged in the state that the one
/// before it led to, at once, so `send` throws exactly when its event was refused.
/// *Ordering*: run to completion. State, transition and effects of one event are published and
/// performed before those of the next; a send from inside an observer or effect waits its turn.
/// *Lifetime*: deadlines do not keep the machine alive, and die with it.
public final class StateMachine<M: Machine>: Sendable {
  private struct Record {
    var state: M.State
    var steps: UInt64 = 0
    var visit: UInt64 = 0
    var history = Queue<Transition<M>>()
    var historyCount = 0
  }

  private let record: Lock<Record>
  private let alarm = Lock<(any Cancellable)?>(nil)
  private let stateNode: SourceNode<M.State>
  private let transitionNode: EventNode<Transition<M>>
  private let rejectedNode: EventNode<InvalidTransition>
  private let clock: any FlowClock
  private let historyMax: Int
  private let perform: @Sendable (M.Effect, StateMachine) -> Void

  /// Starts a machine in a state, whose deadline begins now.
  ///
  /// - Parameters:
  ///   - state: The first state; its effects, if any, are the caller's.
  ///   - clock: What deadlines are measured on.
  ///   - historyMax: How many transitions are kept for reports.
  ///   - perform: Does what a transition asks for, after the state has changed. It runs inside the
  ///     machine's turn: it should start work rather than do it, and may send to the machine.
  public init(
    _ state: M.State, clock: any FlowClock, historyMax: Int = 32,
    perform: @escaping @Sendable (M.Effect, StateMachine<M>) -> Void = { _, _ in }
  ) {
    let turns = Turns()
    record = Lock(Record(state: state))
    stateNode = SourceNode(state, turns: turns)
    transitionNode = EventNode(turns: turns)
    rejectedNode = EventNode(turns: turns)
    self.clock = clock
    self.historyMax = max(0, historyMax)
    self.perform = perform
    arm(visit: 0, state: state)
  }

  deinit { alarm.withLock { $0.take() }?.cancel() }

  /// The state, as of the last event whose turn has come.
  public var state: Signal<M.State> { Signal(stateNode, nil) }

  /// The transitions, one by one; each is delivered in the turn that changes the state.
  public var transitions: Occurrences<Transition<M>> { Occurrences(transitionNode, nil) }

  /// The events that were offered, or sent by a deadline, and were not valid.
  public var rejected: Occurrences<InvalidTransition> { Occurrences(rejectedNode, nil) }

  /// The last transitions, oldest first, for a report of what went wrong.
  public var history: [Transition<M>] { record.withLock { $0.history.all } }

  /// Sends an event; throws, and changes nothing, when it is not valid in the machine's state.
  public func send(_ event: M.Event) throws(InvalidTransition) {
    try handle(event, onlyIn: nil)
  }

  /// Sends an event that may be invalid: then it goes to `rejected`, and the result is false.
  @discardableResult
  public func offer(_ event: M.Event) -> Bool { offer(event, onlyIn: nil) }

  private func offer(_ event: M.Event, onlyIn visit: UInt64?) -> Bool {
    do {
      try handle(event, onlyIn: visit)
      return true
    } catch {
      rejectedNode.turns.submit { [rejectedNode] turn in
        rejectedNode.emit(error, in: &turn)
      }
      return false
    }
  }

  /// Takes an event in; one that is meant for a visit which is over does nothing.
  private func handle(_ event: M.Event, onlyIn visit: UInt64?) throws(InvalidTransition) {
    while true {
      let (state, steps, current) = record.withLock { ($0.state, $0.steps, $0.visit) }
      if let visit, visit != current { return }
      let step = try M.next(state, event)
      let transition = Transition<M>(
        from: state, event: event, to: step.state, visit: current + (step.isVisit ? 1 : 0),
        moment: clock.now)
      if commit(step, transition, after: steps) { return }
    }
  }

  /// Makes a step unless another thread has made one since `steps`, and then runs its turn.
  private func commit(
    _ step: Step<M.State, M.Effect>, _ transition: Transition<M>, after steps: UInt64
  ) -> Bool {
    let outcome = record.withLock { record -> (isOwner: Bool, released: Transition<M>?)? in
      guard record.steps == steps else { return nil }
      record.steps += 1
      record.visit = transition.visit
      // The transition holds the old state, so that nothing of the caller's is released here.
      record.state = step.state
      record.history.append(transition)
      record.historyCount += 1
      let isFull = record.historyCount > historyMax
      if isFull { record.historyCount -= 1 }
      let released = isFull ? record.history.popFirst() : nil
      let isOwner = stateNode.turns.locked { turns in
        turns.enqueue { [self] turn in publish(step, transition, in: &turn) }
      }
      return (isOwner, released)
    }
    if outcome?.isOwner == true { stateNode.turns.run() }
    return outcome != nil
  }

  private func publish(
    _ step: Step<M.State, M.Effect>, _ transition: Transition<M>, in turn: inout Turn
  ) {
    stateNode.set(step.state, in: &turn)
    transitionNode.emit(transition, in: &turn)
    turn.afterwards { [self] in
      if step.isVisit { arm(visit: transition.visit, state: step.state) }
      for effect in step.effects { perform(effect, self) }
    }
  }

  /// Replaces the alarm of the visit before. The number in it is what keeps a late one harmless.
  private func arm(visit: UInt64, state: M.State) {
    alarm.withLock { $0.take() }?.cancel()
    guard let deadline = M.deadline(state) else { return }
    let next = clock.schedule(at: clock.now.advanced(by: deadline.after)) { [weak self] in
      _ = self?.offer(deadline.event, onlyIn: visit)
    }
    let replaced = alarm.withLock { alarm in
      defer { alarm = next }
      return alarm
    }
    replaced?.cancel()
  }
}
