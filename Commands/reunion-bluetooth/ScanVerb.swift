import ReunionBluetooth
import ReunionCommandLine
import ReunionFlow

/// The verb that lists what is around.
enum ScanVerb {
  static let verb = BluetoothVerb("scan", "tells which devices are around, for 10 seconds") {
    invocation, _ in
    let bluetooth = try invocation.openWithoutPeers()
    try await invocation.needRadio(bluetooth)
    var seen: Set<DeviceID> = []
    for await sighting in bluetooth.scan(
      for: invocation.services, limit: invocation.time ?? .seconds(10))
    where seen.insert(sighting.device).inserted {
      invocation.tell(sighting)
    }
    if seen.isEmpty {
      throw CommandFailure(4, "No device was heard. Bring one near, and have it advertise.")
    }
  }
}

extension Invocation {
  /// Opens Bluetooth for verbs that need neither a key nor known peers. Nothing of it stays,
  /// whatever ends the program.
  func openWithoutPeers() throws -> Bluetooth {
    let folder = Scratch.folder()
    defer { Scratch.remove(folder) }
    return try Bluetooth(radio: radio, folder: folder)
  }

  func tell(_ sighting: Sighting) {
    let address = Self.address(of: sighting.device)
    var words = [address, "\(sighting.signalStrength) dBm", (sighting.name ?? "").onOneLine]
    words += sighting.services.map { $0 == ReunionService.id ? "Reunion" : $0.description }
    output.say(
      [
        "device": sighting.device.text, "address": address, "name": sighting.name ?? "",
        "signalStrength": sighting.signalStrength,
        "services": sighting.services.map(\.description),
        "manufacturerData": sighting.manufacturerData.map { Int($0) },
      ], words.filter { !$0.isEmpty }.joined(separator: "  "))
  }

  /// The address of a device, as people write it.
  static func address(of device: DeviceID) -> String {
    let last = device.text.split(separator: "/").last.map(String.init) ?? device.text
    return last.replacing("dev_", with: "").replacing("_", with: ":")
  }

  /// Finds the device that somebody means by an address, a name or the radio's own text.
  func find(_ word: String, among services: [BluetoothID], _ bluetooth: Bluetooth) async throws
    -> DeviceID
  {
    let wanted = word.lowercased()
    let found: DeviceID? = await first(within: time ?? .seconds(30)) { tell in
      bluetooth.scan(for: services, limit: .seconds(3600)) { sighting in
        guard let sighting else { return }
        let names = [
          sighting.device.text, Self.address(of: sighting.device), sighting.name ?? "",
        ]
        if names.contains(where: { $0.lowercased() == wanted }) { tell(sighting.device) }
      }
    }
    guard let found else {
      throw CommandFailure(
        4, "\(word.onOneLine) was not heard. Bring it near, and look with reunion bluetooth scan.")
    }
    return found
  }
}
