import PrivateBus
import ReunionBluetooth
import ReunionDesktop
import ReunionFlow
import Waiting

/// Plays `org.bluez` on a private bus: an adapter, and what a test puts there. The real one runs in the lane.
final class FakeBlueZ: Sendable {
  typealias Properties = [String: BusValue]
  static let adapter = "/org/bluez/hci0"

  enum Answer: Sendable {
    case reply([BusValue])
    case fail(String, String)
    /// None, until the test gives one.
    case later
  }

  private struct State {
    var objects: [String: [String: Properties]] = [:]
    var answers: [String: Answer] = [:]
    var reactions: [String: @Sendable (FakeBlueZ) -> Void] = [:]
    var calls: [BusRequest] = []
    var held: [BusRequest] = []
  }

  let bus: Bus
  private let state = Lock(State())
  private let export = Lock<BusRegistration?>(nil)

  /// Appears on the bus.
  init(_ daemon: PrivateBus, isOn: Bool = true, hasAdapter: Bool = true) async throws {
    bus = try daemon.connect()
    if hasAdapter {
      state.withLock {
        $0.objects[Self.adapter] = [
          "org.bluez.Adapter1": [
            "Powered": .bool(isOn), "Modalias": .string("usb:v1D6Bp0246d0542"),
          ]
        ]
      }
    }
    let registration = bus.export("/") { [weak self] in self?.take($0) }
    export.withLock { $0 = registration }
    _ = try await bus.call(.ofBus("RequestName", [.string("org.bluez"), .uint32(4)]))
  }

  private func take(_ request: BusRequest) {
    if request.method == "GetManagedObjects" {
      return request.reply([Self.tree(state.withLock { $0.objects })])
    }
    let answer = state.withLock { state in
      state.calls.append(request)
      let answer =
        state.answers[request.path + " " + request.method] ?? state.answers[request.method]
        ?? .reply([])
      if case .later = answer { state.held.append(request) }
      return answer
    }
    let reaction = state.withLock { $0.reactions[request.method] }
    defer { reaction?(self) }
    switch answer {
    case .reply(let values): request.reply(values)
    case .fail(let name, let message): request.fail(BusError(name, message))
    case .later: break
    }
  }

  private static func tree(_ objects: [String: [String: Properties]]) -> BusValue {
    var tree: [BusValue: BusValue] = [:]
    for (path, interfaces) in objects { tree[.path(path)] = value(interfaces) }
    return .dictionary("oa{sa{sv}}", tree)
  }

  private static func value(_ interfaces: [String: Properties]) -> BusValue {
    var value: [BusValue: BusValue] = [:]
    for (name, properties) in interfaces { value[.string(name)] = .properties(properties) }
    return .dictionary("sa{sv}", value)
  }

  // MARK: What a test does

  /// From now on this method is answered so.
  func answer(_ method: String, _ answer: Answer) {
    state.withLock { $0.answers[method] = answer }
  }

  /// The same, for one object.
  func answer(_ method: String, at path: String, _ answer: Answer) {
    state.withLock { $0.answers[path + " " + method] = answer }
  }

  /// Does something each time that a method is called, after the answer.
  func whenCalled(_ method: String, _ react: @escaping @Sendable (FakeBlueZ) -> Void) {
    state.withLock { $0.reactions[method] = react }
  }

  /// The calls of a method so far.
  func calls(_ method: String) -> [BusRequest] {
    state.withLock { $0.calls.filter { $0.method == method } }
  }

  /// Waits until a method was called this many times, and gives the last of these calls.
  @discardableResult
  func called(_ method: String, times count: Int = 1) async throws -> BusRequest {
    try await find("\(method) is called \(count) times", every: .milliseconds(2)) {
      calls(method).dropFirst(count - 1).first
    }
  }

  /// Those that wait for an answer, from now on the test's.
  func takeHeld() -> [BusRequest] {
    state.withLock { state in
      defer { state.held = [] }
      return state.held
    }
  }

  func add(_ path: String, _ interfaces: [String: Properties]) {
    state.withLock { $0.objects[path, default: [:]].merge(interfaces) { $1 } }
    bus.emit(
      "/", "org.freedesktop.DBus.ObjectManager", "InterfacesAdded",
      [.path(path), Self.value(interfaces)])
  }

  func remove(_ path: String) {
    let names = state.withLock { $0.objects.removeValue(forKey: path) ?? [:] }.keys.sorted()
    bus.emit(
      "/", "org.freedesktop.DBus.ObjectManager", "InterfacesRemoved",
      [.path(path), .strings(names)])
  }

  func change(_ path: String, _ interface: String, _ properties: Properties) {
    state.withLock { $0.objects[path]?[interface]?.merge(properties) { $1 } }
    bus.emit(
      path, "org.freedesktop.DBus.Properties", "PropertiesChanged",
      [.string(interface), .properties(properties), .strings([])])
  }

  func emit(_ path: String, _ interface: String, _ member: String, _ arguments: [BusValue]) {
    bus.emit(path, interface, member, arguments)
  }

  /// A device with one service of three characteristics; it is seen, but not connected.
  func addDevice(_ name: String, services: [BluetoothID] = [Sample.service]) -> String {
    let path = "\(Self.adapter)/dev_\(name)"
    add(
      path,
      [
        "org.bluez.Device1": [
          "Name": .string(name), "RSSI": .int16(-61), "Connected": .bool(false),
          "ServicesResolved": .bool(false), "UUIDs": .strings(services.map(\.description)),
          "ManufacturerData": .dictionary("qv", [.uint16(0x004C): .variant(.bytes([1, 2]))]),
        ]
      ])
    return path
  }

  /// The device is connected, and its services are known.
  func resolve(_ path: String, mtu: UInt16 = 517) {
    change(path, "org.bluez.Device1", ["Connected": .bool(true)])
    addService(path + "/service0001", mtu: mtu)
    change(path, "org.bluez.Device1", ["ServicesResolved": .bool(true)])
  }

  /// A service with its three characteristics.
  func addService(_ path: String, mtu: UInt16 = 517) {
    add(path, ["org.bluez.GattService1": ["UUID": .string(Sample.service.description)]])
    for (number, (id, flags)) in Sample.characteristics.enumerated() {
      add(
        "\(path)/char000\(number + 2)",
        [
          "org.bluez.GattCharacteristic1": [
            "UUID": .string(id.description), "Service": .path(path), "Flags": .strings(flags),
            "MTU": .uint16(mtu),
          ]
        ])
    }
  }

  /// Leaves the bus, as when the service ends.
  func leave() async throws {
    _ = try await bus.call(.ofBus("ReleaseName", [.string("org.bluez")]))
  }
}

/// The service that the tests use.
enum Sample {
  static let service = BluetoothID(assigned: 0x180D)
  static let inward = BluetoothID(assigned: 0x2A01)
  static let outward = BluetoothID(assigned: 0x2A02)
  static let body = BluetoothID(assigned: 0x2A38)
  static let characteristics: [(BluetoothID, [String])] = [
    (inward, ["write", "write-without-response"]), (outward, ["notify"]), (body, ["read"]),
  ]
}

/// What a radio has reported, in order, for a test that awaits it. It holds the radio and what that speaks
/// with: a test may use none of them after it began to wait.
final class Events: Sendable {
  private let radio: BlueZRadio
  private let others: [any Sendable]
  private let stream: AsyncStream<RadioEvent>
  private let iterator: Lock<AsyncStream<RadioEvent>.Iterator>

  init(_ radio: BlueZRadio, keeping others: any Sendable...) {
    self.radio = radio
    self.others = others
    let (stream, yield) = AsyncStream.makeStream(of: RadioEvent.self)
    self.stream = stream
    iterator = Lock(stream.makeAsyncIterator())
    radio.start { yield.yield($0) }
  }

  /// The next one.
  func next() async -> String {
    var iterator = iterator.withLock { $0 }
    let event = await iterator.next()
    withExtendedLifetime(self) {}
    guard let event else { return "nothing" }
    return ["ReunionBluetooth.", "RadioState.", "DisconnectReason."]
      .reduce("\(event)") { $0.replacing($1, with: "") }
  }
}
