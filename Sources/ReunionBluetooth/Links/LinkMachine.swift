public import ReunionFlow

/// The decisions of a link that is kept: what to do next so that a device is, and stays, connected.
///
/// The wish to be connected never expires. Each step has a limit of its own, which ends the step and
/// not the wish; each reason of a disconnect leads somewhere.
public enum LinkMachine: Machine {
  /// Where a link stands; each state carries what it pursues.
  public enum State: Hashable, Sendable {
    /// Nobody has asked for it.
    case idle(Pursuit)
    /// The radio is off, gone, or not allowed.
    case waitingForRadio(Pursuit)
    /// The system has forgotten the device: it must be seen first. No limit.
    case seeking(Pursuit)
    /// A connection was asked for; in range it stands soon.
    case connecting(Pursuit)
    /// Connected, and asking for the services.
    case discovering(Pursuit)
    /// Asking to be told of new values.
    case subscribing(Pursuit)
    /// Getting to know each other, and agreeing on keys.
    case greeting(Pursuit)
    /// It can be used.
    case ready(Pursuit)
    /// A step has failed: the connection is being ended, to begin again.
    case resetting(Pursuit)
    /// Waiting before the next try.
    case suspended(Pursuit, DisconnectReason, Duration)
    /// The other side does not let this device in; the program should tell somebody. It is tried again.
    case barred(Pursuit, DisconnectReason)
    /// The program does not want it any more, and the connection is being ended.
    case leaving(Pursuit)
    /// Over.
    case closed(Pursuit)
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
    /// A step failed, or the conversation did.
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

  /// How long a state may last.
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
  public static func next(
    _ state: State, _ event: Event
  ) throws(InvalidTransition) -> Step<State, Effect> {
    switch event {
    case .radio(let isOn): return try radio(state, isOn: isOn, event)
    case .leave: return try leave(state, event)
    default: break
    }
    switch (state, event) {
    case (.idle(let pursuit), .keep), (.closed(let pursuit), .keep):
      return .to(.waitingForRadio(begun(pursuit)), .askRadio)
    case (_, .keep): return .stay(state)
    case (.seeking(let pursuit), .sighted): return .to(.connecting(pursuit), .stopScan, .connect)
    case (.suspended(let pursuit, _, _), .sighted):
      return .to(.connecting(with(pursuit) { $0.losses = 0 }), .connect)
    case (.suspended(let pursuit, _, _), .timeout), (.barred(let pursuit, _), .timeout):
      return .to(.connecting(pursuit), .connect)
    case (.connecting(let pursuit), .connected): return .to(.discovering(pursuit), .discover)
    case (.connecting(let pursuit), .timeout):
      return .to(
        .resetting(with(pursuit) { $0.losses = min($0.losses + 1, lossesMax) }), .disconnect)
    case (.discovering(let pursuit), .discovered): return .to(.subscribing(pursuit), .subscribe)
    case (.subscribing(let pursuit), .subscribed):
      return pursuit.hasGreeting
        ? .to(.greeting(pursuit), .greet) : .to(.ready(begun(pursuit)))
    case (.greeting(let pursuit), .greeted): return .to(.ready(begun(pursuit)))
    case (.discovering(let pursuit), .failed), (.discovering(let pursuit), .timeout),
      (.subscribing(let pursuit), .failed), (.subscribing(let pursuit), .timeout),
      (.greeting(let pursuit), .failed), (.greeting(let pursuit), .timeout),
      (.ready(let pursuit), .failed):
      return .to(.resetting(with(pursuit) { $0.faults += 1 }), .disconnect)
    case (.greeting(let pursuit), .refused(let reason)),
      (.ready(let pursuit), .refused(let reason)):
      return .to(.barred(begun(pursuit), reason), .disconnect)
    // The system has sought it as long as it does: it goes on at once, since only a connection that is
    // asked for stands as soon as the device is back. The second keeps a system in check that gives up
    // sooner.
    case (.connecting(let pursuit), .lost(.outOfRange)):
      return .to(.suspended(pursuit, .outOfRange, .seconds(1)))
    case (.connecting(let pursuit), .lost(let reason)),
      (.discovering(let pursuit), .lost(let reason)),
      (.subscribing(let pursuit), .lost(let reason)),
      (.greeting(let pursuit), .lost(let reason)), (.ready(let pursuit), .lost(let reason)):
      return lost(pursuit, reason)
    case (.resetting(let pursuit), .lost), (.resetting(let pursuit), .timeout):
      return again(pursuit)
    // The connection that was ended when the device was barred.
    case (.barred, .lost): return .stay(state)
    case (.leaving(let pursuit), .lost), (.leaving(let pursuit), .timeout):
      return .to(.closed(pursuit))
    default: throw InvalidTransition(from: state, event: event)
    }
  }

  private static func radio(
    _ state: State, isOn: Bool, _ event: Event
  ) throws(InvalidTransition) -> Step<State, Effect> {
    switch (state, isOn) {
    case (.waitingForRadio(let pursuit), true): return .to(.connecting(pursuit), .connect)
    case (.idle, _), (.closed, _), (.waitingForRadio, false), (.seeking, true), (.connecting, true),
      (.discovering, true), (.subscribing, true), (.greeting, true), (.ready, true),
      (.resetting, true), (.suspended, true), (.barred, true), (.leaving, true):
      return .stay(state)
    case (.leaving(let pursuit), false): return .to(.closed(pursuit))
    case (.seeking(let pursuit), false), (.connecting(let pursuit), false),
      (.discovering(let pursuit), false), (.subscribing(let pursuit), false),
      (.greeting(let pursuit), false), (.ready(let pursuit), false),
      (.resetting(let pursuit), false), (.suspended(let pursuit, _, _), false),
      (.barred(let pursuit, _), false):
      return .to(.waitingForRadio(begun(pursuit)))
    }
  }

  private static func leave(
    _ state: State, _ event: Event
  ) throws(InvalidTransition) -> Step<State, Effect> {
    switch state {
    case .idle(let pursuit), .waitingForRadio(let pursuit), .suspended(let pursuit, _, _),
      .barred(let pursuit, _):
      return .to(.closed(pursuit))
    case .seeking(let pursuit): return .to(.closed(pursuit), .stopScan)
    case .connecting(let pursuit), .discovering(let pursuit), .subscribing(let pursuit),
      .greeting(let pursuit), .ready(let pursuit):
      return .to(.leaving(pursuit), .disconnect)
    case .resetting(let pursuit): return .to(.leaving(pursuit))
    case .leaving, .closed: return .stay(state)
    }
  }

  /// Where the loss of a connection leads, by its reason.
  private static func lost(
    _ pursuit: Pursuit, _ reason: DisconnectReason
  ) -> Step<State, Effect> {
    let pursuit = with(pursuit) { $0.losses = min($0.losses + 1, lossesMax) }
    switch reason {
    case .outOfRange, .notEstablished, .unknown:
      // Three times at once, then with growing waits.
      guard pursuit.losses > 3 else { return .to(.connecting(pursuit), .connect) }
      let delay = min(Duration.seconds(1 << min(pursuit.losses - 4, 5)), absence)
      return .to(.suspended(pursuit, reason, delay))
    case .asked, .leftOnPurpose: return .to(.suspended(pursuit, reason, absence))
    case .keyLost, .refused: return .to(.barred(begun(pursuit), reason))
    case .unknownDevice: return .to(.seeking(pursuit), .scan)
    }
  }

  /// The connection was ended because a step failed: twice with a pause, then without what the system
  /// remembers of the device.
  private static func again(_ pursuit: Pursuit) -> Step<State, Effect> {
    if pursuit.faults >= 3 {
      return .to(.seeking(with(pursuit) { $0.faults = 0 }), .forget, .scan)
    }
    return .to(.suspended(pursuit, .unknown, .seconds(1 + pursuit.faults)))
  }

  private static func begun(_ pursuit: Pursuit) -> Pursuit {
    Pursuit(pursuit.device, hasGreeting: pursuit.hasGreeting)
  }

  private static func with(_ pursuit: Pursuit, _ change: (inout Pursuit) -> Void) -> Pursuit {
    var pursuit = pursuit
    change(&pursuit)
    return pursuit
  }
}

extension LinkMachine.State {
  /// The device that the state is about, and what has gone wrong.
  public var pursuit: Pursuit {
    switch self {
    case .idle(let pursuit), .waitingForRadio(let pursuit), .seeking(let pursuit),
      .connecting(let pursuit), .discovering(let pursuit), .subscribing(let pursuit),
      .greeting(let pursuit), .ready(let pursuit), .resetting(let pursuit),
      .suspended(let pursuit, _, _), .barred(let pursuit, _), .leaving(let pursuit),
      .closed(let pursuit):
      pursuit
    }
  }
}
