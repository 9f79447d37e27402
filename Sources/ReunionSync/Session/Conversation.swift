public import ReunionCore
public import ReunionFlow

/// The decisions of a session: what to send next, and what to do with what was received.
///
/// A pure machine: it reads no store and no clock. What must be looked up or written comes back as
/// an effect, and its result as an event. Source: `docs/protocol.md` §2.
public enum Conversation: Machine {
  /// Where the conversation stands.
  public enum State: Hashable, Sendable {
    /// The link is not open yet.
    case idle
    /// Our hello is on its way; the other's is awaited.
    case greeting(ours: Hello)
    /// The other's hello is being compared with the store.
    case comparing(peer: Hello)
    /// Our pull is on its way; the other's is awaited.
    case pulling(peer: Hello)
    /// Both know what the other holds; changes flow.
    case live(Live)
    /// Over, with the sentence that says why, where there is one.
    case closed(String?)
  }

  /// What both sides know of each other while changes flow.
  public struct Live: Hashable, Sendable {
    /// Who speaks on the other side.
    public var peer: Hello
    /// What the other side holds, as far as it is known here.
    public var peerVector: VersionVector
    /// Our arrival number up to which everything was sent.
    public var sentCursor: UInt64
    /// Our arrival number up to which the other side has everything on its disk.
    public var acknowledgedCursor: UInt64 = 0
    /// Whether a push of the other side has been applied since the link opened: what it held then
    /// is held here.
    public var hasCaughtUp = false
    /// Whether the first push has been read; the first one always ends in a `pushEnd`.
    var isGreeted = false
    /// Whether a push is being read just now.
    var isPushing = false
    /// Whether something was committed since the last push was begun.
    var isDirty = false
    /// The heartbeats since something was last heard.
    var silentBeats = 0
  }

  /// What happens to a conversation.
  public enum Event: Hashable, Sendable {
    /// The link is open; our hello is this.
    case opened(Hello)
    /// A message came.
    case received(Message)
    /// The other's hello was compared with the store: our pull, and whether the other is forked.
    case compared(Pull, peerIsForked: Bool)
    /// Something was committed to the store.
    case committed
    /// A push was read and its changes sent; `isEmpty` where there were none.
    case pushed(PushEnd, isEmpty: Bool)
    /// A push of the other side is on disk; these changes of it were refused.
    case applied(PushEnd, refused: [Refusal])
    /// The store could not read or write.
    case storeFailed(String)
    /// Another heartbeat has passed.
    case beat
    /// The other side sent what no replica sends.
    case violated(String)
    /// The greeting took too long.
    case greetingExpired
    /// The program ends the session.
    case stop(String)
    /// The link has closed.
    case linkClosed(String?)
  }

  /// What the shell must do.
  public enum Effect: Hashable, Sendable {
    /// Send a message.
    case send(Message)
    /// Compare a hello with the store, and answer `compared`.
    case compare(Hello)
    /// Read a push and send its changes, and answer `pushed`.
    case push(after: UInt64, lacking: VersionVector)
    /// Keep changes until the push that they belong to ends.
    case stage([Change])
    /// Apply the push that ends here, and answer `applied`.
    case apply(PushEnd)
    /// Take the standing cells in place of our refused ones.
    case takeBack([Refusal])
    /// Write under a new incarnation from now on.
    case mintIncarnation
    /// A message about blobs.
    case blob(Message)
    /// Close the link.
    case close
  }

  /// Heartbeats of silence after which we ask, and after which we close.
  static let beatsUntilPing = 2
  static let beatsUntilClose = 3

  /// How long a state may last.
  public static func deadline(_ state: State) -> Deadline<Event>? {
    switch state {
    case .greeting, .pulling: Deadline(after: .seconds(15), send: .greetingExpired)
    case .idle, .comparing, .live, .closed: nil
    }
  }

  /// The step from a state on an event; see the type.
  public static func next(
    _ state: State, _ event: Event
  ) throws(InvalidTransition) -> Step<State, Effect> {
    switch (state, event) {
    case (.closed, _): return .stay(state)
    case (_, .linkClosed(let sentence)): return .to(.closed(sentence))
    case (_, .stop(let sentence)): return end(.goingAway, sentence)
    case (_, .violated(let sentence)): return end(.protocolError, sentence)
    case (_, .storeFailed(let sentence)): return end(.storageFailed, sentence)
    case (_, .received(.bye(let bye))): return farewell(bye)
    case (_, .received(.ping(let number))) where state != .idle:
      return .stay(heard(state), .send(.pong(number)))
    case (_, .received(.pong)) where state != .idle: return .stay(heard(state))
    case (_, .received(.unknown)) where state != .idle: return .stay(heard(state))
    case (.idle, .opened(let hello)):
      return .to(.greeting(ours: hello), .send(.hello(hello)))
    case (.greeting(let ours), .received(.hello(let peer))):
      guard peer.space == ours.space else {
        return end(.notAllowed, "The other side speaks about another space.")
      }
      return .to(.comparing(peer: peer), .compare(peer))
    case (.comparing(let peer), .compared(let pull, let isForked)):
      guard !isForked else {
        return end(.forked, "This store was restored or copied; write under a new incarnation.")
      }
      return .to(.pulling(peer: peer), .send(.pull(pull)))
    case (.pulling(let peer), .received(.pull(let pull))):
      var live = Live(peer: peer, peerVector: pull.vector, sentCursor: pull.cursor)
      let first = push(&live)
      return .to(.live(live), first)
    case (.greeting, .greetingExpired), (.pulling, .greetingExpired):
      return end(.protocolError, "The other side did not introduce itself in 15 s.")
    case (.idle, .committed), (.greeting, .committed), (.comparing, .committed),
      (.pulling, .committed), (.idle, .beat), (.greeting, .beat), (.comparing, .beat),
      (.pulling, .beat):
      return .stay(state)
    case (.live(let live), _): return try next(live, event)
    default: throw InvalidTransition(from: state, event: event)
    }
  }

  private static func next(
    _ live: Live, _ event: Event
  ) throws(InvalidTransition) -> Step<State, Effect> {
    var live = live
    switch event {
    case .committed:
      guard !live.isPushing else {
        live.isDirty = true
        return .stay(.live(live))
      }
      let next = push(&live)
      return .stay(.live(live), next)
    case .pushed(let end, let isEmpty): return pushed(live, end, isEmpty: isEmpty)
    case .beat:
      live.silentBeats += 1
      if live.silentBeats >= beatsUntilClose {
        return .to(.closed("The other side has fallen silent."), .close)
      }
      let asks = live.silentBeats == beatsUntilPing
      return .stay(
        .live(live), performing: asks ? [.send(.ping(UInt32(live.silentBeats)))] : [])
    case .applied(let end, let refused):
      live.peerVector.merge(end.vector)
      live.hasCaughtUp = true
      // A message has a limit, and each record brings all its cells.
      var effects: [Effect] = stride(from: 0, to: refused.count, by: 32).map { start in
        .send(.refused(Array(refused[start..<min(start + 32, refused.count)])))
      }
      effects.append(.send(.acknowledge(cursor: end.cursor)))
      return .stay(.live(live), performing: effects)
    case .received(let message):
      live.silentBeats = 0
      switch message {
      case .changes(let changes): return .stay(.live(live), .stage(changes))
      case .pushEnd(let end): return .stay(.live(live), .apply(end))
      case .acknowledge(let cursor):
        live.acknowledgedCursor = max(live.acknowledgedCursor, cursor)
        return .stay(.live(live))
      case .refused(let refusals): return .stay(.live(live), .takeBack(refusals))
      case .want, .blob, .lack, .have: return .stay(.live(live), .blob(message))
      default: throw InvalidTransition(from: State.live(live), event: event)
      }
    default: throw InvalidTransition(from: State.live(live), event: event)
    }
  }

  private static func push(_ live: inout Live) -> Effect {
    live.isPushing = true
    live.isDirty = false
    return .push(after: live.sentCursor, lacking: live.peerVector)
  }

  /// Ends a push; one that tells the other side nothing new is not sent, so that two replicas that
  /// are equal fall silent.
  private static func pushed(_ live: Live, _ end: PushEnd, isEmpty: Bool) -> Step<State, Effect> {
    var live = live
    let tells = !isEmpty || !live.isGreeted || !live.peerVector.covers(end.vector)
    live.isPushing = false
    live.isGreeted = true
    live.sentCursor = end.cursor
    live.peerVector.merge(end.vector)
    var effects: [Effect] = tells ? [.send(.pushEnd(end))] : []
    if live.isDirty { effects.append(push(&live)) }
    return .stay(.live(live), performing: effects)
  }

  private static func heard(_ state: State) -> State {
    guard case .live(var live) = state else { return state }
    live.silentBeats = 0
    return .live(live)
  }

  private static func farewell(_ bye: Bye) -> Step<State, Effect> {
    let sentence = String(decoding: bye.sentence, as: UTF8.self)
    let effects: [Effect] = bye.code == .forked ? [.mintIncarnation, .close] : [.close]
    return .to(.closed(sentence), performing: effects)
  }

  private static func end(_ code: Bye.Code, _ sentence: String) -> Step<State, Effect> {
    let bye = Bye(code: code, sentence: Array(sentence.utf8.prefix(1024)))
    return .to(.closed(sentence), .send(.bye(bye)), .close)
  }
}
