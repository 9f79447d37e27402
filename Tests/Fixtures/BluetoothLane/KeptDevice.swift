import ReunionBluetooth
import ReunionFlow

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
    let device = try await until(30, "it is seen") { seen.withLock { $0 } }
    scan.cancel()
    let link = bluetooth.keepConnected(
      device, for: LinkPlan(service: Plain.service, subscriptions: [characteristic]))
    self.link = link
    let told = told
    values = link.values.observe { value in told.withLock { $0.append(value.bytes) } }
    try await until(30, "it is ready") { if case .ready = link.state.value { true } else { nil } }
  }

  var isReady: Bool { if case .ready = link.state.value { true } else { false } }

  /// Lets it go, and waits until it is gone.
  func close() async throws {
    link.close()
    let link = link
    try await until(20, "it is closed") {
      if case .closed = link.state.value { true } else { nil }
    }
  }
}

extension Story {
  /// Takes a device out of range for two seconds; gives the milliseconds from its return until it is ready.
  func returnTime(of device: KeptDevice) async throws -> Int64 {
    try air("away")
    try await until(20, "the loss is seen") { device.isReady ? nil : true }
    try await Task.sleep(for: .seconds(2))
    let start = milliseconds()
    try air("back")
    try await until(60, "it is ready again") { device.isReady ? true : nil }
    return milliseconds() - start
  }
}
