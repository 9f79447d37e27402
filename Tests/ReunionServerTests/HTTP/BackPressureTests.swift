import Dispatch
import Glibc
import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSockets
import ReunionSync
import Testing
import Waiting

@testable import Reunion
@testable import ReunionServer

/// A session that is slower than the network: it holds the sender back, in place of its own memory
/// (guarantee 12).
@Suite struct BackPressureTests {
  /// Messages of a type that nobody knows, which a session skips.
  private static let filler = [UInt8](repeating: 200, count: 64 << 10)
  private static let fillerCount = 1024
  /// The kernel's buffers, the bound and a margin; the filler is 64 MiB.
  private static let heldBytesMax = 24 << 20

  private let folder = "/tmp/reunion-pressure-\(UInt64.random(in: 0 ... .max))"
  private let queue = DispatchQueue(label: "slow")

  private func session(_ link: any Link, _ store: Store) -> Session {
    let queue = queue
    return Session(
      link: link, store: store,
      configuration: Session.Configuration(space: SpaceID(high: 1, low: 1)), clock: TestClock(),
      execute: { work in queue.async(execute: work) })
  }

  /// Sends the filler from one end while the other's session stands still. Gives the bytes that
  /// have left when nothing moves any more.
  private func bytesTaken(from sender: any Link) -> Int {
    var sent = 0
    var message = Self.filler
    message[0] = 1
    var stillCount = 0
    while sent < Self.fillerCount * message.count, stillCount < 10 {
      guard sender.queuedBytes < 1 << 20 else {
        let waiting = sender.queuedBytes
        pause(for: .milliseconds(200), because: "the kernel may hold a segment back for as long")
        stillCount = sender.queuedBytes == waiting ? stillCount + 1 : 0
        continue
      }
      sender.send(message)
      sent += message.count
    }
    return sent - sender.queuedBytes
  }

  @Test(arguments: [true, false])
  func `memory stays bounded while work waits, and all of it is done later`(
    _ serverIsSlow: Bool
  ) throws {
    let store = try Store.open(folder: folder, model: Model())
    defer { _ = system("rm -rf \(folder)") }
    let connections = Log<WebSocketConnection>()
    let heard = Log<[UInt8]>()
    let slow = Lock<Session?>(nil)
    var limits = HTTPLimits()
    limits.progressTimeout = .seconds(3600)
    let server = try HTTPServer(port: 0, limits: limits) { _ in
      .webSocket { connection in
        if serverIsSlow {
          let session = self.session(connection, store)
          slow.withLock { $0 = session }
          session.start()
        } else {
          connection.start { if case .received(let bytes) = $0 { heard.append(bytes) } }
        }
        connections.append(connection)
      }
    }
    let loop = try EventLoop()
    defer { loop.stop() }
    let link = WebSocketLink(url: "ws://127.0.0.1:\(server.port)/", on: loop)
    let sender: any Link
    if serverIsSlow {
      link.start { if case .received(let bytes) = $0 { heard.append(bytes) } }
      #expect(connections.wait(for: 1))
      sender = link
    } else {
      let session = self.session(link, store)
      slow.withLock { $0 = session }
      session.start()
      #expect(connections.wait(for: 1))
      sender = try #require(connections.all.first)
    }
    #expect(heard.wait(for: 1))
    let space = SpaceID(high: 1, low: 1)
    let site = Site(device: 9, incarnation: 9)
    sender.send(Message.hello(Hello(space: space, site: site, isLeaf: true, seq: 0)).encoded())
    sender.send(Message.pull(Pull(position: [], vector: VersionVector())).encoded())
    #expect(
      heard.wait {
        $0.contains { if case .pushEnd? = try? Message(decoding: $0) { true } else { false } }
      })
    queue.suspend()
    let taken = bytesTaken(from: sender)
    queue.resume()
    #expect(taken < Self.heldBytesMax, "\(taken) bytes were taken in")
    sender.send(Message.ping(7).encoded())
    let pong = Message.pong(7).encoded()
    #expect(heard.wait { $0.contains(pong) })
    slow.withLock { $0 = nil }
  }
}
