/// Runs a `Machine`: holds the state, performs effects, watches deadlines, and tells what happened.
///
/// ```swift
/// enum Lamp: Machine {
///   enum State { case off, on }
///   enum Event { case pressed }
///   enum Effect { case click }
///   static func next(_: State, _: Event) throws(InvalidTransition) -> Step<State, Effect> {
///     .to(.on, .click)
///   }
/// }
/// let lamp = StateMachine<Lamp>(.off, clock: .system) { effect, _ in print(effect) }
/// try lamp.send(.pressed)
/// ```
///
/// *Thread*: any thread may send. Of concurrent sends each is judged in the state that the one
/// before it led to, at once, so `send` throws exactly when its event was refused. *Ordering*: run
/// to completion. State, transition and effects of one event are published and performed before
/// those of the next; a send from inside an observer or effect waits its turn. *Lifetime*:
/// deadlines do not keep the machine alive, and die with it. *Cost*: an event that nobody observes
/// and that asks for nothing costs a lock, and allocates nothing; two locks where states or events
/// hold references. What is observed costs a turn of signals as well.
public final class StateMachine<M: Machine>: @unchecked Sendable {
  @usableFromInline let lock = LockHandle()

  // The lock guards these.
  /// The state that the next event is judged in.
  @exclusivity(unchecked) @usableFromInline var current: M.State
  @exclusivity(unchecked) @usableFromInline var stepCount: UInt64 = 0
  @exclusivity(unchecked) @usableFromInline var visit: UInt64 = 0
  @exclusivity(unchecked) @usableFromInline var past: TransitionHistory<M>
  /// True while a step without effects and deadlines is nobody's business: nothing is observed, no
  /// turn is under way, and no deadline runs.
  @exclusivity(unchecked) @usableFromInline var isQuiet = true
  /// How many steps wait for the end of their turn.
  @exclusivity(unchecked) private var waitingCount = 0
  /// The state of the last turn that has begun, while steps wait.
  @exclusivity(unchecked) private var published: M.State?
  @exclusivity(unchecked) private var outlets: Outlets<M>?
  @exclusivity(unchecked) private var countdown: Countdown?

  private let turns = Turns()
  private let timeline: FlowTimeline
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
    current = state
    past = TransitionHistory(capacity: historyMax)
    timeline = clock.timeline
    self.perform = perform
    arm(M.deadline(state), visit: 0)
  }

  deinit { past.destroy() }

  /// The state, as of the last event whose turn has come. Within an observer or an effect, events
  /// that were sent meanwhile may be ahead of it.
  public var state: Signal<M.State> { opened.state }

  /// The transitions, one by one; each is delivered in the turn that changes the state, before its
  /// effects are performed.
  public var transitions: Occurrences<MachineTransition<M>> { opened.transitions }

  /// The events that were offered, or sent by a deadline, and were not valid. What `send` throws is
  /// not told here.
  public var rejected: Occurrences<InvalidTransition> { opened.rejected }

  /// The last transitions by name, oldest first, for a report of what went wrong.
  ///
  /// It holds no associated values: they may be private, and would live on.
  public var history: [MachineModel<M>.Edge] { TransitionHistory.named(lock.during { past.copy }) }

  /// Sends an event that must be valid.
  ///
  /// When it returns, the state has changed, and its effects are performed. Only while another
  /// event's turn is under way, here or on another thread, that turn's thread performs them later.
  /// - Throws: `InvalidTransition` when the event is not valid in the machine's state, at the place
  ///   that sent it. Nothing has changed then, and nobody else is told.
  @inlinable
  public func send(_ event: M.Event) throws(InvalidTransition) {
    try handle(event, onlyIn: nil)
  }

  /// Sends an event that may be invalid: then it goes to `rejected`, and the result is false.
  ///
  /// It is for what comes from outside, such as a late answer or a second click: there no program
  /// is at fault.
  @inlinable
  @discardableResult
  public func offer(_ event: M.Event) -> Bool {
    do {
      try handle(event, onlyIn: nil)
      return true
    } catch {
      reject(error)
      return false
    }
  }

  /// Takes an event in; one that is meant for a visit which is over does nothing.
  @inlinable
  func handle(_ event: M.Event, onlyIn visit: UInt64?) throws(InvalidTransition) {
    if visit == nil, TransitionHistory<M>.isPlain, try isQuietlyDone(event) { return }
    while true {
      lock.acquire()
      let (state, count, current) = (self.current, stepCount, self.visit)
      lock.release()
      if let visit, visit != current { return }
      let step = try M.next(state, event)
      let transition = MachineTransition<M>(
        from: state, event: event, to: step.state, visit: current &+ (step.isVisit ? 1 : 0))
      let deadline = step.isVisit ? M.deadline(step.state) : nil
      if isPublished(step, transition, deadline, after: count) { return }
    }
  }

  /// Makes a step that is nobody's business, under one lock: of plain states and events nothing of
  /// the caller's is released there. False where it is somebody's, and nothing was done.
  @inlinable
  @inline(__always)
  func isQuietlyDone(_ event: M.Event) throws(InvalidTransition) -> Bool {
    lock.acquire()
    guard isQuiet else {
      lock.release()
      return false
    }
    let step: Step<M.State, M.Effect>
    do {
      step = try M.next(current, event)
    } catch {
      lock.release()
      throw error
    }
    guard step.effects.isEmpty, !step.isVisit || M.deadline(step.state) == nil else {
      lock.release()
      return false
    }
    stepCount &+= 1
    if step.isVisit { visit &+= 1 }
    past.whole.append(
      MachineTransition(from: current, event: event, to: step.state, visit: visit))
    current = step.state
    lock.release()
    return true
  }

  /// Makes a step in a turn of the signals, unless another thread has made one since `count`.
  @usableFromInline
  func isPublished(
    _ step: Step<M.State, M.Effect>, _ transition: MachineTransition<M>,
    _ deadline: Deadline<M.Event>?,
    after count: UInt64
  ) -> Bool {
    let name = TransitionHistory<M>.isPlain ? nil : MachineModel<M>.Edge(transition)
    let isOwner = lock.during { () -> Bool? in
      guard stepCount == count else { return nil }
      stepCount &+= 1
      visit = transition.visit
      // The transition holds the old state, so that nothing of the caller's is released here.
      if waitingCount == 0 { published = current }
      waitingCount += 1
      isQuiet = false
      current = step.state
      past.append(transition, name)
      return turns.locked { turns in
        if turns.begin() { return true }
        return turns.enqueue { [self] turn in publish(step, transition, deadline, in: &turn) }
      }
    }
    if isOwner == true { turns.run { publish(step, transition, deadline, in: &$0) } }
    return isOwner != nil
  }

  private func publish(
    _ step: Step<M.State, M.Effect>, _ transition: MachineTransition<M>,
    _ deadline: Deadline<M.Event>?,
    in turn: inout Turn
  ) {
    // What is replaced here and below is released by the transition, after the lock.
    let outlets = lock.during {
      published = step.state
      return self.outlets
    }
    outlets?.publish(transition, in: &turn)
    turn.afterwards { [self] in
      if step.isVisit { arm(deadline, visit: transition.visit) }
      for effect in step.effects { perform(effect, self) }
      lock.during {
        waitingCount -= 1
        if waitingCount == 0 { published = nil }
        isQuiet = waitingCount == 0 && self.outlets == nil && countdown == nil
      }
    }
  }

  @usableFromInline
  func reject(_ error: InvalidTransition) {
    lock.during { outlets }?.reject(error)
  }

  /// The outlets, from now on; before the first call there are none.
  private var opened: Outlets<M> {
    lock.during {
      if let outlets { return outlets }
      let opened = Outlets<M>(published ?? current, turns: turns)
      outlets = opened
      isQuiet = false
      return opened
    }
  }

  /// Replaces the countdown of the visit before. The number in it is what keeps a late one
  /// harmless.
  private func arm(_ deadline: Deadline<M.Event>?, visit: UInt64) {
    var replaced = deadline.map { deadline in
      Countdown(on: timeline, .plain { [weak self] in self?.late(deadline.event, in: visit) })
    }
    let armed = replaced
    lock.during {
      swap(&countdown, &replaced)
      if countdown != nil { isQuiet = false }
    }
    replaced?.cancel()
    if let armed, let deadline {
      timeline.arm(armed, afterNanoseconds: deadline.after.wholeNanoseconds)
    }
  }

  private func late(_ event: M.Event, in visit: UInt64) {
    do { try handle(event, onlyIn: visit) } catch { reject(error) }
  }
}
