import ReunionBluetooth
import ReunionFlow
import Waiting

/// A device that serves `Plain.service`, found and kept by the second adapter.
final class KeptDevice: Sendable {
  let link: KeptLink
  /// The values that were told.
  let told = Lock<[[UInt8]]>([])
  private let bluetooth: Bluetooth
  private let values: SignalSubscription

  /// Scans for it, and waits until it is ready.
  init(in folder: String, subscribing characteristic: BluetoothID) async throws {
    bluetooth = try Bluetooth(radio: BlueZRadio(adapter: "hci1"), folder: folder)
    let seen = Lock<DeviceID?>(nil)
    let scan = bluetooth.scan(for: [Plain.service], limit: .seconds(30)) { sighting in
      if let sighting { seen.withLock { $0 = sighting.device } }
    }
    let device = try await find("it is seen") { seen.withLock { $0 } }
    scan.cancel()
    let link = bluetooth.keepConnected(
      device, for: LinkPlan(service: Plain.service, subscriptions: [characteristic]))
    self.link = link
    let told = told
    values = link.values.observe { value in told.withLock { $0.append(value.bytes) } }
    try await eventually("it is ready") {
      if case .ready = link.state.value { true } else { false }
    }
  }

  var isReady: Bool { if case .ready = link.state.value { true } else { false } }

  /// Lets it go, and waits until it is gone.
  func close() async throws {
    link.close()
    let link = link
    try await eventually("it is closed") {
      if case .closed = link.state.value { true } else { false }
    }
  }
}

extension Story {
  /// Takes a device out of range for two seconds; gives the milliseconds from its return until it is ready.
  func returnTime(of device: KeptDevice) async throws -> Int64 {
    try air("away")
    try await eventually("the loss is seen") { !device.isReady }
    try await pause(for: .seconds(2), because: "the device is out of range")
    let start = milliseconds()
    try air("back")
    try await eventually("it is ready again") { device.isReady }
    return milliseconds() - start
  }
}
