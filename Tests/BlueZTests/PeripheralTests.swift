import Glibc
import PrivateBus
import ReunionBluetooth
import ReunionCore
import ReunionDesktop
import ReunionFlow
import Testing
import Waiting

/// Being found and used through BlueZ.
@Suite struct BlueZPeripheralTests {
  static let services = [
    RadioService(
      Sample.service,
      [
        RadioService.Characteristic(Sample.inward, [.write, .writeWithoutResponse]),
        RadioService.Characteristic(Sample.outward, .notify),
        RadioService.Characteristic(Sample.body, .read, value: [1, 2, 3]),
      ])
  ]

  /// A radio that serves, and what BlueZ has read of it.
  struct Setup {
    let daemon: PrivateBus
    let fake: FakeBlueZ
    let radio: BlueZRadio
    let events: Events
    let clock = TestClock()
    let sender: String
    /// The paths of the characteristics, by name.
    let paths: [String: String]

    init() async throws {
      daemon = try PrivateBus()
      fake = try await FakeBlueZ(daemon)
      radio = BlueZRadio(.at(daemon.address), clock: clock)
      events = Events(radio, keeping: daemon, fake)
      #expect(await events.next() == "state(on)")
      radio.serve(BlueZPeripheralTests.services)
      let fake = fake
      let request = try await fake.called("RegisterApplication")
      sender = request.sender
      let root = request.arguments[0].asText ?? ""
      let tree = try await fake.bus.call(
        BusCall(sender, root, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects"))
      var paths: [String: String] = [:]
      for (path, interfaces) in tree.first?.asDictionary ?? [:] {
        for (_, properties) in interfaces.asDictionary ?? [:] {
          guard let id = properties.asProperties?["UUID"]?.asText else { continue }
          paths[id] = path.asText
        }
      }
      self.paths = paths
    }

    /// Waits for a call of the radio, and keeps all that it needs for it.
    @discardableResult
    func called(_ method: String, times count: Int = 1) async throws -> BusRequest {
      try await fake.called(method, times: count)
    }

    func call(
      _ id: BluetoothID, _ method: String, _ arguments: [BusValue], from bus: Bus? = nil
    ) async throws -> [BusValue] {
      try await (bus ?? fake.bus).call(
        BusCall(
          sender, paths[id.description] ?? "/", "org.bluez.GattCharacteristic1", method, arguments))
    }

    func options(_ device: String, mtu: UInt16 = 185) -> BusValue {
      .properties(["device": .path(device), "mtu": .uint16(mtu)])
    }
  }

  @Test func `what is served is there, is read, and takes what others write`() async throws {
    let setup = try await Setup()
    #expect(setup.paths.count == 4)
    let device = "\(FakeBlueZ.adapter)/dev_AA"
    let value = try await setup.call(
      Sample.body, "ReadValue", [.properties(["offset": .uint16(1)])])
    #expect(value == [.bytes([2, 3])])
    _ = try await setup.call(Sample.inward, "WriteValue", [.bytes([7, 8]), setup.options(device)])
    #expect(await setup.events.next() == "received(\(device), \(Sample.inward), [7, 8])")
    await #expect(throws: BusError.self) {
      try await setup.call(
        Sample.body, "ReadValue", [.properties(["offset": .uint16(9)])])
    }
  }

  @Test func `one device is told what others are not`() async throws {
    let setup = try await Setup()
    let devices = ["AA", "BB"].map { DeviceID("\(FakeBlueZ.adapter)/dev_\($0)") }
    var ends: [BusDescriptor] = []
    for device in devices {
      let answer = try await setup.call(
        Sample.outward, "AcquireNotify", [setup.options(device.text)])
      ends.append(try #require(answer.first?.asDescriptor))
      #expect(answer.last == .uint16(185))
      #expect(await setup.events.next() == "listening(\(device), \(Sample.outward))")
    }
    #expect(setup.radio.valueBytesMax(of: devices[0]) == 182)
    #expect(setup.radio.notify([1, 2], of: Sample.outward, to: devices[0]))
    var buffer = [UInt8](repeating: 0, count: 600)
    #expect(recv(ends[0].number, &buffer, 600, 0) == 2)
    #expect(recv(ends[1].number, &buffer, 600, 0) == -1)
    // It pushes back when BlueZ does not read, and says when there is room again.
    var count = 0
    while setup.radio.notify([UInt8](repeating: 0, count: 180), of: Sample.outward, to: devices[0])
    {
      count += 1
      if count > 1000 { break }
    }
    #expect(count > 8 && count < 500)
    while recv(ends[0].number, &buffer, 600, 0) > 0 {}
    #expect(await setup.events.next() == "writable(\(devices[0]))")
    // The other one stops listening.
    ends.removeLast()
    #expect(await setup.events.next() == "left(\(devices[1]), leftOnPurpose)")
  }

  @Test func `others on the bus can neither read, write nor listen`() async throws {
    let setup = try await Setup()
    let stranger = try setup.daemon.connect()
    for (method, arguments): (String, [BusValue]) in [
      ("ReadValue", [.properties([:])]), ("WriteValue", [.bytes([1]), .properties([:])]),
      ("AcquireNotify", [.properties([:])]),
    ] {
      await #expect {
        try await setup.call(Sample.inward, method, arguments, from: stranger)
      } throws: { error in
        (error as? BusError)?.name == BusError.accessDenied
      }
    }
  }

  @Test func `an advertisement says what it should, is replaced, and is taken back`() async throws {
    let setup = try await Setup()
    let first = Advertisement(
      services: [Sample.service], name: "here", manufacturerData: [0x4C, 0x00, 5])
    setup.radio.advertise(first)
    let request = try await setup.called("RegisterAdvertisement")
    let answer = try await setup.fake.bus.call(
      BusCall(
        setup.sender, request.arguments[0].asText ?? "", "org.freedesktop.DBus.Properties",
        "GetAll", [.string("org.bluez.LEAdvertisement1")]))
    let properties = answer.first?.asProperties
    #expect(properties?["ServiceUUIDs"]?.asTexts == [Sample.service.description])
    #expect(properties?["LocalName"] == .string("here"))
    #expect(properties?["Discoverable"] == .bool(true))
    #expect(
      properties?["ManufacturerData"]
        == .dictionary("qv", [.uint16(0x4C): .variant(.bytes([5]))]))
    setup.radio.advertise(Advertisement(services: [Sample.service]))
    try await setup.called("RegisterAdvertisement", times: 2)
    let taken = setup.fake.calls("UnregisterAdvertisement").map { $0.arguments[0] }
    #expect(taken == [request.arguments[0]])
    setup.radio.advertise(nil)
    try await setup.called("UnregisterAdvertisement", times: 2)
  }

  @Test func `what BlueZ refuses is asked again, less and less often`() async throws {
    let setup = try await Setup()
    setup.fake.answer("RegisterAdvertisement", .fail("org.bluez.Error.NotPermitted", "Maximum"))
    setup.radio.advertise(Advertisement(services: [Sample.service]))
    for count in 1...4 {
      try await eventually("BlueZ is asked \(count) times") {
        if count > 1 { setup.clock.advance(by: .seconds(1)) }
        return setup.fake.calls("RegisterAdvertisement").count >= count
      }
    }
    setup.fake.answer("RegisterAdvertisement", .reply([]))
    let count = setup.fake.calls("RegisterAdvertisement").count
    try await eventually("BlueZ is asked once more") {
      setup.clock.advance(by: .seconds(1))
      return setup.fake.calls("RegisterAdvertisement").count > count
    }
    // It has it now: nothing is asked again.
    _ = try await setup.fake.bus.call(.ofBus("GetId"))
    setup.clock.advance(by: .seconds(100))
    _ = try await setup.call(Sample.body, "ReadValue", [.properties([:])])
    #expect(setup.fake.calls("RegisterAdvertisement").count == count + 1)
  }

  @Test func `a device that is gone is told, and a service that restarts is served again`()
    async throws
  {
    let setup = try await Setup()
    let path = setup.fake.addDevice("AA")
    let answer = try await setup.call(Sample.outward, "AcquireNotify", [setup.options(path)])
    #expect(await setup.events.next().hasPrefix("listening"))
    setup.fake.change(path, "org.bluez.Device1", ["Connected": .bool(false)])
    #expect(await setup.events.next() == "left(\(path), unknown)")
    withExtendedLifetime(answer) {}
    try await setup.fake.leave()
    let lost = await setup.events.next()
    #expect(lost == "state(serviceLost)" || lost == "state(unsupported)")
    let next = try await FakeBlueZ(setup.daemon)
    #expect(await setup.events.next() == "state(on)")
    setup.radio.serve(Self.services)
    let request = try await next.called("RegisterApplication")
    let tree = try await next.bus.call(
      BusCall(
        setup.sender, request.arguments[0].asText ?? "", "org.freedesktop.DBus.ObjectManager",
        "GetManagedObjects"))
    #expect(tree.first?.asDictionary?.count == 4)
  }

  @Test(arguments: [(SeededBugs(), 1), (SeededBugs([SeededBug.servesAsBefore]), 0)])
  func `a service that restarts gets all anew, but from a radio with the bug (negative control)`(
    bugs: SeededBugs, count: Int
  ) async throws {
    let daemon = try PrivateBus()
    let fake = try await FakeBlueZ(daemon)
    let radio = BlueZRadio(
      .at(daemon.address), adapterFolder: try StateTests.folder(["hci0"]), seededBugs: bugs)
    let events = Events(radio)
    #expect(await events.next() == "state(on)")
    radio.serve(Self.services)
    try await fake.called("RegisterApplication")
    try await fake.leave()
    #expect(await events.next() == "state(serviceLost)")
    let again = try await FakeBlueZ(daemon)
    #expect(await events.next() == "state(on)")
    radio.serve(Self.services)
    radio.advertise(Advertisement(services: [Sample.service]))
    // What was asked for first is here first.
    try await again.called("RegisterAdvertisement")
    #expect(again.calls("RegisterApplication").count == count)
  }
}
