import FeedServer
import Foundation
import Testing
import Waiting

@testable import ReunionFeeds

/// Downloads from a real server, over real sockets.
@Suite struct DownloadTests {
  /// With time for a machine that does much else.
  static func start(
    _ address: URL, unless validators: FeedValidators = FeedValidators()
  ) async throws -> FeedDownload? {
    try await FeedDownload.start(address, unless: validators, secondsMax: 300)
  }

  static func bytes(_ download: FeedDownload?) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    guard let download else { return bytes }
    for try await piece in download { bytes += piece }
    return bytes
  }

  @Test func `brings the bytes, and what to ask with the next time`() async throws {
    let server = try FeedServer { request in
      if request.fields["if-none-match"] == "\"1\"" { return .init("304 Not Modified") }
      return .init(
        "200 OK", ["ETag": "\"1\"", "Last-Modified": "Sat, 21 Nov 2026 18:04:11 GMT"],
        body: Array(Samples.quakes.utf8))
    }
    defer { server.stop() }
    let download = try #require(try await Self.start(server.url("/feed")))
    #expect(download.byteCountExpected == Samples.quakes.utf8.count)
    #expect(download.validators.entityTag == "\"1\"")
    #expect(try await Self.bytes(download) == Array(Samples.quakes.utf8))
    #expect(try await Self.start(server.url("/feed"), unless: download.validators) == nil)
    let fields = try #require(server.requests.last).fields
    #expect(fields["if-modified-since"] == "Sat, 21 Nov 2026 18:04:11 GMT")
    #expect(server.requests[0].fields["if-none-match"] == nil)
  }

  @Test func `hands out entries while the rest is still on its way`() async throws {
    let text = Array(Samples.quakes.utf8)
    let half = try #require(text.firstRange(of: Array("</entry>".utf8))?.upperBound)
    let gate = DispatchSemaphore(value: 0)
    let server = try FeedServer { _ in
      var answer = FeedServer.Answer()
      answer.pieces = [Array(text[..<half]), Array(text[half...])]
      answer.gate = gate
      return answer
    }
    defer { server.stop() }
    let download = try #require(try await Self.start(server.url("/")))
    var ids: [String] = []
    for try await entry in download.feedEntries() {
      ids.append(entry.id)
      // The server sends the second half when the first entry is here, and not before.
      if ids.count == 1 { gate.signal() }
    }
    #expect(ids.count == 2)
  }

  @Test func `says that a download broke off, after the entries that came`() async throws {
    let server = try FeedServer { _ in
      var answer = FeedServer.Answer(body: Array(Samples.quakes.utf8.dropLast(100)))
      answer.length = Samples.quakes.utf8.count
      return answer
    }
    defer { server.stop() }
    let download = try #require(try await Self.start(server.url("/")))
    var ids: [String] = []
    let error = await #expect(throws: FeedDownloadError.self) {
      for try await entry in download.feedEntries() { ids.append(entry.id) }
    }
    #expect(error?.code == .brokenOff)
    #expect(ids == ["urn:earthquake-usgs-gov:us:7000test"])
  }

  @Test func `follows redirects, and ends where they go in circles`() async throws {
    let server = try FeedServer { request in
      switch request.path {
      case "/old": .init("301 Moved Permanently", ["Location": "/new"])
      case "/new": .init(body: Array(Samples.rdf.utf8))
      default: .init("302 Found", ["Location": "/circle"])
      }
    }
    defer { server.stop() }
    let moved = try await Self.start(server.url("/old"))
    #expect(try await Self.bytes(moved) == Array(Samples.rdf.utf8))
    await #expect(throws: FeedDownloadError.self) {
      _ = try await Self.start(server.url("/circle"))
    }
  }

  @Test func `unpacks what comes compressed`() async throws {
    // "<feed/>" by gzip.
    let packed: [UInt8] = [
      31, 139, 8, 0, 0, 0, 0, 0, 2, 255, 179, 73, 75, 77, 77, 209, 183, 3, 0, 41, 69, 139, 237, 7,
      0, 0, 0,
    ]
    let server = try FeedServer { request in
      guard request.fields["accept-encoding"]?.contains("gzip") == true else {
        return .init("406 Not Acceptable")
      }
      return .init("200 OK", ["Content-Encoding": "gzip"], body: packed)
    }
    defer { server.stop() }
    let download = try await Self.start(server.url("/"))
    #expect(String(decoding: try await Self.bytes(download), as: UTF8.self) == "<feed/>")
    #expect(download?.byteCountExpected == nil)
  }

  @Test(arguments: [
    ("404 Not Found", "refused"), ("403 Forbidden", "refused"), ("503 Busy", "unreachable"),
  ])
  func `says when the server says no`(status: String, code: String) async throws {
    let server = try FeedServer { _ in .init(status, [:], body: Array("sorry".utf8)) }
    defer { server.stop() }
    let error = await #expect(throws: FeedDownloadError.self) {
      _ = try await Self.start(server.url("/"))
    }
    #expect(error?.code.description == code)
  }

  @Test func `says when there is no server, and when an address is none`() async throws {
    let server = try FeedServer { _ in .init() }
    let address = server.url("/")
    server.stop()
    let error = await #expect(throws: FeedDownloadError.self) {
      _ = try await Self.start(address)
    }
    #expect(error?.code == .unreachable)
    for text in ["file:///etc/hostname", "ftp://127.0.0.1/x", "feed"] {
      let error = await #expect(throws: FeedDownloadError.self) {
        _ = try await Self.start(try #require(URL(string: text)))
      }
      #expect(error?.code == .badAddress)
    }
  }

  @Test func `ends when its task is cancelled`() async throws {
    let server = try FeedServer { _ in
      var answer = FeedServer.Answer(body: Array("<feed>".utf8))
      answer.length = 1_000_000
      answer.pieces.append([])
      answer.gate = DispatchSemaphore(value: 0)
      return answer
    }
    defer { server.stop() }
    let download = try #require(try await Self.start(server.url("/")))
    let task = Task {
      var count = 0
      for try await piece in download {
        count += piece.count
        withUnsafeCurrentTask { $0?.cancel() }
      }
      return count
    }
    let error = await #expect(throws: FeedDownloadError.self) { _ = try await task.value }
    #expect(error?.code == .cancelled)
  }

  @Test func `ends when its task is cancelled, though more is at hand`() async throws {
    let server = try FeedServer { _ in .init(body: [UInt8](repeating: 32, count: 3_000_000)) }
    defer { server.stop() }
    let download = try #require(try await Self.start(server.url("/")))
    let task = Task {
      var iterator = download.makeAsyncIterator()
      _ = try await iterator.next()
      try await eventually("more is at hand") { download.hasBytesWaiting }
      withUnsafeCurrentTask { $0?.cancel() }
      _ = try await iterator.next()
    }
    let error = await #expect(throws: FeedDownloadError.self) { try await task.value }
    #expect(error?.code == .cancelled)
  }

  @Test(arguments: [true, false])
  func `what arrives faster than it is taken is all there, in its order`(
    afterAll: Bool
  ) async throws {
    // Longer than what waits in memory.
    let body = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    let server = try FeedServer { _ in .init(body: body) }
    defer { server.stop() }
    let download = try #require(try await Self.start(server.url("/")))
    var iterator = download.makeAsyncIterator()
    var bytes: [UInt8] = []
    while let piece = try await iterator.next() {
      bytes += piece
      if afterAll {
        try await eventually("all has come") { download.isOver }
      } else if bytes.count < 500_000 {
        try await pause(for: .milliseconds(5), because: "the reader is slower than the server")
      }
    }
    #expect(bytes == body)
  }
}
