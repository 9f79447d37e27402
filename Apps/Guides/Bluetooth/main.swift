import ReunionBluetooth
import ReunionFlow

let (heartRate, measurement) = (BluetoothID(assigned: 0x180D), BluetoothID(assigned: 0x2A37))
let bluetooth = try Bluetooth(radio: BlueZRadio(), folder: CommandLine.arguments[1])
for await sighting in bluetooth.scan(for: [heartRate], limit: .seconds(10)) {
  print(sighting.name ?? "no name", sighting.signalStrength)
  let plan = LinkPlan(service: heartRate, subscriptions: [measurement])
  let strap = bluetooth.keepConnected(sighting.device, for: plan)
  let values = strap.values.observe { print($0.bytes) }
  try await Task.sleep(for: .seconds(60))
  values.cancel()
  strap.close()
}
