import Foundation
import ReunionBluetooth
import ReunionFlow
import Waiting

/// What is run in the machine with the virtual radios, step by step.
final class Story: Sendable {
  let air: Int32
  let folder: String
  let program: String
  private let failures = Lock(0)
  private let figures = Lock<[String]>([])

  init(_ arguments: [String]) throws {
    program = CommandLine.arguments[0]
    air = try connectTo(arguments[0])
    folder = FileManager.default.temporaryDirectory.appending(path: "lane").path
  }

  /// Has the air do something, and waits until it has.
  func air(_ command: String) throws {
    try send(Array((command + "\n").utf8), to: air)
    var buffer = [UInt8](repeating: 0, count: 16)
    guard read(air, &buffer, 16) > 0 else { throw LaneError("The air is gone.") }
  }

  func step(_ name: String, _ body: () async throws -> String?) async {
    let start = milliseconds()
    do {
      let figure = try await body()
      let time = String(format: "%.2f", Double(milliseconds() - start) / 1000)
      say("✓ \(name) (\(time) s)\(figure.map { ": " + $0 } ?? "")")
      if let figure { figures.withLock { $0.append("\(name): \(figure)") } }
    } catch {
      failures.withLock { $0 += 1 }
      say("✘ \(name): \(error)")
    }
  }

  var hasFailed: Bool { failures.withLock { $0 > 0 } }
}

/// The lane's own view of one link: what came, and whether it stands.
final class Central: Sendable {
  let radio: BlueZRadio
  let bluetooth: Bluetooth
  let peer = Lock<VerifiedPeer?>(nil)
  let received = Lock<[String]>([])
  private let subscription = Lock<SignalSubscription?>(nil)

  init(adapter: String, folder: String) throws {
    radio = BlueZRadio(adapter: adapter)
    bluetooth = try Bluetooth(radio: radio, folder: folder)
    let (peer, received) = (peer, received)
    let observed = bluetooth.verified.observe { found in
      peer.withLock { $0 = found }
      found.receive { message in
        received.withLock { $0.append("\(message.number) \(Content.digest(message.bytes))") }
        message.taken()
      }
    }
    subscription.withLock { $0 = observed }
  }

  var isConnected: Bool { peer.withLock { $0 }?.isConnected.value ?? false }

  /// Sends, and waits until the other process has it.
  func deliver(_ count: Int, _ seed: Int) async throws {
    guard let peer = peer.withLock({ $0 }) else { throw LaneError("Nobody is known.") }
    let result = Lock<Bool?>(nil)
    peer.send(Content.bytes(count, seed)) { answer in
      result.withLock { $0 = (try? answer.get()) != nil }
    }
    let isSent = try await find("\(count) bytes are delivered") { result.withLock { $0 } }
    guard isSent else { throw LaneError("\(count) bytes were refused.") }
  }
}
