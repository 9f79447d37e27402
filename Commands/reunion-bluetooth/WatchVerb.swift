import ReunionBluetooth
import ReunionCommandLine
import ReunionFlow

/// The verb that keeps a device connected, and tells what becomes of it.
enum WatchVerb {
  static let verb = BluetoothVerb(
    "watch", words: "DEVICE", "keeps a device connected, and tells its state and its values",
    count: 1...1, isStoppable: true
  ) { invocation, words in
    let bluetooth = try invocation.openWithoutPeers()
    try await invocation.needRadio(bluetooth)
    let device = try await invocation.find(words[0], among: invocation.services, bluetooth)
    let service = invocation.services.first ?? BluetoothID(assigned: 0x1800)
    let output = invocation.output
    let link = bluetooth.hold(
      device, for: LinkPlan(service: service, subscriptions: invocation.values))
    let states = link.state.observe { state in
      let (name, sentence) = Self.words(for: state)
      output.say(["state": name], sentence)
    }
    let values = link.values.observe { value in
      output.say(
        ["characteristic": value.characteristic.description, "value": value.bytes.map { Int($0) }],
        "\(value.characteristic)  \(Scratch.text(value.bytes).onOneLine)")
    }
    await invocation.stay(nil)
    // The system would keep the connection, although nobody uses it.
    link.close()
    for _ in 0..<50 {
      if case .closed = link.state.value { break }
      try? await Task.sleep(for: .milliseconds(100))
    }
    withExtendedLifetime((bluetooth, states, values)) {}
  }

  static func words(for state: LinkMachine.State) -> (name: String, sentence: String) {
    switch state {
    case .idle: ("idle", "Begins.")
    case .waitingForRadio: ("waitingForRadio", "Waits until Bluetooth is on.")
    case .seeking: ("seeking", "Listens for it.")
    case .connecting: ("connecting", "Connects as soon as it is in range.")
    case .discovering: ("discovering", "Asks for its services.")
    case .subscribing: ("subscribing", "Asks to be told of values.")
    case .greeting: ("greeting", "Greets it.")
    case .ready: ("ready", "Connected.")
    case .resetting: ("resetting", "A step failed; it begins again.")
    case .suspended(_, let reason, let delay):
      ("suspended", "Not reached (\(reason)); tries again in \(delay.components.seconds) s.")
    case .barred(_, let reason):
      ("barred", "It does not let this device in (\(reason)). Look there; tries again in a minute.")
    case .leaving: ("leaving", "Leaves.")
    case .closed: ("closed", "Closed.")
    }
  }
}
