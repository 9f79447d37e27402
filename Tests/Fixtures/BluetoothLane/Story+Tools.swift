import ReunionBluetooth
import ReunionFlow
import Waiting

/// BlueZ's own program `bluetoothctl` as the other side: a peer that is not ours, in both roles.
extension Story {
  /// It finds, reads, writes and hears a service that is ours.
  func toolUsesOurs(_ served: Child) async {
    await step("bluetoothctl uses what is ours") {
      let tool = try Tool(adapter: "00:AA:01:01:00:42")
      defer { tool.quit() }
      let device = "00:AA:01:00:00:42"
      // Its side may know the device already, and then hears of it as of a change.
      try await tool.tell("scan le", until: "Device \(device)")
      try await tool.tell("connect \(device)", until: "ServicesResolved: yes")
      try await tool.tell("menu gatt")
      try await tool.tell("select-attribute \(Plain.readable)")
      try await tool.tell("read", until: "68 65 6c 6c 6f 20 66 72 6f 6d 20 52 65 75 6e 69")
      try await tool.tell("select-attribute \(Plain.writable)")
      try await tool.tell("write \"0x63 0x61 0x66 0x65\"")
      try await eventually("the value is written") {
        served.said("got").last?[2...] == ["4", Content.digest(Array("cafe".utf8))]
      }
      // It prints what is told of the one that is selected.
      try await tool.tell("select-attribute \(Plain.telling)")
      try await tool.tell("notify on", until: "Notify started")
      served.tell("good day")
      try await eventually("it hears what is told") {
        tool.hasSaid("67 6f 6f 64 20 64 61 79")
      }
      try await tool.tell("back")
      try await tool.tell("scan off", until: "Discovery stopped")
      try await tool.tell("disconnect \(device)", until: "Successful disconnected")
      return nil
    }
  }

  /// It serves, and ours finds it, reads, writes, and hears.
  func oursUsesTool() async {
    await step("ours uses what bluetoothctl serves, and comes back to it") {
      let tool = try Tool(adapter: "00:AA:01:00:00:42")
      defer { tool.quit() }
      try await tool.tell("menu gatt")
      // It asks whether it is a primary one, and what its value is.
      try await tool.tell("register-service \(Plain.service)", until: "Primary Service")
      try await tool.tell("yes")
      try await tool.tell(
        "register-characteristic \(Plain.readable) read,write,notify", until: "Characteristic (")
      try await tool.tell("0x74 0x65 0x61")
      try await tool.tell("register-application", until: "Application registered")
      try await tool.tell("back")
      try await tool.tell("menu advertise")
      try await tool.tell("uuids \(Plain.service)")
      try await tool.tell("back")
      try await tool.tell("advertise on", until: "Advertising object registered")

      let device = try await KeptDevice(in: "\(folder)/tool", subscribing: Plain.readable)
      let (link, told) = (device.link, device.told)
      let read = String(decoding: try await link.read(Plain.readable), as: UTF8.self)
      guard read == "tea" else { throw LaneError("It read \(read).") }
      // It takes no value that is longer than its first one.
      try await link.write(Array("pie".utf8), to: Plain.readable)
      try await eventually("it has what was written") { tool.hasSaid("70 69 65") }
      // It tells everybody what one has written.
      try await eventually("ours hears what it tells") {
        told.withLock { $0.contains(Array("pie".utf8)) }
      }
      let time = try await returnTime(of: device)
      try await device.close()
      return "ready again after \(time) ms"
    }
  }
}

/// A running `bluetoothctl`.
private struct Tool {
  private let child: Child

  /// Starts it, and has it use the adapter of an address.
  init(adapter: String) throws {
    // Its lines are to come as it says them.
    child = try Child("bluetoothctl", ["stdbuf", "-oL", "bluetoothctl"])
    child.tell("select \(adapter)")
  }

  /// Tells it a line, and waits until it has done what that says.
  func tell(_ line: String, until answer: String? = nil) async throws {
    let count = child.lineCount
    child.tell(line)
    // Of some lines it says nothing. It does one after the other, and answers the next.
    if answer == nil { child.tell("version") }
    let answer = answer ?? "Version "
    try await eventually("\(line) is answered by “\(answer)”") {
      child.hasSaid(answer, after: count)
    }
  }

  func hasSaid(_ part: String) -> Bool { child.hasSaid(part) }

  func quit() {
    child.tell("quit")
    child.kill()
  }
}
