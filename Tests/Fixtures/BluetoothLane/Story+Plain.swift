import Foundation
import ReunionBluetooth
import ReunionDesktop
import ReunionFlow
import Waiting

extension Story {
  /// As a person does it in the system's settings.
  func setPower(_ isOn: Bool, of adapter: String) async throws {
    let bus = try Bus(.system)
    _ = try await bus.call(
      BusCall(
        "org.bluez", "/org/bluez/\(adapter)", "org.freedesktop.DBus.Properties", "Set",
        [.string("org.bluez.Adapter1"), .string("Powered"), .variant(.bool(isOn))]))
  }

  /// An app's own service: ours with ours, and with bleak.
  func plain(python: String?, script: String, isWhole: Bool) async throws {
    let served = try Child("plain", [program, "plain", "hci0"])
    defer { served.kill() }
    // Python takes its time to begin.
    let bleak = try python.map {
      try Child("bleak", [$0, script, "hci1"] + (isWhole ? ["whole"] : []))
    }
    try await eventually("the radio is on") { served.said("state").last?.last == "on" }
    await step("values of any length are written, read and told, ours with ours") {
      let device = try await KeptDevice(in: "\(folder)/plain", subscribing: Plain.telling)
      let (link, told) = (device.link, device.told)
      let read = String(decoding: try await link.read(Plain.readable), as: UTF8.self)
      guard read == "hello from Reunion" else { throw LaneError("It read \(read).") }
      for size in [1, 20, 508, 510, 511, 1200] {
        let value = Content.bytes(size, size)
        // With EATT BlueZ 5.66 may tell one part before the other.
        let parts = stride(from: 0, to: size, by: 508).map {
          Array(value[$0..<min($0 + 508, size)])
        }
        try await link.write(value, to: Plain.writable)
        try await eventually("\(size) bytes come back") {
          let heard = told.withLock { $0 }
          return heard.count == parts.count && Set(heard) == Set(parts)
        }
        told.withLock { $0 = [] }
      }
      var figure: String?
      if isWhole {
        figure = "ready again after \(try await returnTime(of: device)) ms"
      }
      let leftCount = served.said("left").count
      try await device.close()
      // So that what comes next is not cut off by it.
      try await eventually("the other side sees that") {
        served.said("left").count > leftCount
      }
      return figure
    }
    if isWhole {
      await watching(served)
      await toolUsesOurs(served)
    }
    guard let bleak else { return }
    await step("bleak uses what is ours") {
      bleak.tell("go")
      if isWhole {
        // It asks for the air to be moved.
        for (number, wish) in ["away", "back"].enumerated() {
          try await eventually("bleak wants \(wish)") {
            bleak.said("want").count > number
          }
          if wish == "back" {
            try await pause(for: .seconds(2), because: "the device is out of range")
          }
          try air(wish)
          bleak.tell("done")
        }
      }
      guard try await bleak.finish() == 0 else { throw LaneError("bleak failed.") }
      return bleak.said("figure").map { $0.dropFirst().joined(separator: " ") }
        .joined(separator: ", ")
    }
  }
}
