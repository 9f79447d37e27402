import ReunionFlow

/// A radio in a simulated air, with the habits of BlueZ: it gives up to connect after 40 s, and forgets a
/// device 30 s after it was connected (`AirQuality`).
public final class SimulatedRadio: Radio {
  private let air: SimulatedAir
  let number: Int

  init(_ air: SimulatedAir, _ number: Int) {
    self.air = air
    self.number = number
  }

  /// What others call it.
  public var device: DeviceID { air.device(number) }

  /// Whether it listens for others.
  public var isScanning: Bool { air.sky.withLock { $0.stations[number].wanted != nil } }

  /// How many bytes of values it was given to send.
  public var givenBytes: Int { air.sky.withLock { $0.givenBytes[number] ?? 0 } }

  /// Begins to deliver events, in place of an earlier program: a process that was killed hears nothing.
  public func start(_ deliver: @escaping @Sendable (RadioEvent) -> Void) {
    let state = air.sky.withLock { sky in
      sky.stations[number].deliver = deliver
      return sky.stations[number].state
    }
    air.report(.state(state), to: number)
  }

  // MARK: What happens to it

  /// Switches it off, or on.
  public func setPower(_ isOn: Bool) {
    leave(isOn ? .on : .off, forgets: false)
    if isOn { air.look() }
  }

  /// The system's service ends, and is back 2 s later, with no memory.
  public func restartService() {
    leave(.serviceLost, forgets: true)
    air.later(.seconds(2)) { [number] air in
      air.sky.withLock { $0.stations[number].state = .on }
      air.report(.state(.on), to: number)
      air.look()
    }
  }

  /// The process that uses it is killed: its connections end, and nothing is asked for any more.
  public func killProcess() {
    air.sky.withLock { $0.stations[number].deliver = nil }
    let numbers = clear()
    for connection in numbers { air.breakOff(connection, .leftOnPurpose) }
  }

  private func leave(_ state: RadioState, forgets: Bool) {
    air.sky.withLock { sky in
      sky.stations[number].state = state
      if forgets { sky.stations[number].known = [:] }
    }
    let numbers = clear()
    air.report(.state(state), to: number)
    for connection in numbers { air.breakOff(connection) }
  }

  /// Forgets what was asked of it; the result are its connections.
  private func clear() -> [Int] {
    air.sky.withLock { sky in
      sky.stations[number].advertisement = nil
      sky.stations[number].services = []
      sky.stations[number].wanted = nil
      sky.stations[number].attempts = [:]
      return sky.connections.filter {
        $0.value.central == number || $0.value.peripheral == number
      }.keys.sorted()
    }
  }

  // MARK: Central

  /// Listens for devices; see `Radio`.
  public func scan(for services: [BluetoothID]) {
    let isFirst = air.sky.withLock { sky in
      guard sky.stations[number].state == .on else { return false }
      defer { sky.stations[number].wanted = services }
      return sky.stations[number].wanted == nil
    }
    if isFirst { air.later(.milliseconds(100)) { [number] in $0.sight(number) } }
  }

  /// Listens no longer.
  public func stopScan() { air.sky.withLock { $0.stations[number].wanted = nil } }

  private func station(_ device: DeviceID) -> Int? {
    air.sky.withLock { sky in sky.stations.firstIndex { $0.name == device.text } }
  }

  /// Connects; see `Radio`.
  public func connect(to device: DeviceID) {
    let (now, limit) = (air.clock.now, air.quality.memoryLimit)
    let answer = air.sky.withLock { sky -> (event: RadioEvent?, attempt: (Int, Int)?) in
      guard sky.stations[number].state == .on,
        let other = sky.stations.firstIndex(where: { $0.name == device.text }),
        sky.remembers(number, other, at: now, limit: limit)
      else { return (.disconnected(device, .unknownDevice), nil) }
      if sky.connection(number, other) != nil { return (.connected(device), nil) }
      sky.lastNumber += 1
      sky.stations[number].attempts[other] = sky.lastNumber
      return (nil, (other, sky.lastNumber))
    }
    if let event = answer.event { air.report(event, to: number) }
    guard let (other, attempt) = answer.attempt else { return }
    air.look()
    guard let limit = air.quality.connectLimit else { return }
    air.later(limit) { [number] air in
      let isOver = air.sky.withLock { sky in
        guard sky.stations[number].attempts[other] == attempt else { return false }
        sky.stations[number].attempts[other] = nil
        sky.stations[number].known[other] = air.clock.now
        return true
      }
      if isOver { air.report(.disconnected(device, .outOfRange), to: number) }
    }
  }

  /// Ends a connection or an attempt.
  public func disconnect(from device: DeviceID) {
    let now = air.clock.now
    guard let other = station(device) else { return }
    let isConnected = air.sky.withLock { sky -> Bool in
      sky.stations[number].attempts[other] = nil
      guard let connection = sky.connection(number, other) else { return false }
      sky.connections[connection] = nil
      sky.stations[number].known[other] = now
      return true
    }
    air.report(.disconnected(device, .asked), to: number, after: .milliseconds(30))
    if isConnected {
      air.report(.left(self.device, .leftOnPurpose), to: other, after: .milliseconds(30))
    }
  }

  /// Forgets a device.
  public func forget(_ device: DeviceID) {
    guard let other = station(device) else { return }
    air.sky.withLock { $0.stations[number].known[other] = nil }
  }

  /// Asks for services; they come after two meetings.
  public func discover(_ device: DeviceID) {
    guard let other = station(device) else { return }
    let services = air.sky.withLock { sky in
      sky.connection(number, other) == nil ? nil : sky.stations[other].services
    }
    guard let services else { return }
    _ = air.send(.event(.discovered(device, services)), from: other, to: number)
  }

  /// Reads a value.
  public func read(_ characteristic: BluetoothID, of device: DeviceID) {
    guard let other = station(device) else { return }
    let found = air.sky.withLock { sky in
      sky.stations[other].services.flatMap(\.characteristics).first { $0.id == characteristic }
    }
    let event: RadioEvent =
      found.map { .value(device, characteristic, $0.value) } ?? .failed(device, characteristic)
    _ = air.send(.event(event), from: other, to: number)
  }

  /// Writes a value, and awaits the answer.
  public func write(_ value: [UInt8], to characteristic: BluetoothID, of device: DeviceID) {
    guard let other = station(device) else { return }
    _ = air.send(
      .write(characteristic, value, awaitsAnswer: true), from: number, to: other)
  }

  /// Writes a value without an answer.
  public func writeWithoutResponse(
    _ value: [UInt8], to characteristic: BluetoothID, of device: DeviceID
  ) -> Bool {
    guard let other = station(device) else { return true }
    return air.send(
      .write(characteristic, value, awaitsAnswer: false), from: number, to: other, mayWait: false)
  }

  /// Subscribes: both sides hear of it.
  public func subscribe(to characteristic: BluetoothID, of device: DeviceID) {
    guard let other = station(device) else { return }
    let isServed = air.sky.withLock { sky -> Bool in
      guard let connection = sky.connection(number, other) else { return false }
      sky.connections[connection]?.subscribed.insert(characteristic)
      return sky.stations[other].services.contains {
        $0.characteristics.contains { $0.id == characteristic && $0.uses.contains(.notify) }
      }
    }
    guard isServed else { return air.report(.failed(device, characteristic), to: number) }
    _ = air.send(.event(.listening(self.device, characteristic)), from: number, to: other)
    _ = air.send(.event(.subscribed(device, characteristic)), from: other, to: number)
  }

  /// The MTU less 3, and at most 508, as with BlueZ before 5.69.
  public func valueBytesMax(of device: DeviceID) -> Int { min(air.quality.mtu - 3, 508) }

  // MARK: Peripheral

  /// Offers services.
  public func serve(_ services: [RadioService]) {
    air.sky.withLock { $0.stations[number].services = services }
  }

  /// Tells everybody around.
  public func advertise(_ advertisement: Advertisement?) {
    air.sky.withLock { sky in
      guard sky.stations[number].state == .on else { return }
      sky.stations[number].advertisement = advertisement
    }
    air.look()
  }

  /// Tells a device of a new value.
  public func notify(
    _ value: [UInt8], of characteristic: BluetoothID, to device: DeviceID
  ) -> Bool {
    guard let other = station(device) else { return true }
    return air.send(.notification(characteristic, value), from: number, to: other, mayWait: false)
  }
}
