package import ReunionCore
public import ReunionFlow
package import ReunionStore
package import ReunionSync

/// Keeps one space of a store in sync over links that may fail: opens them, and opens them again.
///
/// The replica that made it keeps it until `disconnect()`, or until the replica is closed or released.
/// Keep it yourself where you show its state. Released by both, it ends its session.
///
/// *Thread*: any. A failure is a state with a sentence, never only a log line.
public final class Connection: Sendable {
  /// Where the connection stands.
  public enum State: Hashable, Sendable {
    /// Not wanted.
    case idle
    /// A link is being opened; `attempt` counts the failures since the last success.
    case connecting(attempt: Int)
    /// The link is open and the two replicas are getting to know each other.
    case handshaking(attempt: Int)
    /// The two replicas talk.
    case online
    /// Waiting before the next attempt, with the sentence that says why.
    case waiting(attempt: Int, delay: Duration, reason: String)
    /// Trying again would change nothing, for the reason given.
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

  private struct Current {
    let link: WatchedLink
    let session: Session
    let observation: SignalSubscription
  }

  /// Makes a connection; nothing happens before `connect`.
  ///
  /// `makeLink` makes a fresh link for each attempt, `execute` runs the session's work one piece at a
  /// time, and `chance`, from 0 to 1, spreads the waits.
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
  public var state: Signal<State> { machine.state.distinct() }

  /// Each transition, for the world's coverage.
  package var transitions: Occurrences<MachineTransition<Reconnection>> { machine.transitions }

  /// Where the conversation of the newest link stands.
  package var conversation: Signal<Conversation.State> { conversationNode.signal }

  /// How many blobs the other side was asked for and does not have either.
  public var lackedBlobCount: Int { current.withLock { $0 }?.session.lackedBlobCount ?? 0 }

  /// Fetches a blob next, if a session is under way.
  package func fetch(_ blob: BlobReference) { current.withLock { $0 }?.session.fetch(blob) }

  /// Refuses to try again, for a reason that a person can mend.
  package func block(_ reason: String) { machine.offer(.refused(reason: reason)) }

  /// Connects, and stays connected as well as the network allows.
  public func connect() { machine.offer(.connect) }

  /// Tries at once instead of waiting: the network has come back.
  public func networkReturned() { machine.offer(.networkReturned) }

  /// Ends the session and stays away.
  public func disconnect() { machine.offer(.disconnect) }

  private func perform(_ effect: Reconnection.Effect) {
    switch effect {
    case .open: open()
    case .close: current.withLock { $0.take() }?.session.stop()
    }
  }

  private func open() {
    let link = WatchedLink(makeLink()) { [weak self] link, event in self?.note(event, of: link) }
    let session = Session(
      link: link, store: store, configuration: configure(), clock: clock, execute: execute)
    let observation = session.state.observe { [weak self] state in
      self?.conversationNode.value = state
      if case .live = state { self?.machine.offer(.established) }
    }
    let earlier = current.withLock { current in
      defer { current = Current(link: link, session: session, observation: observation) }
      return current
    }
    earlier?.session.stop()
    session.start()
  }

  private func note(_ event: LinkEvent, of link: WatchedLink) {
    // The late end of an earlier link is not that of the present one.
    guard current.withLock({ $0?.link === link }) else { return }
    switch event {
    case .opened: machine.offer(.opened)
    case .closed(let failure?) where !failure.mayRetry:
      machine.offer(.refused(reason: failure.description))
    case .closed(let failure):
      let reason = failure?.description ?? ending ?? "The other side closed the connection."
      machine.offer(.lost(reason: reason, chance: chance()))
    case .received, .drained: break
    }
  }
}

extension Connection {
  /// The sentence with which the conversation ended, where it did.
  private var ending: String? {
    if case .closed(let ending) = conversationNode.value { ending.text } else { nil }
  }
}

/// Lets the machine's effects reach a connection that is made after the machine.
///
/// Unchecked: it is set once, by the connection's initializer, before the machine is sent any event.
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
