import ReunionBluetooth
import ReunionDesktop
import ReunionFlow
import Testing

/// What BlueZ remembers of a device may be of a program that has ended since.
@Suite struct OldServiceTests {
  typealias Setup = BlueZCentralTests.Setup

  @Test(arguments: [
    ("org.bluez.Error.Failed", "Operation failed with ATT error: 0x01"),
    ("org.bluez.Error.NotPermitted", "Write not permitted"),
  ])
  func `of two services of a name the one is used that is there`(
    name: String, message: String
  ) async throws {
    let setup = try await Setup()
    let device = await setup.connected()
    let (old, new) = (device.text + "/service0001", device.text + "/service0020")
    setup.fake.addService(new)
    setup.fake.answer("StartNotify", at: old + "/char0003", .fail(name, message))
    setup.radio.subscribe(to: Sample.outward, of: device)
    #expect(await setup.events.next() == "subscribed(\(device), \(Sample.outward))")
    #expect(setup.fake.calls("StartNotify").last?.path == new + "/char0003")
    // What else is used is of the same service from now on.
    setup.radio.write([1], to: Sample.inward, of: device)
    #expect(await setup.events.next() == "written(\(device), \(Sample.inward))")
    #expect(setup.fake.calls("WriteValue").map(\.path) == [new + "/char0002"])
    setup.fake.change(new + "/char0003", "org.bluez.GattCharacteristic1", ["Value": .bytes([7])])
    #expect(await setup.events.next() == "value(\(device), \(Sample.outward), [7])")
    // A device of which something was right is not forgotten.
    setup.radio.disconnect(from: device)
    #expect(await setup.events.next() == "disconnected(\(device), asked)")
    #expect(setup.fake.calls("RemoveDevice").isEmpty)
  }

  @Test func `a device of which nothing is right is forgotten when it is left`() async throws {
    let setup = try await Setup()
    let device = await setup.connected()
    setup.fake.answer(
      "StartNotify", .fail("org.bluez.Error.Failed", "Operation failed with ATT error: 0x01"))
    setup.radio.subscribe(to: Sample.outward, of: device)
    #expect(await setup.events.next() == "failed(\(device), Optional(\(Sample.outward)))")
    #expect(setup.fake.calls("RemoveDevice").isEmpty)
    setup.radio.disconnect(from: device)
    #expect(await setup.events.next() == "disconnected(\(device), asked)")
    let request = try await setup.called("RemoveDevice")
    #expect(request.arguments == [.path(device.text)])
  }

  @Test func `another refusal says nothing about the service`() async throws {
    let setup = try await Setup()
    let device = await setup.connected()
    setup.fake.addService(device.text + "/service0020")
    setup.fake.answer("StartNotify", .fail("org.bluez.Error.NotPermitted", "Not paired"))
    setup.radio.subscribe(to: Sample.outward, of: device)
    #expect(await setup.events.next() == "failed(\(device), Optional(\(Sample.outward)))")
    setup.radio.disconnect(from: device)
    #expect(await setup.events.next() == "disconnected(\(device), asked)")
    #expect(setup.fake.calls("StartNotify").count == 1)
    #expect(setup.fake.calls("RemoveDevice").isEmpty)
  }
}
