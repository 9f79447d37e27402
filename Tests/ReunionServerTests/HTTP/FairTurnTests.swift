import Dispatch
import Testing

@testable import ReunionServer

@Suite struct FairTurnTests {
  @Test func `each network that waits is served before any is served again`() {
    var queue = FairQueue<Int>()
    for number in 0..<100 { queue.append(number, of: "a") }
    queue.append(100, of: "b")
    queue.append(101, of: "c")
    #expect(queue.count == 102)
    #expect((0..<4).map { _ in queue.next() } == [0, 100, 101, 1])
    queue.append(102, of: "b")
    #expect((0..<3).map { _ in queue.next() } == [2, 102, 3])
    while queue.next() != nil {}
    #expect(queue.isEmpty)
    queue.append(103, of: "a")
    #expect(queue.next() == 103 && queue.next() == nil)
  }

  /// How many requests of a hundred connections are read before that of somebody of another network, who
  /// asks after all of them.
  private func countAhead(errandsAtOnce: Int) throws -> Int {
    var limits = HTTPLimits()
    limits.errandsAtOnce = errandsAtOnce
    let (asked, held) = (Log<String>(), DispatchSemaphore(value: 0))
    let release = DispatchSemaphore(value: 0)
    let server = try HTTPServer(port: 0, limits: limits) { request in
      if request.path.raw == "/hold" {
        held.signal()
        release.wait()
      }
      asked.append(request.remoteAddress)
      return .respond(.text(200, "here"))
    }
    let holder = try RawClient(port: server.port)
    holder.send(get("/hold"))
    // Nobody is served from here on, until all have asked.
    held.wait()
    let crowd = try (0..<100).map { _ in
      let client = try RawClient(port: server.port)
      client.send(String(repeating: get("/"), count: 10))
      return client
    }
    let other = try RawClient(port: server.port, from: "127.0.0.9")
    other.send(get("/"))
    release.signal()
    #expect(other.receiveAnswer().text == "here")
    for client in crowd { for _ in 0..<10 { #expect(client.receiveAnswer().text == "here") } }
    return asked.all.firstIndex(of: "127.0.0.9") ?? -1
  }

  @Test func `who asks for much waits behind who asks for little`() throws {
    let ahead = try countAhead(errandsAtOnce: 4)
    #expect((1..<60).contains(ahead))
    // Negative control: without turns, hundreds go first.
    #expect(try countAhead(errandsAtOnce: 10_000) > 60)
  }

  @Test func `a body that came while its request waited is taken whole`() throws {
    var limits = HTTPLimits()
    limits.errandsAtOnce = 1
    let release = DispatchSemaphore(value: 0)
    let server = try HTTPServer(port: 0, limits: limits) { request in
      guard request.path.raw == "/body" else {
        release.wait()
        return .respond(.text(200, "held"))
      }
      return .collect(limitBytes: 1 << 20) { $1.respond(.text(200, "\($0.count)")) }
    }
    let holder = try RawClient(port: server.port)
    holder.send(get("/hold"))
    let senders = try (0..<8).map { _ in
      let client = try RawClient(port: server.port)
      client.send(request("POST", "/body", ["Content-Length: 400000"]))
      // More than is read before its turn, and no more than the system takes for a server that is busy.
      client.send([UInt8](repeating: 1, count: 200_000))
      return client
    }
    release.signal()
    for client in senders { client.send([UInt8](repeating: 2, count: 200_000)) }
    for client in senders { #expect(client.receiveAnswer().text == "400000") }
  }

  @Test func `of too many connections of one network that rest the oldest end`() throws {
    var limits = HTTPLimits()
    limits.restingMax = 8
    (limits.headTimeout, limits.idleTimeout) = (.seconds(3600), .seconds(3600))
    let server = try HTTPServer(port: 0, limits: limits) { _ in .respond(.text(200, "here")) }
    let other = try RawClient(port: server.port, from: "127.0.0.9")
    let clients = try (0..<20).map { index in
      let client = try RawClient(port: server.port)
      // Some have asked already, others have not.
      if index % 2 == 0 { #expect(client.ask(get("/")).text == "here") }
      return client
    }
    for client in clients.prefix(12) { #expect(client.isEnded) }
    for client in clients.suffix(8) + [other] { #expect(client.ask(get("/")).text == "here") }
  }

  @Test func `a known proxy may have as many that rest as it likes`() throws {
    var limits = HTTPLimits()
    limits.restingMax = 2
    limits.headTimeout = .seconds(3600)
    limits.isProxy = { $0 == "127.0.0.1" }
    let server = try HTTPServer(port: 0, limits: limits) { _ in .respond(.text(200, "here")) }
    let proxied = try (0..<10).map { _ in try RawClient(port: server.port) }
    let direct = try (0..<10).map { _ in try RawClient(port: server.port, from: "127.0.0.9") }
    // They are looked at together, and those of the proxy are older.
    for client in direct.prefix(8) { #expect(client.isEnded) }
    for client in proxied { #expect(client.ask(get("/")).text == "here") }
  }

  @Test func `who waits for a turn when the server stops is sent away`() throws {
    var limits = HTTPLimits()
    // Nothing is begun: all of them wait.
    limits.errandsAtOnce = 0
    let server = try HTTPServer(port: 0, limits: limits) { _ in .respond(.text(200, "here")) }
    let clients = try (0..<20).map { _ in try RawClient(port: server.port) }
    server.stop()
    for client in clients { #expect(client.isEnded) }
  }
}
