public import Dispatch
import ReunionFlow

/// What the login service of a Linux desktop (logind) says of the session that this process belongs
/// to.
///
///     let session = try LoginSession(queue: queue) { print($0) }
///
/// *Thread*: everything happens on the queue that was given, one at a time. *Ending*: it ends when
/// nobody holds it. *Source*: org.freedesktop.login1(5).
public final class LoginSession: Sendable {
  /// How a session stands.
  public struct State: Sendable, Equatable {
    /// Whether its screen is locked, as its locker said. Some lockers say nothing.
    public var isLocked = false
    /// Whether it is on the screen, and no other session before it.
    public var isActive = true
    /// Whether its desktop says that nobody is there. Some desktops say nothing.
    public var isIdle = false

    /// A session that is used.
    public init() {}
  }

  /// What happened.
  public enum Event: Sendable, Equatable {
    /// The session stands so now; once at the start, and whenever it changes.
    case state(State)
    /// The machine is about to sleep.
    case willSleep
    /// The machine is awake again.
    case didWake
    /// Nobody answers any more: the service or the bus is gone, or never was there.
    case lost
  }

  private static let service = "org.freedesktop.login1"
  private static let manager = "/org/freedesktop/login1"
  private static let session = "org.freedesktop.login1.Session"

  private let bus: Bus
  private let take: @Sendable (Event) -> Void
  private let kept = Lock<[BusRegistration]>([])
  private let path = Lock("")
  private let told = Lock<State?>(nil)

  /// Begins to listen. Set `DBUS_SYSTEM_BUS_ADDRESS` for another bus than the machine's.
  ///
  /// - Throws: `DesktopError` if there is no bus.
  public init(
    queue: DispatchQueue, _ take: @escaping @Sendable (Event) -> Void
  ) throws(DesktopError) {
    self.take = take
    do {
      bus = try Bus(.system, queue: queue, whenLost: { take(.lost) })
    } catch {
      throw DesktopError("The login service cannot be reached: \(error).")
    }
    let match = BusMatch(sender: Self.service, path: Self.manager, member: "PrepareForSleep")
    let sleeping = bus.signals(match) { [take] signal in
      guard let begins = signal.arguments.first?.asBool else { return }
      take(begins ? .willSleep : .didWake)
    }
    kept.withLock { $0 = [sleeping] }
    // A process that stands in no session, such as a person's service, gets that person's session.
    ask(Self.manager + "/session/auto", "org.freedesktop.DBus.Properties", "Get", ["Id"]) {
      [weak self] answer in
      guard let self, case .variant(let id)? = answer?.first, let id = id.asText else {
        return take(.lost)
      }
      self.find(id)
    }
  }

  private func find(_ id: String) {
    let call = BusCall(
      Self.service, Self.manager, "org.freedesktop.login1.Manager", "GetSession", [.string(id)])
    bus.call(call) { [weak self] result in
      guard let self, case .success(let answer) = result, let path = answer.first?.asText else {
        self?.take(.lost)
        return
      }
      self.path.withLock { $0 = path }
      let match = BusMatch(
        sender: Self.service, path: path, interface: "org.freedesktop.DBus.Properties",
        member: "PropertiesChanged")
      let changes = self.bus.signals(match) { [weak self] _ in self?.read() }
      self.kept.withLock { $0.append(changes) }
      self.read()
    }
  }

  private func read() {
    let path = path.withLock { $0 }
    ask(path, "org.freedesktop.DBus.Properties", "GetAll", []) { [weak self] answer in
      guard let self else { return }
      guard let properties = answer?.first?.asProperties else { return take(.lost) }
      var state = State()
      state.isLocked = properties["LockedHint"]?.asBool ?? false
      state.isActive = properties["Active"]?.asBool ?? true
      state.isIdle = properties["IdleHint"]?.asBool ?? false
      let isNew = told.withLock { told in
        defer { told = state }
        return told != state
      }
      if isNew { take(.state(state)) }
    }
  }

  private func ask(
    _ path: String, _ interface: String, _ method: String, _ names: [String],
    _ answer: @escaping @Sendable ([BusValue]?) -> Void
  ) {
    let arguments = ([Self.session] + names).map { BusValue.string($0) }
    bus.call(BusCall(Self.service, path, interface, method, arguments)) { answer(try? $0.get()) }
  }
}
