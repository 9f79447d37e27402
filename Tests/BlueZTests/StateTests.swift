import Foundation
import PrivateBus
import ReunionBluetooth
import ReunionDesktop
import ReunionFlow
import Testing
import Waiting

/// What the radio of Linux waits for, against a BlueZ that the tests play.
@Suite struct StateTests {
  /// A folder as of the kernel, with these adapters in it.
  static func folder(_ names: [String]) throws -> String {
    let folder = FileManager.default.temporaryDirectory.appending(path: "class-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for name in names {
      try Data().write(to: folder.appending(path: name))
    }
    return folder.path
  }

  @Test func `each thing that is missing has its name, and its return is seen`() async throws {
    let daemon = try PrivateBus()
    let radio = BlueZRadio(.at(daemon.address), adapterFolder: try Self.folder(["hci0"]))
    let events = Events(radio, keeping: daemon)
    #expect(await events.next() == "state(serviceLost)")
    let first = try await FakeBlueZ(daemon, isOn: false)
    #expect(await events.next() == "state(off)")
    first.change(FakeBlueZ.adapter, "org.bluez.Adapter1", ["Powered": .bool(true)])
    #expect(await events.next() == "state(on)")
    #expect(await radio.version == BlueZVersion(major: 5, minor: 66))
    first.remove(FakeBlueZ.adapter)
    #expect(await events.next() == "state(unsupported)")
    first.add(FakeBlueZ.adapter, ["org.bluez.Adapter1": ["Powered": .bool(true)]])
    #expect(await events.next() == "state(on)")
    try await first.leave()
    #expect(await events.next() == "state(serviceLost)")
    let second = try await FakeBlueZ(daemon)
    #expect(await events.next() == "state(on)")
    withExtendedLifetime(second) {}
  }

  @Test func `without an adapter no service is missed`() async throws {
    let daemon = try PrivateBus()
    let radio = BlueZRadio(.at(daemon.address), adapterFolder: try Self.folder([]))
    let events = Events(radio, keeping: daemon)
    #expect(await events.next() == "state(unsupported)")
  }

  @Test func `who may not speak with the service hears so`() async throws {
    let daemon = try PrivateBus(forbidden: "org.bluez")
    let fake = try await FakeBlueZ(daemon)
    let radio = BlueZRadio(.at(daemon.address), adapterFolder: try Self.folder(["hci0"]))
    let events = Events(radio, keeping: daemon, fake)
    #expect(await events.next() == "state(unauthorized)")
    withExtendedLifetime(fake) {}
  }

  @Test func `a bus that ends, and one that is not there, are tried again`() async throws {
    let clock = TestClock()
    let daemon = try PrivateBus()
    let fake = try await FakeBlueZ(daemon)
    let folder = try Self.folder(["hci0"])
    let radio = BlueZRadio(.at(daemon.address), adapterFolder: folder, clock: clock)
    let events = Events(radio, keeping: daemon, fake)
    #expect(await events.next() == "state(on)")
    daemon.stop()
    #expect(await events.next() == "state(serviceLost)")
    // Nobody is there yet: it tries again later, and the state stays.
    clock.advance(by: .seconds(1))
    try daemon.restart()
    let again = try await FakeBlueZ(daemon)
    let state = Lock<String?>(nil)
    let waiting = Task {
      let next = await events.next()
      state.withLock { $0 = next }
    }
    try await eventually("the radio says that the bus is back") {
      clock.advance(by: .seconds(1))
      return state.withLock { $0 } != nil
    }
    #expect(state.withLock { $0 } == "state(on)")
    await waiting.value
    withExtendedLifetime((fake, again)) {}
  }

  @Test func `a version tells its faults`() {
    #expect(BlueZVersion(major: 5, minor: 66).knownFaults.count == 4)
    #expect(BlueZVersion(major: 5, minor: 72).knownFaults.count == 1)
    #expect(BlueZVersion(major: 5, minor: 79).knownFaults.isEmpty)
    #expect(BlueZVersion(major: 5, minor: 9).description == "5.09")
  }
}
