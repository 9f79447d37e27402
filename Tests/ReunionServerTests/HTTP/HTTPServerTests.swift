import Foundation
import Glibc
import Testing
import Waiting

@testable import ReunionServer

@Suite struct HTTPServerTests {
  private func echoServer(limits: HTTPLimits = HTTPLimits()) throws -> HTTPServer {
    try HTTPServer(port: 0, limits: limits) { request in
      .respond(
        .text(200, "\(request.method.rawValue) \(request.path.components.joined(separator: "|"))"))
    }
  }

  @Test func `answers requests one after another on one connection`() throws {
    let server = try echoServer()
    let client = try RawClient(port: server.port)
    for index in 0..<20 { #expect(client.ask(get("/a/\(index)")).text == "GET a|\(index)") }
    client.send(get("/x") + get("/y") + request("DELETE", "/z", ["Connection: close"]))
    #expect(client.receiveAnswer().text == "GET x")
    #expect(client.receiveAnswer().text == "GET y")
    #expect(client.receiveAnswer().text == "DELETE z")
    #expect(client.isEnded)
  }

  @Test func `answers HEAD with the length and no body`() throws {
    let server = try echoServer()
    let client = try RawClient(port: server.port)
    let answer = client.ask(request("HEAD", "/abc"), hasBody: false)
    #expect(answer.status == 200)
    #expect(answer["Content-Length"] == "8")
    #expect(client.ask(get("/next")).text == "GET next")
  }

  @Test(arguments: [
    "/../", "/a/../b", "/%2e%2e/x", "/%00", "//", "/a//b", "/a%2fb", "/a%2F..", "/a%5cb", "/%zz",
  ])
  func `refuses a path that leaves its place, before any handler sees it`(_ path: String) throws {
    let calls = Log<String>()
    let server = try HTTPServer(port: 0) { request in
      calls.append(request.path.raw)
      return .respond(.text(200, ""))
    }
    let client = try RawClient(port: server.port)
    #expect(client.ask(get(path)).status == 400)
    #expect(client.isEnded)
    #expect(calls.all.isEmpty)
  }

  @Test func `answers an unknown method with 501 and closes`() throws {
    let server = try echoServer()
    let client = try RawClient(port: server.port)
    #expect(client.ask(request("BREW", "/pot")).status == 501)
    #expect(client.isEnded)
  }

  @Test
  func
    `where all places are taken the oldest idle client makes room, and who works keeps its place`()
    throws
  {
    var limits = HTTPLimits()
    limits.connectionsMax = 4
    limits.headTimeout = .seconds(3600)
    let waiting = Log<HTTPResponder>()
    let server = try HTTPServer(port: 0, limits: limits) { request in
      guard request.path.raw == "/wait" else { return .respond(.text(200, "here")) }
      return .later { waiting.append($0) }
    }
    let clients = try (0..<4).map { _ in try RawClient(port: server.port) }
    for client in clients { #expect(client.ask(get("/")).text == "here") }
    let fifth = try RawClient(port: server.port)
    #expect(fifth.ask(get("/")).text == "here")
    #expect(clients[0].isEnded)

    let busy = [fifth] + clients[1...]
    for client in busy { client.send(get("/wait")) }
    #expect(waiting.wait(for: 4))
    #expect(try RawClient(port: server.port).isEnded)
    for responder in waiting.all { responder.respond(.text(200, "done")) }
    for client in busy { #expect(client.receiveAnswer().text == "done") }
    #expect(try RawClient(port: server.port).ask(get("/")).text == "here")
  }

  /// A server with four places, all of clients that take nothing of their long answers.
  private func stalled(
    _ stallTimeout: Duration
  ) throws -> (server: HTTPServer, clients: [RawClient]) {
    var limits = HTTPLimits()
    limits.connectionsMax = 4
    limits.stallTimeout = stallTimeout
    let begun = Log<String>()
    let long = [UInt8](repeating: 0x61, count: 32 << 20)
    let server = try HTTPServer(port: 0, limits: limits) { request in
      guard request.path.raw == "/long" else { return .respond(.text(200, "here")) }
      begun.append(request.remoteAddress)
      return .respond(HTTPResponse(200, body: long))
    }
    let clients = try (0..<4).map { _ in
      let client = try RawClient(port: server.port, receiveBufferBytes: 4096)
      client.send(get("/long"))
      return client
    }
    #expect(begun.wait(for: 4))
    return (server, clients)
  }

  @Test func `who takes nothing of an answer makes room where all places are taken`() throws {
    let (server, clients) = try stalled(.zero)
    #expect(try RawClient(port: server.port).ask(get("/")).text == "here")
    withExtendedLifetime(clients) {}
  }

  @Test
  func `who has just begun to take an answer keeps the place, but not half of all for one network`()
    throws
  {
    let (server, clients) = try stalled(.seconds(3600))
    #expect(try RawClient(port: server.port).isEnded)
    #expect(try RawClient(port: server.port, from: "127.0.0.9").ask(get("/")).text == "here")
    withExtendedLifetime(clients) {}
  }

  @Test func `a body that drips is closed at its end, although each byte is progress`() throws {
    let server = try HTTPServer(port: 0) { _ in
      .collect(limitBytes: 10_000, within: .seconds(1)) { $1.respond(.text(200, "all")) }
    }
    let whole = try RawClient(port: server.port)
    #expect(whole.ask(request("POST", "/", ["Content-Length: 2"]) + "ab").text == "all")
    let client = try RawClient(port: server.port)
    client.send(request("POST", "/", ["Content-Length: 10000"]))
    var count = 0
    while count < 9_000, client.send("x") {
      pause(for: .milliseconds(20), because: "the client drips a body")
      count += 1
    }
    #expect(count < 9_000)
  }

  @Test func `lives on after garbage`() throws {
    let server = try echoServer()
    var random = SystemRandomNumberGenerator()
    for round in 0..<50 {
      let client = try RawClient(port: server.port)
      client.send((0...(round * 97)).map { _ in UInt8.random(in: 0...255, using: &random) })
      client.send("\r\n\r\n")
      if round % 10 == 0 { #expect(client.receiveAnswer().status >= 400, "round \(round)") }
    }
    #expect(try ask(server.port, get("/alive")).text == "GET alive")
  }

  @Test func `serves promptly beside 300 half-open connections`() throws {
    var limits = HTTPLimits()
    // The clients stay as they are until the end: who waits for them gets no answer.
    limits.headTimeout = .seconds(3600)
    let server = try echoServer(limits: limits)
    var halfOpen: [RawClient] = []
    for _ in 0..<300 {
      let client = try RawClient(port: server.port)
      client.send("GET / HTTP/1.1\r\nHost")
      halfOpen.append(client)
    }
    #expect(try ask(server.port, get("/prompt")).text == "GET prompt")
    withExtendedLifetime(halfOpen) {}
  }

  @Test func `closes the oldest half-open connection beyond the limit`() throws {
    var limits = HTTPLimits()
    limits.halfOpenMax = 10
    // None is closed because it takes long.
    limits.headTimeout = .seconds(3600)
    let server = try HTTPServer(port: 0, limits: limits) { _ in .respond(.text(200, "ok")) }
    let clients = try (0..<11).map { _ in
      let client = try RawClient(port: server.port)
      client.send("GET")
      return client
    }
    #expect(clients[0].isEnded)
    #expect(clients[10].ask(" / HTTP/1.1\r\nHost: x\r\n\r\n").text == "ok")
  }

  @Test func `cuts a client that drips its head`() throws {
    var limits = HTTPLimits()
    limits.headTimeout = .milliseconds(600)
    let server = try HTTPServer(port: 0, limits: limits) { _ in .respond(.text(200, "ok")) }
    let client = try RawClient(port: server.port)
    // Fewer bytes than the first line of a request may have.
    var count = 0
    while count < 8_000, client.send("G") {
      pause(for: .milliseconds(50), because: "the client drips a head")
      count += 1
    }
    #expect(count < 8_000)
  }

  @Test func `serves 200 connections in turn`() throws {
    let server = try echoServer()
    for index in 0..<200 {
      #expect(try ask(server.port, get("/\(index)")).text == "GET \(index)")
    }
  }

  @Test func `sends a body of many megabytes to a slow reader`() throws {
    let body = (0..<5_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    var limits = HTTPLimits()
    limits.progressTimeout = .seconds(3600)
    let server = try HTTPServer(port: 0, limits: limits) { _ in
      .respond(HTTPResponse(200, body: body))
    }
    let client = try RawClient(port: server.port, receiveBufferBytes: 4096)
    client.send(get("/"))
    // It has begun, and cannot send all before somebody reads.
    var byte: UInt8 = 0
    #expect(recv(client.descriptor, &byte, 1, Int32(MSG_PEEK)) == 1)
    #expect(client.receiveAnswer().body == body)
  }

  @Test func `names the remedy where the port is in use`() throws {
    let server = try echoServer()
    let error = #expect(throws: ServerError.self) {
      try HTTPServer(port: server.port) { _ in .respond(.text(200, "")) }
    }
    #expect(error?.code == .portInUse)
    #expect(
      error?.description
        == "Port \(server.port) is in use. Stop the other program, or choose another port.")
    let other = #expect(throws: ServerError.self) {
      try HTTPServer(address: "192.0.2.1", port: 0) { _ in .respond(.text(200, "")) }
    }
    #expect(other?.code == .addressUnavailable)
    let name = #expect(throws: ServerError.self) {
      try HTTPServer(address: "localhost", port: 0) { _ in .respond(.text(200, "")) }
    }
    #expect(name?.code == .addressUnavailable)
  }

  @Test func `listens on the address that was asked for and on no other`() throws {
    let server = try echoServer()
    #expect(try RawClient(port: server.port).ask(get("/")).status == 200)
    // All of 127.0.0.0/8 is this machine: a socket that listens everywhere would answer here too.
    for other in ["127.0.0.2", "127.1.2.3"] {
      let refusal = #expect(throws: RawClient.Failure.self) {
        try RawClient(address: other, port: server.port)
      }
      #expect(refusal?.code == ECONNREFUSED)
    }
  }

  @Test func `stops cleanly with connections in every state`() throws {
    var limits = HTTPLimits()
    (limits.headTimeout, limits.stopTimeout) = (.seconds(3600), .seconds(300))
    let asked = Log<HTTPResponder>()
    for round in 0..<10 {
      let server = try HTTPServer(port: 0, limits: limits) { request in
        request.path.components == ["wait"]
          ? .later { asked.append($0) } : .respond(.text(200, "ok"))
      }
      let idle = try RawClient(port: server.port)
      #expect(idle.ask(get("/")).text == "ok")
      let half = try RawClient(port: server.port)
      half.send("GET /")
      let waiting = try RawClient(port: server.port)
      waiting.send(get("/wait"))
      #expect(asked.wait(for: round + 1))
      let stopped = Log<Int>()
      Thread.detachNewThread {
        server.stop()
        server.stop()
        stopped.append(round)
      }
      // Connections that do nothing are closed once the server has begun to stop.
      #expect(idle.isEnded)
      #expect(half.isEnded)
      asked.all.last?.respond(.text(200, "late"))
      #expect(waiting.receiveAnswer().text == "late")
      #expect(stopped.wait(for: 1))
      #expect(throws: RawClient.Failure.self) { try RawClient(port: server.port) }
    }
  }

  @Test func `an answer from another thread reaches its client, gone clients do no harm`() throws {
    let (answered, gone) = (Log<Int>(), Log<Int>())
    let server = try HTTPServer(port: 0) { request in
      .later { responder in
        Thread.detachNewThread {
          // Its client has gone by then.
          if request.path.raw == "/gone" { _ = gone.wait(for: 1) }
          responder.respond(.text(200, request.path.raw))
          responder.respond(.text(500, "twice"))
          answered.append(1)
        }
      }
    }
    for _ in 0..<20 { try RawClient(port: server.port).send(get("/gone")) }
    gone.append(1)
    #expect(try ask(server.port, get("/here")).text == "/here")
    #expect(answered.wait(for: 21))
    #expect(try ask(server.port, get("/still")).text == "/still")
  }

  @Test func `a responder that is dropped answers 500`() throws {
    let server = try HTTPServer(port: 0) { _ in .later { _ in } }
    #expect(try ask(server.port, get("/")).status == 500)
  }
}
