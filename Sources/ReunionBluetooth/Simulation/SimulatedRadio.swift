import ReunionFlow

/// A radio in a simulated medium, with the habits of BlueZ: it gives up to connect after 40 s, and
/// forgets a device 30 s after it was connected (`RadioQuality`).
///
/// ```swift
/// let clock = TestClock()
/// let radio = SimulatedMedium(clock: clock, seed: 7).radio("phone")
/// let bluetooth = try Bluetooth(radio: radio, folder: "app-data/bluetooth", clock: clock)
/// clock.advance(by: .seconds(1))
/// radio.setPower(false)
/// clock.advance(by: .seconds(1))
/// print(bluetooth.state.value.remedy ?? "")       // Switch Bluetooth on.
/// ```
///
/// *Thread*: that of its medium.
public final class SimulatedRadio: Radio {
  private let medium: SimulatedMedium
  let number: Int

  init(_ medium: SimulatedMedium, _ number: Int) {
    self.medium = medium
    self.number = number
  }

  /// What others call it.
  public var device: DeviceID { medium.device(number) }

  /// Whether it listens for others.
  public var isScanning: Bool { medium.topology.withLock { $0.stations[number].wanted != nil } }

  /// How many bytes of values it was given to send, over all connections: what messages cost on the
  /// air.
  public var givenBytes: Int { medium.topology.withLock { $0.givenBytes[number] ?? 0 } }

  /// Begins to deliver events, in place of an earlier program: a process that was killed hears
  /// nothing.
  public func start(_ deliver: @escaping @Sendable (RadioEvent) -> Void) {
    let state = medium.topology.withLock { topology in
      topology.stations[number].deliver = deliver
      return topology.stations[number].state
    }
    medium.report(.state(state), to: number)
  }

  // MARK: What happens to it

  /// Switches it off, or on: its connections end, and what was asked of it must be asked for again.
  public func setPower(_ isOn: Bool) {
    leave(isOn ? .on : .off, forgets: false)
    if isOn { medium.look() }
  }

  /// The system's service ends, and is back 2 s later, with no memory.
  public func restartService() {
    leave(.serviceLost, forgets: true)
    medium.later(.seconds(2)) { [number] medium in
      medium.topology.withLock { $0.stations[number].state = .on }
      medium.report(.state(.on), to: number)
      medium.look()
    }
  }

  /// The process that uses it is killed: its connections end, and nothing is asked for any more.
  public func killProcess() {
    medium.topology.withLock { $0.stations[number].deliver = nil }
    let numbers = clear()
    for connection in numbers { medium.breakOff(connection, .leftOnPurpose) }
  }

  private func leave(_ state: RadioState, forgets: Bool) {
    medium.topology.withLock { topology in
      topology.stations[number].state = state
      if forgets { topology.stations[number].known = [:] }
    }
    let numbers = clear()
    medium.report(.state(state), to: number)
    for connection in numbers { medium.breakOff(connection) }
  }

  /// Forgets what was asked of it; the result are its connections.
  private func clear() -> [Int] {
    medium.topology.withLock { topology in
      topology.stations[number].advertisement = nil
      topology.stations[number].services = []
      topology.stations[number].wanted = nil
      topology.stations[number].attempts = [:]
      return topology.connections.filter {
        $0.value.central == number || $0.value.peripheral == number
      }.keys.sorted()
    }
  }

  // MARK: Central

  /// Listens for devices; see `Radio`.
  public func scan(for services: [BluetoothID]) {
    let isFirst = medium.topology.withLock { topology in
      guard topology.stations[number].state == .on else { return false }
      defer { topology.stations[number].wanted = services }
      return topology.stations[number].wanted == nil
    }
    if isFirst { medium.later(.milliseconds(100)) { [number] in $0.sight(number) } }
  }

  /// Listens no longer.
  public func stopScan() { medium.topology.withLock { $0.stations[number].wanted = nil } }

  private func station(_ device: DeviceID) -> Int? {
    medium.topology.withLock { topology in topology.stations.firstIndex { $0.name == device.text } }
  }

  /// Connects; see `Radio`.
  public func connect(to device: DeviceID) {
    let (now, limit) = (medium.clock.now, medium.quality.memoryLimit)
    let answer = medium.topology.withLock {
      topology -> (event: RadioEvent?, attempt: (Int, Int)?) in
      guard topology.stations[number].state == .on,
        let other = topology.stations.firstIndex(where: { $0.name == device.text }),
        topology.remembers(number, other, at: now, limit: limit)
      else { return (.disconnected(device, .unknownDevice), nil) }
      if topology.connection(number, other) != nil { return (.connected(device), nil) }
      topology.lastNumber += 1
      topology.stations[number].attempts[other] = topology.lastNumber
      return (nil, (other, topology.lastNumber))
    }
    if let event = answer.event { medium.report(event, to: number) }
    guard let (other, attempt) = answer.attempt else { return }
    medium.look()
    guard let limit = medium.quality.connectLimit else { return }
    medium.later(limit) { [number] medium in
      let isOver = medium.topology.withLock { topology in
        guard topology.stations[number].attempts[other] == attempt else { return false }
        topology.stations[number].attempts[other] = nil
        topology.stations[number].known[other] = medium.clock.now
        return true
      }
      if isOver { medium.report(.disconnected(device, .outOfRange), to: number) }
    }
  }

  /// Ends a connection or an attempt.
  public func disconnect(from device: DeviceID) {
    let now = medium.clock.now
    guard let other = station(device) else { return }
    let isConnected = medium.topology.withLock { topology -> Bool in
      topology.stations[number].attempts[other] = nil
      guard let connection = topology.connection(number, other) else { return false }
      topology.connections[connection] = nil
      topology.stations[number].known[other] = now
      return true
    }
    medium.report(.disconnected(device, .asked), to: number, after: .milliseconds(30))
    if isConnected {
      medium.report(.left(self.device, .leftOnPurpose), to: other, after: .milliseconds(30))
    }
  }

  /// Forgets a device.
  public func forget(_ device: DeviceID) {
    guard let other = station(device) else { return }
    medium.topology.withLock { $0.stations[number].known[other] = nil }
  }

  /// Asks for services; they come after two meetings.
  public func discover(_ device: DeviceID) {
    guard let other = station(device) else { return }
    let services = medium.topology.withLock { topology in
      topology.connection(number, other) == nil ? nil : topology.stations[other].services
    }
    guard let services else { return }
    _ = medium.send(.event(.discovered(device, services)), from: other, to: number)
  }

  /// Reads a value.
  public func read(_ characteristic: BluetoothID, of device: DeviceID) {
    guard let other = station(device) else { return }
    let found = medium.topology.withLock { topology in
      topology.stations[other].services.flatMap(\.characteristics).first { $0.id == characteristic }
    }
    let event: RadioEvent =
      found.map { .value(device, characteristic, $0.value) } ?? .failed(device, characteristic)
    _ = medium.send(.event(event), from: other, to: number)
  }

  /// Writes a value, and awaits the answer.
  public func write(_ value: [UInt8], to characteristic: BluetoothID, of device: DeviceID) {
    guard let other = station(device) else { return }
    _ = medium.send(
      .write(characteristic, value, awaitsAnswer: true), from: number, to: other)
  }

  /// Writes a value without an answer.
  public func writeWithoutResponse(
    _ value: [UInt8], to characteristic: BluetoothID, of device: DeviceID
  ) -> Bool {
    guard let other = station(device) else { return true }
    return medium.send(
      .write(characteristic, value, awaitsAnswer: false), from: number, to: other, mayWait: false)
  }

  /// Subscribes: both sides hear of it.
  public func subscribe(to characteristic: BluetoothID, of device: DeviceID) {
    guard let other = station(device) else { return }
    let isServed = medium.topology.withLock { topology -> Bool in
      guard let connection = topology.connection(number, other) else { return false }
      topology.connections[connection]?.subscribed.insert(characteristic)
      return topology.stations[other].services.contains {
        $0.characteristics.contains { $0.id == characteristic && $0.uses.contains(.notify) }
      }
    }
    guard isServed else { return medium.report(.failed(device, characteristic), to: number) }
    _ = medium.send(.event(.listening(self.device, characteristic)), from: number, to: other)
    _ = medium.send(.event(.subscribed(device, characteristic)), from: other, to: number)
  }

  /// The MTU less 3, and at most 508, as with BlueZ before 5.69.
  public func valueBytesMax(of device: DeviceID) -> Int { min(medium.quality.mtu - 3, 508) }

  // MARK: Peripheral

  /// Offers services.
  public func serve(_ services: [RadioService]) {
    medium.topology.withLock { $0.stations[number].services = services }
  }

  /// Tells everybody around.
  public func advertise(_ advertisement: Advertisement?) {
    medium.topology.withLock { topology in
      guard topology.stations[number].state == .on else { return }
      topology.stations[number].advertisement = advertisement
    }
    medium.look()
  }

  /// Tells a device of a new value.
  public func notify(
    _ value: [UInt8], of characteristic: BluetoothID, to device: DeviceID
  ) -> Bool {
    guard let other = station(device) else { return true }
    return medium.send(
      .notification(characteristic, value), from: number, to: other, mayWait: false)
  }
}
