package import ReunionCore
public import ReunionFlow
package import ReunionStore
package import ReunionSync

/// Keeps one space of a store in sync over links that may fail: opens them, and opens them again.
///
/// ```swift
/// let connection = try replica.sync(space)
/// let showing = connection.state.observe { state in
///   switch state {
///   case .online: print("In touch.")
///   case .waiting(_, _, let reason), .blocked(let reason): print(reason)
///   case .idle, .connecting, .handshaking: break
///   }
/// }
/// ```
///
/// No call of it throws, and writes do not wait for it: what is written while it is offline goes
/// over once it is online. A failure is a state with a sentence, never only a log line.
///
/// The replica that made it keeps it until `disconnect()`, or until the replica is closed or
/// released. Keep it yourself where you show its state. Released by both, it ends its session.
///
/// *Thread*: any.
public final class Connection: Sendable {
  /// Where the connection stands.
  public enum State: Hashable, Sendable {
    /// Not wanted: it was disconnected, or the replica was closed.
    case idle
    /// A link is being opened, for at most 10 s; `attempt` counts the failures since the last
    /// success.
    case connecting(attempt: Int)
    /// The link is open and the two replicas are getting to know each other, for at most 10 s.
    case handshaking(attempt: Int)
    /// The two replicas talk, and each commit goes over at once. What was written before may still
    /// be on its way.
    case online
    /// Waiting before the next attempt, with the sentence that says why: a server that is off, a
    /// network that is gone.
    ///
    /// `delay` is random, so that devices do not all come back at once. It is up to half a second
    /// at first, up to twice as long after each failure, and 30 s at most. Where a server that many
    /// are connected to goes away, it says after which time it wants them back: then `delay` is that
    /// time to twice that time, of at most five minutes.
    case waiting(attempt: Int, delay: Duration, reason: String)
    /// Trying again would change nothing, for the reason given: the link was used up, somebody
    /// removed this device, the server does not serve the space.
    ///
    /// Show the sentence: a person can mend it, by another link for example. Then `connect()` tries
    /// again; `networkReturned()` does not.
    case blocked(reason: String)
  }

  private let store: Store
  private let configure: @Sendable () -> Session.Configuration
  private let makeLink: @Sendable () -> any Link
  private let clock: any FlowClock
  private let execute: Session.Executor
  private let chance: @Sendable () -> Double
  private let machine: StateMachine<Reconnection>
  private let current = Lock<Current?>(nil)
  private let conversationNode = Variable<Conversation.State>(.idle)
  private let repairedNode = Variable(0)

  private struct Current {
    let link: WatchedLink
    let session: Session
    let observations: [SignalSubscription]
  }

  /// Makes a connection; nothing happens before `connect`.
  ///
  /// `makeLink` makes a fresh link for each attempt, `execute` runs the session's work one piece at
  /// a time, and `chance`, from 0 to 1, spreads the waits.
  package convenience init(
    store: Store, configuration: Session.Configuration, clock: any FlowClock,
    execute: @escaping Session.Executor,
    chance: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
    makeLink: @escaping @Sendable () -> any Link
  ) {
    self.init(
      store: store, configure: { configuration }, clock: clock, execute: execute, chance: chance,
      makeLink: makeLink)
  }

  /// Makes a connection whose sessions are each configured when they begin.
  package init(
    store: Store, configure: @escaping @Sendable () -> Session.Configuration,
    clock: any FlowClock, execute: @escaping Session.Executor,
    chance: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
    makeLink: @escaping @Sendable () -> any Link
  ) {
    self.store = store
    self.configure = configure
    self.clock = clock
    self.execute = execute
    self.chance = chance
    self.makeLink = makeLink
    let performer = Performer()
    machine = StateMachine(.idle, clock: clock) { effect, _ in
      performer.connection?.perform(effect)
    }
    performer.connection = self
  }

  deinit { current.withLock { $0.take() }?.session.stop() }

  /// The state of the connection. Each state is reported once, however often it is confirmed.
  ///
  /// *Thread*: an observer runs on whichever thread the change comes from: that of a caller, a
  /// network queue's or a clock's.
  public var state: Signal<State> { machine.state.distinct() }

  /// Each transition, for the world's coverage.
  package var transitions: Occurrences<MachineTransition<Reconnection>> { machine.transitions }

  /// Where the conversation of the newest link stands.
  package var conversation: Signal<Conversation.State> { conversationNode.signal }

  /// How many blobs that are missing here the other side was asked for and does not have either; 0
  /// before the first link.
  ///
  /// They come once some device that holds them syncs with it. *Cost*: a look at the missing blobs
  /// of the space where there are any; so ask when you show it, and not on every frame.
  public var lackedBlobCount: Int { current.withLock { $0 }?.session.lackedBlobCount ?? 0 }

  /// How many records changed here since an audit found them to differ, in the connection's life.
  ///
  /// It stays 0 unless something went wrong that nothing else shows: a machine that was put back twice, or an error of
  /// the library, which you may report. The records are whole again on both sides.
  public var repairedCount: Signal<Int> { repairedNode.signal.distinct() }

  /// Compares all living records of the space with those of the other side now, and brings together what differs.
  ///
  /// ```swift
  /// func check(_ connection: Connection) async throws {
  ///   let report = try await connection.audit()
  ///   print(report.differingCount == 0 ? "Both hold the same." : "\(report.differingCount) differed.")
  /// }
  /// ```
  ///
  /// It happens by itself once a week, where nothing was on its way for half a minute, and after a restore, a salvage or
  /// an upgrade. Equal spaces cost some forty bytes. *Cost* on each side: a look at each record the first time (some
  /// 7 µs for one of ten cells), later at what changed since.
  /// - Returns: What differed, and how much of it still does.
  /// - Throws: `AuditFailure` if the connection is not online, or ends meanwhile, or if the other side cannot audit just
  ///   now, or lets this device not change everything. What was found until then is brought together all the same.
  ///   `CancellationError` if the task is cancelled; the audit goes on then.
  public func audit() async throws -> AuditReport {
    let first = try await auditOnce()
    var report = AuditReport(differingCount: first, remainingCount: first)
    // Once more where something differed: then it is seen whether it still does.
    while report.remainingCount > 0 {
      let next = try await auditOnce()
      guard next < report.remainingCount else { break }
      report.remainingCount = next
    }
    return report
  }

  private func auditOnce() async throws -> Int {
    guard state.value == .online, let session = current.withLock({ $0 })?.session else {
      throw AuditFailure(
        sentence: "The other side cannot be reached just now: try again when it can.")
    }
    let answer = Lock<CheckedContinuation<Int?, any Error>?>(nil)
    let count = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        answer.withLock { $0 = continuation }
        session.auditNow { count in answer.withLock { $0.take() }?.resume(returning: count) }
        if Task.isCancelled {
          answer.withLock { $0.take() }?.resume(throwing: CancellationError())
        }
      }
    } onCancel: {
      answer.withLock { $0.take() }?.resume(throwing: CancellationError())
    }
    guard let count else {
      throw AuditFailure(
        sentence: "The other side could not compare just now: try again in a few minutes.")
    }
    return count
  }

  /// Refuses to try again, for a reason that a person can mend.
  package func block(_ reason: String) { machine.offer(.refused(reason: reason)) }

  /// Connects, and stays connected as well as the network allows. `sync` has done it already: call
  /// it after `disconnect()`, or to try again when the connection is `blocked`.
  ///
  /// It does nothing while the connection is open, on its way or waiting.
  public func connect() { machine.offer(.connect) }

  /// Tries at once instead of waiting: the network has come back, or the app is in front again.
  ///
  /// It does nothing unless the connection is `waiting`. Nothing here watches the network: without
  /// this call a device finds out that it is back after `delay`.
  public func networkReturned() { machine.offer(.networkReturned) }

  /// Ends the session and stays away until `connect()`. What the other side has not acknowledged
  /// goes over then.
  ///
  /// Until then the replica does not keep the connection: released, it is gone.
  public func disconnect() { machine.offer(.disconnect) }

  private func perform(_ effect: Reconnection.Effect) {
    switch effect {
    case .open: open()
    case .close: current.withLock { $0.take() }?.session.stop()
    }
  }

  private func open() {
    let link = WatchedLink(makeLink()) { [weak self] link, event in self?.note(event, of: link) }
    var configuration = configure()
    let (told, repairedNode) = (configuration.repaired, repairedNode)
    configuration.repaired = { count in
      told?(count)
      repairedNode.update { $0 += count }
    }
    let session = Session(
      link: link, store: store, configuration: configuration, clock: clock, execute: execute)
    let observation = session.state.observe { [weak self] state in
      self?.conversationNode.value = state
      if case .live = state { self?.machine.offer(.established) }
    }
    let asking = session.later.observe { [weak self] later in
      if let self, let later { asked(later, by: link) }
    }
    let earlier = current.withLock { current in
      defer {
        current = Current(link: link, session: session, observations: [observation, asking])
      }
      return current
    }
    earlier?.session.stop()
    session.start()
  }

  private func note(_ event: LinkEvent, of link: WatchedLink) {
    guard let session = session(over: link) else { return }
    switch event {
    case .opened: machine.offer(.opened)
    case .closed(let failure):
      // What was said before the end may be when to come back, and why.
      session.afterHearing { [weak self] in self?.noteEnd(failure, of: link) }
    case .received, .drained: break
    }
  }

  private func noteEnd(_ failure: LinkFailure?, of link: WatchedLink) {
    guard let session = session(over: link) else { return }
    if let failure, !failure.mayRetry {
      machine.offer(.refused(reason: failure.description))
      return
    }
    let later = session.later.value
    let reason =
      later?.text ?? failure?.description ?? ending ?? "The other side closed the connection."
    machine.offer(
      .lost(reason: reason, chance: chance(), later: .milliseconds(later?.milliseconds ?? 0)))
  }

  /// The session over a link; nil for an earlier link, whose late end is not that of the present one.
  private func session(over link: WatchedLink) -> Session? {
    current.withLock { $0?.link === link ? $0?.session : nil }
  }
}

extension Connection {
  /// What was said before the link ended may be heard after it.
  private func asked(_ later: Later, by link: WatchedLink) {
    guard current.withLock({ $0?.link === link }) else { return }
    askBack(later)
  }

  /// Waits until the other side wants this one back, if it waits.
  package func askBack(_ later: Later) {
    machine.offer(
      .asked(
        reason: later.text ?? "The other side asks for some time.", chance: chance(),
        later: .milliseconds(later.milliseconds)))
  }

  /// The sentence with which the conversation ended, where it did.
  private var ending: String? {
    if case .closed(let ending) = conversationNode.value { ending.text } else { nil }
  }
}

/// Lets the machine's effects reach a connection that is made after the machine.
///
/// Unchecked: it is set once, by the connection's initializer, before the machine is sent any
/// event.
private final class Performer: @unchecked Sendable {
  weak var connection: Connection?
}

/// A link that tells of its beginning and its end, beside the session that it carries.
private final class WatchedLink: Link {
  private let link: any Link
  private let note: @Sendable (WatchedLink, LinkEvent) -> Void

  init(_ link: any Link, note: @escaping @Sendable (WatchedLink, LinkEvent) -> Void) {
    self.link = link
    self.note = note
  }

  func start(_ deliver: @escaping @Sendable (LinkEvent) -> Void) {
    link.start { [self] event in
      if case .opened = event { note(self, event) }
      deliver(event)
      if case .closed = event { note(self, event) }
    }
  }

  func send(_ message: [UInt8]) { link.send(message) }
  var messageBytesMax: Int { link.messageBytesMax }
  var queuedBytes: Int { link.queuedBytes }
  var queuedBlobBytes: Int { link.queuedBlobBytes }
  var queuedBytesSoftMax: Int { link.queuedBytesSoftMax }
  func pauseReceiving(_ isPaused: Bool) { link.pauseReceiving(isPaused) }
  func close() { link.close() }
}
