import Foundation
import ReunionBluetooth
import ReunionFlow
import Waiting

extension Story {
  /// Ours with ours: two processes that know each other, and what happens to their link.
  func messages(isWhole: Bool) async throws {
    let invitation = Invitation()
    func startPeer(_ bugs: [String] = []) throws -> Child {
      try Child(
        "peer",
        [program, "peer", "hci0", "\(folder)/peer", invitation.description] + bugs)
    }
    let peer = Lock(try startPeer())
    defer { peer.withLock { $0.kill() } }
    let central = try Central(adapter: "hci1", folder: "\(folder)/central")
    let bluetooth = central.bluetooth
    await step("the radio is on") {
      try await eventually("the radio is on") { bluetooth.state.value == .on }
      return "BlueZ \(await central.radio.version?.description ?? "unknown")"
    }
    let sighting = Lock<Sighting?>(nil)
    await step("a scan finds the other process, and hears its beacon") {
      let scan = bluetooth.scan(for: [ReunionService.id], limit: .seconds(30)) { found in
        guard let found else { return }
        sighting.withLock { if $0?.serviceData.isEmpty ?? true { $0 = found } }
      }
      defer { scan.cancel() }
      try await find("it is seen") { sighting.withLock { $0 } }
      let beacon = try await find("the beacon is heard") {
        sighting.withLock { $0?.serviceData[ReunionService.id] }
      }
      guard beacon == Content.beacon else { throw LaneError("The beacon is \(beacon).") }
      return nil
    }
    guard let device = sighting.withLock({ $0 })?.device else { return }
    let link = bluetooth.meet(device, by: invitation)
    let transitions = link.transitions.observe { note("link: \($0.event) → \(short($0.to))") }
    await step("they meet by an invitation, encrypted") {
      try await eventually("they have met") { central.isConnected }
      return nil
    }
    await step("messages of every size arrive in order, once") {
      let sizes = isWhole ? [1, 100, 508, 509, 4096, 65_536] : [1, 508, 509, 4096]
      var figure: String?
      for (seed, size) in sizes.enumerated() {
        let (start, before) = (milliseconds(), FrameBench.time())
        try await central.deliver(size, seed)
        guard size == 65_536 else { continue }
        figure = String(
          format: "64 KiB after %.1f s with %.2f s of CPU", Double(milliseconds() - start) / 1000,
          (FrameBench.time() - before) / 1e6)
      }
      let got = peer.withLock { $0 }.said("got").map { $0[3] + " " + $0[4] }
      let want = sizes.enumerated().map { "\($1) \(Content.digest(Content.bytes($1, $0)))" }
      guard got == want else { throw LaneError("It got \(got).") }
      return figure
    }
    await step("the other process sends as well") {
      for seed in 0..<5 { peer.withLock { $0 }.tell("send 300 \(seed)") }
      let want = (0..<5).map { "\($0 + 1) \(Content.digest(Content.bytes(300, $0)))" }
      try await eventually("five messages came") {
        central.received.withLock { $0.count } >= 5
      }
      let got = central.received.withLock { $0 }
      guard got == want else { throw LaneError("It got \(got).") }
      return nil
    }
    await step("out of range, and back") {
      try air("away")
      try await eventually("the loss is seen") { !central.isConnected }
      try await pause(for: .seconds(isWhole ? 4 : 1), because: "the other device is out of range")
      let start = milliseconds()
      try air("back")
      try await eventually("the link is back") { central.isConnected }
      let time = milliseconds() - start
      try await central.deliver(100, 50)
      return "ready again after \(time) ms"
    }
    await step("the other process is killed in the middle of a message") {
      let size = isWhole ? 65_536 : 16_384
      let before = peer.withLock { $0 }
      async let delivery: Void = central.deliver(size, 60)
      try await pause(for: .milliseconds(400), because: "the kill comes on the way of a message")
      before.kill()
      let next = try startPeer()
      peer.withLock { $0 = next }
      try await delivery
      let digest = Content.digest(Content.bytes(size, 60))
      let times = (before.said("got") + next.said("got")).filter { $0.last == digest }.count
      guard times == 1 else { throw LaneError("It came \(times) times.") }
      return before.said("got").contains { $0.last == digest } ? "it had arrived before" : nil
    }
    if isWhole {
      await step("an absence longer than BlueZ's own limits") {
        try air("away")
        try await eventually("the loss is seen") { !central.isConnected }
        try await pause(for: .seconds(75), because: "BlueZ gives up sooner than that")
        let start = milliseconds()
        try air("back")
        try await eventually("the link is back") { central.isConnected }
        let time = milliseconds() - start
        try await central.deliver(100, 51)
        return "ready again after \(time) ms"
      }
    }
    await step("the service is killed, and starts again") {
      try air("kill-service")
      try await eventually("its end is seen") {
        bluetooth.state.value == .serviceLost
      }
      try await eventually("the link is back") { central.isConnected }
      try await central.deliver(100, 70)
      return nil
    }
    if isWhole {
      await step("a radio that registers nothing anew is caught by the same (negative control)") {
        func change(_ bugs: [String]) throws {
          let next = try peer.withLock { peer in
            peer.kill()
            return try startPeer(bugs)
          }
          peer.withLock { $0 = next }
        }
        try change(["servesAsBefore"])
        try await central.deliver(100, 71)
        try air("kill-service")
        try await eventually("its end is seen") {
          bluetooth.state.value == .serviceLost
        }
        let wait: Void? = try? await eventually("the link is back", within: .seconds(20)) {
          central.isConnected
        }
        guard wait == nil else { throw LaneError("The link came back all the same.") }
        try change([])
        try await central.deliver(100, 72)
        return nil
      }
    }
    await step("the other adapter is switched off while it advertises, and on again") {
      try await setPower(false, of: "hci0")
      try await eventually("the loss is seen") { !central.isConnected }
      try await pause(for: .seconds(1), because: "the other adapter is off")
      // BlueZ 5.66 has ended from that, and may not be back yet.
      try await eventually("it can be switched on", every: .milliseconds(500)) {
        (try? await setPower(true, of: "hci0")) != nil
      }
      try await eventually("the link is back") { central.isConnected }
      try await central.deliver(100, 80)
      return nil
    }
    if isWhole {
      await step("the own adapter is pulled, and plugged in again") {
        try air("pull 1")
        try await eventually("its end is seen") {
          bluetooth.state.value == .unsupported
        }
        try await pause(for: .seconds(2), because: "the own adapter is pulled")
        try air("plug 1")
        try await eventually("the link is back") { central.isConnected }
        try await central.deliver(100, 90)
        return nil
      }
    }
    link.close()
    withExtendedLifetime(transitions) {}
  }
}

/// A state without the device that it is about, which is always the same.
private func short(_ state: LinkMachine.State) -> String {
  "\(state)".replacing("ReunionBluetooth.", with: "").replacing("/org/bluez/", with: "")
}
