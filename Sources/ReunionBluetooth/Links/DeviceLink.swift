import ReunionFlow

/// One device that is kept connected: its machine, and what it is connected for.
///
/// *Thread*: confined to the serial queue of its `Bluetooth`.
final class DeviceLink {
  /// What anybody may watch.
  struct Observables: Sendable {
    let machine: StateMachine<LinkMachine>
    let values = Emitter<LinkValue>()

    /// Whether it is kept connected, and no peer.
    var isKeptDevice: Bool {
      switch machine.state.value {
      case .idle, .leaving, .closed: false
      case let state: !state.context.hasGreeting
      }
    }
  }

  let device: DeviceID
  var plan: LinkPlan
  let observables: Observables
  /// When to note again what could not be noted of it.
  var notingAgain: Countdown?
  /// How this side wants to be known; nil if there is no greeting.
  var way: Greeting.Way?
  /// The peer that is known to be there; it is greeted as such if another way leads nowhere.
  var known: PeerID?
  /// How much it is listened for, while it is sought.
  var duty: ScanDuty?
  /// What this side must still subscribe to.
  var unsubscribed: [BluetoothID] = []
  /// The present connection, once its greeting begins.
  var connection: RadioConnection?
  /// The closures that wait for a value that is read, in order.
  private var waiting: [BluetoothID: [@Sendable (Result<[UInt8], BluetoothError>) -> Void]] = [:]
  /// The values that are to be written, in order; parts of the first one are on their way.
  var writes: [BluetoothID: [Write]] = [:]
  /// Values without an answer that the radio had no room for.
  var unsent: [(id: BluetoothID, value: [UInt8])] = []

  init(_ device: DeviceID, plan: LinkPlan, way: Greeting.Way?, observables: Observables) {
    self.device = device
    self.plan = plan
    self.way = way
    if case .known(let peer) = way { known = peer }
    self.observables = observables
  }

  var machine: StateMachine<LinkMachine> { observables.machine }

  var isSeeking: Bool {
    if case .seeking = machine.state.value { true } else { false }
  }

  /// The connection is gone: nobody waits any longer.
  func end(_ error: BluetoothError = .outOfReach) {
    connection?.stop()
    connection = nil
    unsent = []
    let waiting = waiting.values.flatMap { $0 } + writes.values.flatMap { $0 }.map(\.answer)
    self.waiting = [:]
    writes = [:]
    for resume in waiting { resume(.failure(error)) }
  }

  /// The part of a value that is still to be written, and the closure that waits for that.
  struct Write {
    var rest: ArraySlice<UInt8>
    let answer: @Sendable (Result<[UInt8], BluetoothError>) -> Void
  }

  /// Notes who waits for a value.
  func ask(
    _ id: BluetoothID, _ resume: @escaping @Sendable (Result<[UInt8], BluetoothError>) -> Void
  ) {
    waiting[id, default: []].append(resume)
  }

  /// Gives what was read to the first who waits for it; false if nobody does.
  func answer(_ id: BluetoothID, _ result: Result<[UInt8], BluetoothError>) -> Bool {
    guard var line = waiting[id], !line.isEmpty else { return false }
    let resume = line.removeFirst()
    waiting[id] = line
    resume(result)
    return true
  }
}

/// A new value of a characteristic, as the device tells it: at most as long as the MTU less 3. The
/// order is the one in which the system hands them on.
public struct LinkValue: Hashable, Sendable {
  /// The characteristic.
  public let characteristic: BluetoothID
  /// Its value.
  public let bytes: [UInt8]
}
