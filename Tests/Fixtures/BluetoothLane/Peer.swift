import Foundation
import ReunionBluetooth
import ReunionCore
import ReunionDesktop
import ReunionFlow
import Waiting

/// The content of a message of the lane, and what is said of it.
enum Content {
  static func bytes(_ count: Int, _ seed: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ seed &+ $0 >> 8) }
  }

  /// What a peer advertises in place of a space's beacon.
  static let beacon = bytes(12, 99)

  /// FNV-1a.
  static func digest(_ bytes: [UInt8]) -> String {
    var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in bytes { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return String(digest, radix: 16)
  }
}

func say(_ line: String) {
  FileHandle.standardOutput.write(Data((line + "\n").utf8))
}

/// Says what happens on the way.
func note(_ line: String) { say(timed(String(line.prefix(160)))) }

/// A line after the time since the machine started.
func timed(_ line: String) -> String {
  String(format: "%8.2f  ", Double(milliseconds()) / 1000) + line
}

/// A process that is found, takes messages, and sends what it is told to.
enum Peer {
  static func run(_ arguments: [String]) async throws {
    let bugs = SeededBugs(named: arguments.dropFirst(3))
    let radio = BlueZRadio(.system, adapter: arguments[0], seededBugs: bugs)
    let bluetooth = try Bluetooth(radio: radio, folder: arguments[1])
    guard let invitation = Invitation(arguments[2]) else { throw LaneError("No invitation.") }
    bluetooth.open(invitation)
    var advertisement = ReunionService.advertisement
    advertisement.serviceData = [ReunionService.id: Content.beacon]
    try bluetooth.advertise(advertisement)
    let states = bluetooth.state.observe { state in say("state \(state)") }
    let known = Lock<VerifiedPeer?>(nil)
    let verified = bluetooth.verified.observe { peer in
      say("verified \(peer.id)")
      known.withLock { $0 = peer }
      peer.receive { message in
        say(
          "got \(message.lane) \(message.number) \(message.bytes.count) \(Content.digest(message.bytes))"
        )
        message.taken()
      }
    }
    while let line = await nextLine() {
      let words = line.split(separator: " ").map(String.init)
      guard words.count == 3, let peer = known.withLock({ $0 }) else { continue }
      let bytes = Content.bytes(Int(words[1]) ?? 0, Int(words[2]) ?? 0)
      peer.send(bytes) { result in say("sent \(words[1]) \(words[2]) \((try? result.get()) != nil)")
      }
    }
    withExtendedLifetime((states, verified)) {}
  }

  /// Reads on a thread of its own: `readLine` blocks.
  static func nextLine() async -> String? {
    await withCheckedContinuation { resume in
      Thread.detachNewThread { resume.resume(returning: readLine()) }
    }
  }
}

/// A process that serves an app's own service: a value to read, one to write, one that tells.
enum Plain {
  static let service = BluetoothID(high: 0x8e7f_0001_2b5d_4c8e, low: 0x9a55_c0ff_ee00_0001)
  static let writable = BluetoothID(high: 0x8e7f_0002_2b5d_4c8e, low: 0x9a55_c0ff_ee00_0001)
  static let telling = BluetoothID(high: 0x8e7f_0003_2b5d_4c8e, low: 0x9a55_c0ff_ee00_0001)
  static let readable = BluetoothID(high: 0x8e7f_0004_2b5d_4c8e, low: 0x9a55_c0ff_ee00_0001)

  static func run(_ arguments: [String]) async throws {
    let radio = BlueZRadio(adapter: arguments[0])
    let services = [
      RadioService(
        service,
        [
          RadioService.Characteristic(writable, [.write, .writeWithoutResponse]),
          RadioService.Characteristic(telling, .notify),
          RadioService.Characteristic(readable, .read, value: Array("hello from Reunion".utf8)),
        ])
    ]
    let listeners = Lock<Set<DeviceID>>([])
    radio.start { event in
      switch event {
      case .state(let state):
        say("state \(state)")
        guard state == .on else { return }
        radio.serve(services)
        radio.advertise(Advertisement(services: [service], name: "plain"))
      case .listening(let device, _):
        say("listening \(device)")
        listeners.withLock { _ = $0.insert(device) }
      case .left(let device, let reason):
        say("left \(device) \(reason)")
        listeners.withLock { _ = $0.remove(device) }
      case .received(let device, _, let bytes):
        say("got \(device) \(bytes.count) \(Content.digest(bytes))")
        // A number of values in answer, each with its place, or the same value.
        let count = bytes.starts(with: Array("BURST".utf8)) ? 100 : 1
        for number in 0..<count {
          let value = count == 1 ? bytes : [UInt8(number)] + Content.bytes(200, number)
          try? eventually("there is room for a value", every: .milliseconds(2)) {
            !listeners.withLock { $0.contains(device) }
              || radio.notify(value, of: telling, to: device)
          }
        }
      default: break
      }
    }
    // What it is told, it tells everybody who listens.
    while let line = await Peer.nextLine() {
      for device in listeners.withLock({ $0 }) {
        _ = radio.notify(Array(line.utf8), of: telling, to: device)
      }
    }
  }
}
