import Foundation
import Glibc
import ReunionBluetooth
import ReunionDesktop
import ReunionFlow
import Waiting

/// What one value costs this process between the radio's protocol and D-Bus, without BlueZ: another process
/// plays it on a private bus, so that the processor's time here is that of the radio alone.
enum FrameBench {
  static let adapter = "/org/bluez/hci0"
  static let device = adapter + "/dev_00"
  static let count = 5000
  static let value = [UInt8](repeating: 7, count: 495)

  /// The processor's time of this process so far, in microseconds.
  static func time() -> Double {
    var usage = rusage()
    // Of this process alone (RUSAGE_SELF).
    getrusage(0, &usage)
    let (user, system) = (usage.ru_utime, usage.ru_stime)
    return Double(user.tv_sec + system.tv_sec) * 1e6 + Double(user.tv_usec + system.tv_usec)
  }

  static func run(_ address: String) async throws {
    let fake = try Child("fake", [CommandLine.arguments[0], "fake", address])
    let bus = try Bus(.at(address))
    try await find("the fake is there") { fake.said("ready").first }
    var before = time()
    let start = milliseconds()
    for _ in 0..<count { _ = try await bus.call(.ofBus("GetId")) }
    let calls = Double(count) / Double(milliseconds() - start) * 1000
    say("calls, one after the other: \(Int(calls)) a second, \(each(before)) of CPU each")

    let radio = BlueZRadio(.at(address))
    let told = Lock<[String: Int]>([:])
    radio.start { event in
      let name = String("\(event)".prefix { $0 != "(" })
      told.withLock { $0[name, default: 0] += 1 }
    }
    func wait(_ name: String, _ number: Int = 1) async throws {
      try await eventually("\(name) is told") { told.withLock { $0[name] ?? 0 } >= number }
    }
    try await wait("state")
    let id = DeviceID(device)
    try await find("it is connected") {
      radio.connect(to: id)
      return told.withLock { $0["connected"] }
    }
    before = time()
    for _ in 0..<count {
      try insist { radio.writeWithoutResponse(value, to: ReunionService.inward, of: id) }
    }
    try await find("all are written") { fake.said("written").first }
    say("a value of 495 bytes written: \(each(before)) of CPU")

    before = time()
    radio.subscribe(to: ReunionService.outward, of: id)
    try await wait("value", count)
    say("a value of 495 bytes told by the other side: \(each(before)) of CPU")

    radio.serve([
      RadioService(
        ReunionService.id, [RadioService.Characteristic(ReunionService.outward, .notify)])
    ])
    try await wait("listening")
    before = time()
    for _ in 0..<count {
      try insist { radio.notify(value, of: ReunionService.outward, to: id) }
    }
    try await find("all are told") { fake.said("heard").first }
    say("a value of 495 bytes told to the other side: \(each(before)) of CPU")
  }

  /// Gives the radio a value, again until it has room. It blocks this thread: that costs least, and
  /// the processor's time is measured.
  private static func insist(_ isTaken: () -> Bool) throws {
    try eventually("there is room for a value", every: .microseconds(100), isTaken)
  }

  private static func each(_ before: Double) -> String {
    String(format: "%.0f µs", (time() - before) / Double(count))
  }

  // MARK: The other process

  static func fake(_ address: String) async throws {
    let bus = try Bus(.at(address))
    let written = Lock(0)
    let export = bus.export("/") { request in
      switch request.method {
      case "GetManagedObjects": request.reply([tree])
      case "WriteValue":
        request.reply()
        let isLast = written.withLock { number in
          number += 1
          return number == count
        }
        if isLast { say("written") }
      case "StartNotify":
        request.reply()
        for _ in 0..<count {
          bus.emit(
            device + "/service0/char1", "org.freedesktop.DBus.Properties", "PropertiesChanged",
            [
              .string("org.bluez.GattCharacteristic1"), .properties(["Value": .bytes(value)]),
              .strings([]),
            ])
        }
      case "RegisterApplication":
        request.reply()
        listen(bus, request.sender, request.arguments[0].asText ?? "")
      default: request.reply()
      }
    }
    _ = try await bus.call(.ofBus("RequestName", [.string("org.bluez"), .uint32(0)]))
    say("ready")
    while await Peer.nextLine() != nil {}
    withExtendedLifetime(export) {}
  }

  /// Listens to what is served, as BlueZ does for a device.
  private static func listen(_ bus: Bus, _ sender: String, _ root: String) {
    let call = BusCall(
      sender, root + "/service0/characteristic0", "org.bluez.GattCharacteristic1", "AcquireNotify",
      [.properties(["device": .path(device), "mtu": .uint16(517)])])
    bus.call(call) { result in
      guard let end = try? result.get().first?.asDescriptor else { return }
      Thread.detachNewThread {
        var buffer = [UInt8](repeating: 0, count: 600)
        var heard = 0
        while heard < count {
          var polled = [pollfd(fd: end.number, events: Int16(POLLIN), revents: 0)]
          poll(&polled, 1, -1)
          while recv(end.number, &buffer, 600, 0) > 0 { heard += 1 }
        }
        say("heard")
      }
    }
  }

  private static var tree: BusValue {
    func object(_ path: String, _ interface: String, _ properties: [String: BusValue])
      -> (BusValue, BusValue)
    {
      (.path(path), .dictionary("sa{sv}", [.string(interface): .properties(properties)]))
    }
    let entries = [
      object(adapter, "org.bluez.Adapter1", ["Powered": .bool(true)]),
      object(
        device, "org.bluez.Device1",
        ["Connected": .bool(true), "ServicesResolved": .bool(true)]),
      object(
        device + "/service0", "org.bluez.GattService1",
        ["UUID": .string(ReunionService.id.description)]),
    ]
    let characteristics = [ReunionService.inward, ReunionService.outward].enumerated().map {
      object(
        device + "/service0/char\($0)", "org.bluez.GattCharacteristic1",
        [
          "UUID": .string($1.description), "Service": .path(device + "/service0"),
          "MTU": .uint16(517),
        ])
    }
    return .dictionary(
      "oa{sa{sv}}", Dictionary(entries + characteristics, uniquingKeysWith: { $1 }))
  }
}
