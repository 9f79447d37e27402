public import ReunionFlow

/// The decisions of a link that is kept: what to do next so that a device is, and stays, connected.
///
/// The wish to be connected never expires. Each step has a limit of its own, which ends the step
/// and not the wish; each reason of a disconnect leads somewhere.
///
/// ```swift
/// func sentence(_ state: LinkMachine.State) -> String {
///   switch state {
///   case .ready: "Connected."
///   case .waitingForRadio: "Switch Bluetooth on."
///   case .barred: "The device does not let this one in."
///   case .closed: "Not wanted any more."
///   default: "Looking for it."
///   }
/// }
/// ```
///
/// It decides only: it has no clock and no radio, so a test can ask it for each step (`next`).
public enum LinkMachine: Machine {
  /// Where a link stands; each state carries its context.
  public enum State: Hashable, Sendable {
    /// Nobody has asked for it.
    case idle(LinkContext)
    /// The radio is off, gone, or not allowed; `Bluetooth.state` says which. No limit.
    case waitingForRadio(LinkContext)
    /// The system has forgotten the device: it must be seen first. No limit. The radio listens all
    /// the time for ten minutes, and then for a second of each four.
    case seeking(LinkContext)
    /// A connection was asked for; in range it stands soon. After 45 s it is asked for anew.
    case connecting(LinkContext)
    /// Connected, and asking for the services; at most 10 s.
    case discovering(LinkContext)
    /// Asking to be told of new values; at most 5 s.
    case subscribing(LinkContext)
    /// Getting to know each other, and agreeing on keys; at most 10 s. A link to a device that is
    /// no peer has no greeting.
    case greeting(LinkContext)
    /// It can be used. No limit.
    case ready(LinkContext)
    /// A step has failed: the connection is being ended, to begin again; at most 5 s.
    case resetting(LinkContext)
    /// Waiting before the next try, for so long: 30 s after the other side left on purpose, and
    /// otherwise 1 to 30 s. A scan that hears the device ends it.
    case suspended(LinkContext, DisconnectReason, Duration)
    /// The other side does not let this device in; the program should tell somebody. It is tried
    /// again after 60 s. With `keyLost` the device has forgotten this one: meet it anew.
    case barred(LinkContext, DisconnectReason)
    /// The program does not want it any more, and the connection is being ended.
    case leaving(LinkContext)
    /// Over.
    case closed(LinkContext)
  }

  /// What happens to a link.
  public enum Event: Hashable, Sendable {
    /// The program wants it.
    case keep
    /// The radio can be used, or can no longer.
    case radio(isOn: Bool)
    /// A scan has heard the device.
    case sighted
    /// The connection stands.
    case connected
    /// The services are known.
    case discovered
    /// New values will be told.
    case subscribed
    /// The keys are agreed.
    case greeted
    /// A step failed, or the channel did.
    case failed
    /// The other side does not let this device in.
    case refused(DisconnectReason)
    /// The connection is over.
    case lost(DisconnectReason)
    /// The limit of the state has passed.
    case timeout
    /// The program does not want it any more.
    case leave
  }

  /// What the shell must do.
  public enum Effect: Hashable, Sendable {
    /// Say whether the radio is on.
    case askRadio
    /// Listen for the device, or stop it.
    case scan, stopScan
    /// Connect, or end the connection.
    case connect, disconnect
    /// Ask for the services.
    case discover
    /// Ask to be told of new values.
    case subscribe
    /// Begin the greeting.
    case greet
    /// Have the system forget what it remembers of the device.
    case forget
  }

  /// Past BlueZ's own limit of 40 s: to give up earlier would miss a device that comes back.
  static let connectLimit = Duration.seconds(45)
  /// The limit of discovering and of greeting.
  static let stepLimit = Duration.seconds(10)
  /// The limit of subscribing, and of ending a connection.
  static let shortLimit = Duration.seconds(5)
  /// How long to leave one in peace that has left on purpose.
  static let absence = Duration.seconds(30)
  /// How long to wait for one that does not let this device in.
  static let barredDelay = Duration.seconds(60)

  /// Losses are counted up to here, where waits grow no more.
  static let lossesMax = 9

  /// How long a state may last; nil for those that wait for something else, however long.
  public static func deadline(_ state: State) -> Deadline<Event>? {
    switch state {
    case .connecting: Deadline(after: connectLimit, send: .timeout)
    case .discovering, .greeting: Deadline(after: stepLimit, send: .timeout)
    case .subscribing, .resetting, .leaving: Deadline(after: shortLimit, send: .timeout)
    case .suspended(_, _, let delay): Deadline(after: delay, send: .timeout)
    case .barred: Deadline(after: barredDelay, send: .timeout)
    case .idle, .waitingForRadio, .seeking, .ready, .closed: nil
    }
  }

  /// The step from a state on an event; see the type.
  ///
  /// - Throws: `InvalidTransition` for an event that means nothing in the state, such as `greeted`
  ///   in `connecting`. The link that runs it then stays where it is.
  public static func next(
    _ state: State, _ event: Event
  ) throws(InvalidTransition) -> Step<State, Effect> {
    switch event {
    case .radio(let isOn): return try radio(state, isOn: isOn, event)
    case .leave: return try leave(state, event)
    default: break
    }
    switch (state, event) {
    case (.idle(let context), .keep), (.closed(let context), .keep):
      return .to(.waitingForRadio(begun(context)), .askRadio)
    case (_, .keep): return .stay(state)
    case (.seeking(let context), .sighted): return .to(.connecting(context), .stopScan, .connect)
    case (.suspended(let context, _, _), .sighted):
      return .to(.connecting(with(context) { $0.losses = 0 }), .connect)
    case (.suspended(let context, _, _), .timeout), (.barred(let context, _), .timeout):
      return .to(.connecting(context), .connect)
    case (.connecting(let context), .connected): return .to(.discovering(context), .discover)
    case (.connecting(let context), .timeout):
      return .to(
        .resetting(with(context) { $0.losses = min($0.losses + 1, lossesMax) }), .disconnect)
    case (.discovering(let context), .discovered): return .to(.subscribing(context), .subscribe)
    case (.subscribing(let context), .subscribed):
      return context.hasGreeting
        ? .to(.greeting(context), .greet) : .to(.ready(begun(context)))
    case (.greeting(let context), .greeted): return .to(.ready(begun(context)))
    case (.discovering(let context), .failed), (.discovering(let context), .timeout),
      (.subscribing(let context), .failed), (.subscribing(let context), .timeout),
      (.greeting(let context), .failed), (.greeting(let context), .timeout),
      (.ready(let context), .failed):
      return .to(.resetting(with(context) { $0.faults += 1 }), .disconnect)
    case (.greeting(let context), .refused(let reason)),
      (.ready(let context), .refused(let reason)):
      return .to(.barred(begun(context), reason), .disconnect)
    // The system has sought it as long as it does: it goes on at once, since only a connection that is
    // asked for stands as soon as the device is back. The second keeps a system in check that gives up
    // sooner.
    case (.connecting(let context), .lost(.outOfRange)):
      return .to(.suspended(context, .outOfRange, .seconds(1)))
    case (.connecting(let context), .lost(let reason)),
      (.discovering(let context), .lost(let reason)),
      (.subscribing(let context), .lost(let reason)),
      (.greeting(let context), .lost(let reason)), (.ready(let context), .lost(let reason)):
      return lost(context, reason)
    case (.resetting(let context), .lost), (.resetting(let context), .timeout):
      return again(context)
    // The connection that was ended when the device was barred.
    case (.barred, .lost): return .stay(state)
    case (.leaving(let context), .lost), (.leaving(let context), .timeout):
      return .to(.closed(context))
    default: throw InvalidTransition(from: state, event: event)
    }
  }

  private static func radio(
    _ state: State, isOn: Bool, _ event: Event
  ) throws(InvalidTransition) -> Step<State, Effect> {
    switch (state, isOn) {
    case (.waitingForRadio(let context), true): return .to(.connecting(context), .connect)
    case (.idle, _), (.closed, _), (.waitingForRadio, false), (.seeking, true), (.connecting, true),
      (.discovering, true), (.subscribing, true), (.greeting, true), (.ready, true),
      (.resetting, true), (.suspended, true), (.barred, true), (.leaving, true):
      return .stay(state)
    case (.leaving(let context), false): return .to(.closed(context))
    case (.seeking(let context), false), (.connecting(let context), false),
      (.discovering(let context), false), (.subscribing(let context), false),
      (.greeting(let context), false), (.ready(let context), false),
      (.resetting(let context), false), (.suspended(let context, _, _), false),
      (.barred(let context, _), false):
      return .to(.waitingForRadio(begun(context)))
    }
  }

  private static func leave(
    _ state: State, _ event: Event
  ) throws(InvalidTransition) -> Step<State, Effect> {
    switch state {
    case .idle(let context), .waitingForRadio(let context), .suspended(let context, _, _),
      .barred(let context, _):
      return .to(.closed(context))
    case .seeking(let context): return .to(.closed(context), .stopScan)
    case .connecting(let context), .discovering(let context), .subscribing(let context),
      .greeting(let context), .ready(let context):
      return .to(.leaving(context), .disconnect)
    case .resetting(let context): return .to(.leaving(context))
    case .leaving, .closed: return .stay(state)
    }
  }

  /// Where the loss of a connection leads, by its reason.
  private static func lost(
    _ context: LinkContext, _ reason: DisconnectReason
  ) -> Step<State, Effect> {
    let context = with(context) { $0.losses = min($0.losses + 1, lossesMax) }
    switch reason {
    case .outOfRange, .notEstablished, .unknown:
      // Three times at once, then with growing waits.
      guard context.losses > 3 else { return .to(.connecting(context), .connect) }
      let delay = min(Duration.seconds(1 << min(context.losses - 4, 5)), absence)
      return .to(.suspended(context, reason, delay))
    case .asked, .leftOnPurpose: return .to(.suspended(context, reason, absence))
    case .keyLost, .refused: return .to(.barred(begun(context), reason))
    case .unknownDevice: return .to(.seeking(context), .scan)
    }
  }

  /// The connection was ended because a step failed: twice with a pause, then without what the
  /// system remembers of the device.
  private static func again(_ context: LinkContext) -> Step<State, Effect> {
    if context.faults >= 3 {
      return .to(.seeking(with(context) { $0.faults = 0 }), .forget, .scan)
    }
    return .to(.suspended(context, .unknown, .seconds(1 + context.faults)))
  }

  private static func begun(_ context: LinkContext) -> LinkContext {
    LinkContext(context.device, hasGreeting: context.hasGreeting)
  }

  private static func with(_ context: LinkContext, _ change: (inout LinkContext) -> Void)
    -> LinkContext
  {
    var context = context
    change(&context)
    return context
  }
}

extension LinkMachine.State {
  /// The device that the state is about, and what has gone wrong.
  public var context: LinkContext {
    switch self {
    case .idle(let context), .waitingForRadio(let context), .seeking(let context),
      .connecting(let context), .discovering(let context), .subscribing(let context),
      .greeting(let context), .ready(let context), .resetting(let context),
      .suspended(let context, _, _), .barred(let context, _), .leaving(let context),
      .closed(let context):
      context
    }
  }
}
