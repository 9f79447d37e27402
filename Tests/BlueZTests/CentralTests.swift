import PrivateBus
import ReunionBluetooth
import ReunionDesktop
import ReunionFlow
import Testing
import Waiting

/// Finding and using devices through BlueZ, at the edges that the real one seldom shows.
@Suite struct BlueZCentralTests {
  struct Setup {
    let daemon: PrivateBus
    let fake: FakeBlueZ
    let radio: BlueZRadio
    let events: Events
    let clock = TestClock()

    init() async throws {
      daemon = try PrivateBus()
      fake = try await FakeBlueZ(daemon)
      radio = BlueZRadio(.at(daemon.address), clock: clock)
      events = Events(radio, keeping: daemon, fake)
      #expect(await events.next() == "state(on)")
    }

    /// Waits for a call of the radio, and keeps all that it needs for it.
    @discardableResult
    func called(_ method: String, times count: Int = 1) async throws -> BusRequest {
      try await fake.called(method, times: count)
    }

    /// A device that is connected, and has told its services.
    func connected() async -> DeviceID {
      let path = fake.addDevice("AA")
      let device = DeviceID(path)
      radio.connect(to: device)
      var event = await events.next()
      // The radio may not have heard of the device yet.
      while event == "disconnected(\(path), unknownDevice)" {
        radio.connect(to: device)
        event = await events.next()
      }
      #expect(event == "connected(\(path))")
      radio.discover(device)
      fake.resolve(path)
      #expect(await events.next().hasPrefix("discovered(\(path)"))
      return device
    }
  }

  @Test func `a scan hands on what it was asked for, with all that a device tells`() async throws {
    let setup = try await Setup()
    setup.fake.answer("StartDiscovery", .fail("org.bluez.Error.InProgress", "Busy"))
    setup.radio.scan(for: [Sample.service])
    try await setup.called("StartDiscovery")
    setup.fake.answer("StartDiscovery", .reply([]))
    // What failed is tried again after a second.
    try await eventually("a scan begins again") {
      setup.clock.advance(by: .seconds(1))
      return setup.fake.calls("StartDiscovery").count >= 2
    }
    let filter = setup.fake.calls("SetDiscoveryFilter").last?.arguments.first?.asProperties
    #expect(filter?["UUIDs"]?.asTexts == [Sample.service.description])
    #expect(filter?["Transport"] == .string("le"))
    _ = setup.fake.addDevice("OTHER", services: [BluetoothID(assigned: 0x1800)])
    let path = setup.fake.addDevice("AA")
    let seen = await setup.events.next()
    #expect(seen.contains(path) && seen.contains("-61") && seen.contains("[76, 0, 1, 2]"))
    setup.fake.change(path, "org.bluez.Device1", ["RSSI": .int16(-70)])
    #expect(await setup.events.next().contains("-70"))
    setup.radio.stopScan()
    try await setup.called("StopDiscovery")
    setup.fake.change(path, "org.bluez.Device1", ["RSSI": .int16(-75)])
    // Nothing comes of that: the next event is another one.
    setup.fake.change(FakeBlueZ.adapter, "org.bluez.Adapter1", ["Powered": .bool(false)])
    #expect(await setup.events.next() == "state(off)")
  }

  @Test func `what another program hears already is told when a scan begins`() async throws {
    let setup = try await Setup()
    setup.radio.scan(for: [])
    let path = setup.fake.addDevice("AA")
    _ = setup.fake.addDevice("OTHER", services: [BluetoothID(assigned: 0x1800)])
    for _ in 0..<2 { #expect(await setup.events.next().hasPrefix("sighted")) }
    setup.radio.stopScan()
    setup.radio.scan(for: [Sample.service])
    let event = await setup.events.next()
    #expect(event.hasPrefix("sighted") && event.contains(path))
    // The other one offers something else.
    setup.fake.change(FakeBlueZ.adapter, "org.bluez.Adapter1", ["Powered": .bool(false)])
    #expect(await setup.events.next() == "state(off)")
  }

  @Test func `a device whose services are old is believed to have passed BlueZ's filter`()
    async throws
  {
    let setup = try await Setup()
    let device = await setup.connected()
    setup.fake.change(device.text, "org.bluez.Device1", ["Connected": .bool(false)])
    #expect(await setup.events.next().hasPrefix("disconnected"))
    let other = BluetoothID(assigned: 0x1234)
    setup.radio.scan(for: [other])
    try await setup.called("StartDiscovery")
    // One whose services were never asked for is not.
    _ = setup.fake.addDevice("BB")
    setup.fake.change(device.text, "org.bluez.Device1", ["RSSI": .int16(-50)])
    let event = await setup.events.next()
    #expect(event.contains(device.text) && event.contains(other.description))
  }

  @Test(arguments: [
    ("org.bluez.Error.Failed", "le-connection-abort-by-local", 41, "outOfRange"),
    ("org.bluez.Error.Failed", "le-connection-abort-by-local", 1, "notEstablished"),
    ("org.bluez.Error.Failed", "le-connection-refused", 0, "refused"),
    ("org.bluez.Error.Failed", "le-connection-timeout", 0, "outOfRange"),
    ("org.bluez.Error.Failed", "le-connection-unknown", 0, "notEstablished"),
    ("org.freedesktop.DBus.Error.UnknownObject", "Gone", 0, "unknownDevice"),
    ("org.bluez.Error.AuthenticationRejected", "", 0, "refused"),
  ])
  func `an attempt that fails has a reason`(
    name: String, message: String, seconds: Int, reason: String
  ) async throws {
    let setup = try await Setup()
    setup.radio.scan(for: [])
    let path = setup.fake.addDevice("AA")
    #expect(await setup.events.next().hasPrefix("sighted"))
    setup.fake.answer("Connect", .later)
    setup.radio.connect(to: DeviceID(path))
    try await setup.called("Connect")
    setup.clock.advance(by: .seconds(seconds))
    for request in setup.fake.takeHeld() { request.fail(BusError(name, message)) }
    #expect(await setup.events.next() == "disconnected(\(path), \(reason))")
  }

  @Test(arguments: [
    ("org.bluez.Error.InProgress", ""), ("org.bluez.Error.Failed", "Operation already in progress"),
  ])
  func `an attempt that is under way already is waited for`(
    name: String, message: String
  ) async throws {
    let setup = try await Setup()
    setup.radio.scan(for: [])
    let path = setup.fake.addDevice("AA")
    #expect(await setup.events.next().hasPrefix("sighted"))
    setup.fake.answer("Connect", .fail(name, message))
    setup.radio.connect(to: DeviceID(path))
    for count in 1...3 {
      try await eventually("attempt \(count) begins") {
        if count > 1 { setup.clock.advance(by: .seconds(1)) }
        return setup.fake.calls("Connect").count >= count
      }
    }
    setup.fake.answer("Connect", .reply([]))
    let connected = Lock<String?>(nil)
    let waiting = Task {
      let next = await setup.events.next()
      connected.withLock { $0 = next }
    }
    try await eventually("it is connected") {
      setup.clock.advance(by: .seconds(1))
      return connected.withLock { $0 } != nil
    }
    await waiting.value
    #expect(connected.withLock { $0 } == "connected(\(path))")
  }

  @Test func `a scan rests while a connection begins, and goes on`() async throws {
    let setup = try await Setup()
    setup.radio.scan(for: [])
    let path = setup.fake.addDevice("AA")
    #expect(await setup.events.next().hasPrefix("sighted"))
    try await setup.called("StartDiscovery")
    setup.fake.answer("Connect", .later)
    setup.radio.connect(to: DeviceID(path))
    try await setup.called("Connect")
    try await setup.called("StopDiscovery")
    // A device that is far away does not end it.
    try await eventually("the scan goes on") {
      setup.clock.advance(by: .seconds(1))
      return setup.fake.calls("StartDiscovery").count == 2
    }
    for request in setup.fake.takeHeld() { request.reply() }
    #expect(await setup.events.next() == "connected(\(path))")
    setup.radio.disconnect(from: DeviceID(path))
    #expect(await setup.events.next() == "disconnected(\(path), asked)")
    // Nor does one that is there.
    setup.fake.answer("Connect", .reply([]))
    setup.radio.connect(to: DeviceID(path))
    #expect(await setup.events.next() == "connected(\(path))")
    try await setup.called("StartDiscovery", times: 3)
    #expect(setup.fake.calls("StopDiscovery").count == 2)
  }

  @Test func `a device that BlueZ does not know is not waited for`() async throws {
    let setup = try await Setup()
    setup.radio.connect(to: DeviceID("/org/bluez/hci0/dev_NOBODY"))
    #expect(
      await setup.events.next() == "disconnected(/org/bluez/hci0/dev_NOBODY, unknownDevice)")
  }

  @Test func `an attempt that is ended answers once, and its late answer means nothing`()
    async throws
  {
    let setup = try await Setup()
    setup.radio.scan(for: [])
    let path = setup.fake.addDevice("AA")
    #expect(await setup.events.next().hasPrefix("sighted"))
    setup.fake.answer("Connect", .later)
    setup.radio.connect(to: DeviceID(path))
    try await setup.called("Connect")
    setup.radio.disconnect(from: DeviceID(path))
    #expect(await setup.events.next() == "disconnected(\(path), asked)")
    for request in setup.fake.takeHeld() { request.reply() }
    setup.radio.connect(to: DeviceID("/org/bluez/hci0/dev_NOBODY"))
    #expect(await setup.events.next().hasPrefix("disconnected(/org/bluez/hci0/dev_NOBODY"))
  }

  @Test func `values are read, written, and told of those that were subscribed to`() async throws {
    let setup = try await Setup()
    let device = await setup.connected()
    #expect(setup.radio.valueBytesMax(of: device) == 508)
    setup.fake.answer("ReadValue", .reply([.bytes([1, 2, 3])]))
    setup.radio.read(Sample.body, of: device)
    #expect(await setup.events.next() == "value(\(device), \(Sample.body), [1, 2, 3])")
    setup.radio.write([9], to: Sample.inward, of: device)
    #expect(await setup.events.next() == "written(\(device), \(Sample.inward))")
    let options = setup.fake.calls("WriteValue").last?.arguments.last?.asProperties
    #expect(options?["type"] == .string("request"))
    setup.radio.read(BluetoothID(assigned: 0x2AFF), of: device)
    #expect(
      await setup.events.next() == "failed(\(device), Optional(\(BluetoothID(assigned: 0x2AFF))))")
    let outward = device.text + "/service0001/char0003"
    setup.fake.change(outward, "org.bluez.GattCharacteristic1", ["Value": .bytes([0])])
    setup.radio.subscribe(to: Sample.outward, of: device)
    #expect(await setup.events.next() == "subscribed(\(device), \(Sample.outward))")
    setup.fake.change(outward, "org.bluez.GattCharacteristic1", ["Value": .bytes([7])])
    #expect(await setup.events.next() == "value(\(device), \(Sample.outward), [7])")
  }

  @Test func `there is an end to what BlueZ is given at once`() async throws {
    let setup = try await Setup()
    let device = await setup.connected()
    setup.fake.answer("WriteValue", .later)
    var given = 0
    while setup.radio.writeWithoutResponse([UInt8(given)], to: Sample.inward, of: device) {
      given += 1
      if given == 1000 { break }
    }
    #expect(given == 16)
    try await setup.called("WriteValue", times: 16)
    for request in setup.fake.takeHeld() { request.reply() }
    #expect(await setup.events.next() == "writable(\(device))")
    let values = setup.fake.calls("WriteValue").map { $0.arguments[0] }
    #expect(values == (0..<16).map { .bytes([$0]) })
    #expect(setup.radio.writeWithoutResponse([1], to: Sample.inward, of: device))
  }

  @Test(arguments: [
    ("org.bluez.Reason.Timeout", "outOfRange"), ("org.bluez.Reason.Remote", "leftOnPurpose"),
    ("org.bluez.Reason.Authentication", "keyLost"), ("org.bluez.Reason.Unknown", "unknown"),
    ("", "unknown"),
  ])
  func `the end of a connection has the reason that BlueZ gives, if it gives one`(
    name: String, reason: String
  ) async throws {
    let setup = try await Setup()
    let device = await setup.connected()
    if !name.isEmpty {
      setup.fake.emit(
        device.text, "org.bluez.Device1", "Disconnected", [.string(name), .string("")])
    }
    setup.fake.change(device.text, "org.bluez.Device1", ["Connected": .bool(false)])
    #expect(await setup.events.next() == "disconnected(\(device), \(reason))")
    #expect(setup.radio.writeWithoutResponse([1], to: Sample.inward, of: device))
    #expect(setup.fake.calls("WriteValue").isEmpty)
  }

  @Test func `a service that goes while the connection stands is told`() async throws {
    let setup = try await Setup()
    let device = await setup.connected()
    setup.radio.subscribe(to: Sample.outward, of: device)
    #expect(await setup.events.next().hasPrefix("subscribed"))
    setup.fake.remove(device.text + "/service0001/char0002")
    setup.fake.remove(device.text + "/service0001/char0003")
    #expect(await setup.events.next() == "failed(\(device), Optional(\(Sample.outward)))")
  }

  @Test func `what BlueZ said before its end means nothing after it`() async throws {
    let setup = try await Setup()
    setup.radio.scan(for: [])
    let path = setup.fake.addDevice("AA")
    #expect(await setup.events.next().hasPrefix("sighted"))
    setup.fake.answer("Connect", .later)
    setup.radio.connect(to: DeviceID(path))
    try await setup.called("Connect")
    try await setup.fake.leave()
    let event = await setup.events.next()
    #expect(event == "state(serviceLost)" || event == "state(unsupported)")
    for request in setup.fake.takeHeld() { request.reply() }
    let next = try await FakeBlueZ(setup.daemon)
    #expect(await setup.events.next() == "state(on)")
    setup.radio.connect(to: DeviceID(path))
    #expect(await setup.events.next() == "disconnected(\(path), unknownDevice)")
    withExtendedLifetime(next) {}
  }

  @Test func `what is paired with the system is not forgotten`() async throws {
    let setup = try await Setup()
    let device = await setup.connected()
    // An event tells that the radio has heard what BlueZ said before it.
    func leave(isPaired: Bool) async {
      setup.fake.change(device.text, "org.bluez.Device1", ["Paired": .bool(isPaired)])
      setup.fake.change(device.text, "org.bluez.Device1", ["Connected": .bool(false)])
      #expect(await setup.events.next().hasPrefix("disconnected"))
    }
    await leave(isPaired: true)
    setup.radio.forget(device)
    // The radio does one after the other: when it is connected, it has passed the first.
    setup.radio.connect(to: device)
    #expect(await setup.events.next() == "connected(\(device))")
    #expect(setup.fake.calls("RemoveDevice").isEmpty)
    await leave(isPaired: false)
    setup.radio.forget(device)
    try await setup.called("RemoveDevice")
  }
}
