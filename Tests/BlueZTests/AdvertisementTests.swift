import ReunionBluetooth
import ReunionDesktop
import ReunionFlow
import Testing

/// What goes on the air, and what is heard of it.
@Suite struct AdvertisementTests {
  typealias Setup = BlueZPeripheralTests.Setup
  static let beacon = (0..<12).map { UInt8($0 * 20) }

  /// What BlueZ reads of an advertisement.
  static func properties(
    of advertisement: Advertisement, _ setup: Setup
  ) async throws -> [String: BusValue]? {
    setup.radio.advertise(advertisement)
    let request = try await setup.called("RegisterAdvertisement")
    return try await setup.fake.bus.call(
      BusCall(
        setup.sender, request.arguments[0].asText ?? "", "org.freedesktop.DBus.Properties",
        "GetAll", [.string("org.bluez.LEAdvertisement1")])
    ).first?.asProperties
  }

  @Test func `a beacon is on the air in place of a name, and is heard as what it is`() async throws
  {
    let setup = try await Setup()
    var advertisement = ReunionService.advertisement
    advertisement.serviceData = [ReunionService.id: Self.beacon]
    let properties = try #require(try await Self.properties(of: advertisement, setup))
    #expect(properties["ServiceUUIDs"]?.asTexts == [ReunionService.id.description])
    // BlueZ would refuse an advertisement of 51 bytes.
    #expect(properties["ServiceData"] == nil)
    let name = try #require(properties["LocalName"]?.asText)
    #expect(name.utf8.count <= 29)
    // Another one hears it.
    let other = try await BlueZCentralTests.Setup()
    other.radio.scan(for: [ReunionService.id])
    try await other.called("StartDiscovery")
    let path = other.fake.addDevice("AA", services: [ReunionService.id])
    #expect(await other.events.next().contains("serviceData: [:]"))
    other.fake.change(path, "org.bluez.Device1", ["Name": .string(name)])
    let heard = await other.events.next()
    #expect(heard.contains("serviceData: [\(ReunionService.id): \(Self.beacon)]"), "\(heard)")
    #expect(heard.contains("name: nil"))
  }

  @Test func `data that fits goes as such, and is heard as such`() async throws {
    let setup = try await Setup()
    let heart = BluetoothID(assigned: 0x180D)
    let advertisement = Advertisement(
      services: [heart], name: "strap", serviceData: [heart: [1, 2, 3]])
    let properties = try #require(try await Self.properties(of: advertisement, setup))
    #expect(properties["LocalName"] == .string("strap"))
    let data = try #require(properties["ServiceData"])
    #expect(data.asProperties == [heart.description: .bytes([1, 2, 3])])
    let other = try await BlueZCentralTests.Setup()
    other.radio.scan(for: [])
    let path = other.fake.addDevice("AA")
    _ = await other.events.next()
    other.fake.change(path, "org.bluez.Device1", ["ServiceData": data])
    #expect(await other.events.next().contains("serviceData: [\(heart): [1, 2, 3]]"))
  }

  @Test func `a name that looks odd is a name, and damaged data is none`() async throws {
    let setup = try await BlueZCentralTests.Setup()
    setup.radio.scan(for: [])
    let path = setup.fake.addDevice("AA", services: [ReunionService.id])
    _ = await setup.events.next()
    for name in ["~Ben & Ko", "~", "~===", "~\(String(repeating: "A", count: 200))", "~ü"] {
      setup.fake.change(path, "org.bluez.Device1", ["Name": .string(name)])
      let event = await setup.events.next()
      #expect(event.contains("serviceData: [:]") && event.contains(name), "\(name): \(event)")
    }
    setup.fake.change(
      path, "org.bluez.Device1",
      ["ServiceData": .dictionary("sv", [.string("no name"): .variant(.strings(["x"]))])])
    #expect(await setup.events.next().contains("serviceData: [:]"))
  }
}
