import Foundation
import ReunionBluetooth
import ReunionCommandLine
import ReunionFlow

/// The verb that lets others send messages here.
enum ReceiveVerb {
  static let verb = BluetoothVerb(
    "receive", "prints a code, and what those send who have it"
  ) { invocation, _ in
    let output = invocation.output
    let bluetooth = try invocation.open()
    try await invocation.needRadio(bluetooth)
    await invocation.tellFaults()
    let invitation = Invitation()
    bluetooth.open(invitation)
    bluetooth.advertise()
    output.say(
      ["code": invitation.description],
      "On the other device: reunion bluetooth send \(invitation) 'Hello'")
    let verified = bluetooth.verified.observe { peer in
      output.remark(["peer": "\(peer.id)"], "\(peer.id) is here.")
      peer.receive { message in
        output.say(
          [
            "peer": "\(peer.id)", "number": Int(message.number), "bytes": message.bytes.count,
            "text": Scratch.text(message.bytes),
          ],
          message.bytes.count > 1000
            ? "\(message.bytes.count) bytes" : Scratch.text(message.bytes).onOneLine)
        message.taken()
      }
    }
    await invocation.stay(nil)
    withExtendedLifetime(verified) {}
  }
}

/// The verb that sends one message.
enum SendVerb {
  static let verb = BluetoothVerb(
    "send", words: "CODE TEXT", "sends a message to the device that printed the code", count: 2...2
  ) { invocation, words in
    let bluetooth = try invocation.open()
    let peer = try await invocation.meet(words[0], bluetooth)
    try await peer.send(Array(words[1].utf8))
    invocation.output.say(["sent": words[1].utf8.count], "It is there.")
  }
}

/// The verb that measures.
enum BenchVerb {
  static let verb = BluetoothVerb(
    "bench", words: "CODE", "measures against the device that printed the code", count: 1...1
  ) { invocation, words in
    let bluetooth = try invocation.open()
    let clock = ContinuousClock()
    let start = clock.now
    let peer = try await invocation.meet(words[0], bluetooth)
    await invocation.tellFaults()
    let met = clock.now - start
    var times: [Duration] = []
    for _ in 0..<invocation.messages {
      let before = clock.now
      try await peer.send([UInt8](repeating: 1, count: 20))
      times.append(clock.now - before)
    }
    let before = clock.now
    let bytes = [UInt8](repeating: 2, count: invocation.bytes)
    for _ in 0..<invocation.messages { try await peer.send(bytes, on: .blobs) }
    let rate = Double(invocation.messages * invocation.bytes) / ((clock.now - before) / .seconds(1))
    let middle = times.sorted()[times.count / 2] / .milliseconds(1)
    invocation.output.say(
      [
        "metAfterMilliseconds": met / .milliseconds(1), "roundTripMilliseconds": middle,
        "bytesPerSecond": rate, "messages": invocation.messages, "messageBytes": invocation.bytes,
      ],
      String(
        format: "Met after %.2f s. A message of 20 bytes is there after %.0f ms. %d messages of "
          + "%d bytes: %.1f KB/s.", met / .seconds(1), middle, invocation.messages,
        invocation.bytes, rate / 1000))
  }
}

extension Invocation {
  /// Meets the device that has printed a code, and no other.
  func meet(_ code: String, _ bluetooth: Bluetooth) async throws -> VerifiedPeer {
    guard let invitation = Invitation(code) else { throw Self.noCode(code) }
    try await needRadio(bluetooth)
    output.remark(["state": "seeking"], "Looks for the other device.")
    return try await bluetooth.meet(by: invitation, limit: time ?? .seconds(60))
  }

  static func noCode(_ word: String) -> CommandFailure {
    CommandFailure(
      2, "\(word.onOneLine) is no code. Copy all four groups that the other device prints.")
  }
}
