import ReunionBluetooth
import ReunionDesktop
import ReunionFlow
import Testing

/// What BlueZ remembers of a device may be of a program that has ended since.
@Suite struct OldServiceTests {
  typealias Desk = BlueZCentralTests.Desk

  @Test(arguments: [
    ("org.bluez.Error.Failed", "Operation failed with ATT error: 0x01"),
    ("org.bluez.Error.NotPermitted", "Write not permitted"),
  ])
  func `of two services of a name the one is used that is there`(
    name: String, message: String
  ) async throws {
    let desk = try await Desk()
    let device = await desk.connected()
    let (old, new) = (device.text + "/service0001", device.text + "/service0020")
    desk.fake.addService(new)
    desk.fake.answer("StartNotify", at: old + "/char0003", .fail(name, message))
    desk.radio.subscribe(to: Sample.outward, of: device)
    #expect(await desk.events.next() == "subscribed(\(device), \(Sample.outward))")
    #expect(desk.fake.calls("StartNotify").last?.path == new + "/char0003")
    // What else is used is of the same service from now on.
    desk.radio.write([1], to: Sample.inward, of: device)
    #expect(await desk.events.next() == "written(\(device), \(Sample.inward))")
    #expect(desk.fake.calls("WriteValue").map(\.path) == [new + "/char0002"])
    desk.fake.change(new + "/char0003", "org.bluez.GattCharacteristic1", ["Value": .bytes([7])])
    #expect(await desk.events.next() == "value(\(device), \(Sample.outward), [7])")
    // A device of which something was right is not forgotten.
    desk.radio.disconnect(from: device)
    #expect(await desk.events.next() == "disconnected(\(device), asked)")
    #expect(desk.fake.calls("RemoveDevice").isEmpty)
  }

  @Test func `a device of which nothing is right is forgotten when it is left`() async throws {
    let desk = try await Desk()
    let device = await desk.connected()
    desk.fake.answer(
      "StartNotify", .fail("org.bluez.Error.Failed", "Operation failed with ATT error: 0x01"))
    desk.radio.subscribe(to: Sample.outward, of: device)
    #expect(await desk.events.next() == "failed(\(device), Optional(\(Sample.outward)))")
    #expect(desk.fake.calls("RemoveDevice").isEmpty)
    desk.radio.disconnect(from: device)
    #expect(await desk.events.next() == "disconnected(\(device), asked)")
    let request = await untilThere { desk.fake.calls("RemoveDevice").first }
    #expect(request.arguments == [.path(device.text)])
  }

  @Test func `another refusal says nothing about the service`() async throws {
    let desk = try await Desk()
    let device = await desk.connected()
    desk.fake.addService(device.text + "/service0020")
    desk.fake.answer("StartNotify", .fail("org.bluez.Error.NotPermitted", "Not paired"))
    desk.radio.subscribe(to: Sample.outward, of: device)
    #expect(await desk.events.next() == "failed(\(device), Optional(\(Sample.outward)))")
    desk.radio.disconnect(from: device)
    #expect(await desk.events.next() == "disconnected(\(device), asked)")
    #expect(desk.fake.calls("StartNotify").count == 1)
    #expect(desk.fake.calls("RemoveDevice").isEmpty)
  }
}
