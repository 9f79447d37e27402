import FeedServer
import Foundation
import Testing
import Waiting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@testable import ReunionFeeds

/// Where a feed's address may lead, and how much may come of it.
@Suite struct RedirectTests {
  /// A network in which `*.example` is on the internet, though it is this machine; 127.0.0.2 is inside.
  static func network(
    _ resolve: @escaping @Sendable (String) async -> [NetworkAddress] = { host in
      [NetworkAddress(host.hasSuffix(".example") ? "127.0.0.1" : "127.0.0.2")].compactMap { $0 }
    }
  ) -> FeedNetwork {
    FeedNetwork(resolve: resolve) { $0 != NetworkAddress("127.0.0.1") }
  }

  static func start(
    _ text: String, port: UInt16, mayLeadInside: Bool = false, in network: FeedNetwork = network(),
    _ limits: FeedTransfer.Limits = .init()
  ) async throws -> FeedDownload? {
    let address = try #require(URL(string: text.replacing("PORT", with: "\(port)")))
    return try await FeedDownload.start(
      FeedRoute(address, mayLeadInside: mayLeadInside, in: network), unless: FeedValidators(), 300,
      limits)
  }

  private static func redirecting(to place: String) throws -> FeedServer {
    try FeedServer { request in
      request.path == "/feed"
        ? .init("302 Found", ["Location": place]) : .init(body: Array("<feed/>".utf8))
    }
  }

  @Test(arguments: [
    "http://127.0.0.2:PORT/x", "http://localhost:PORT/x", "http://router/x", "http://a.local/x",
    "http://2130706434:PORT/x", "http://0x7f.2/x", "http://127.2/x", "http://[::1]:PORT/x",
    "http://[::ffff:10.0.0.1]/x", "http://169.254.169.254/latest/meta-data", "//127.0.0.2/x",
    "http://inside.test:PORT/x", "https://inside.test/x", "http://user@127.0.0.2/x",
  ]) func `a feed of the internet does not redirect inside, and nothing is asked there`(
    place: String
  ) async throws {
    let asked = try FeedServer { _ in .init(body: Array("secret".utf8)) }
    defer { asked.stop() }
    let server = try Self.redirecting(to: place.replacing("PORT", with: "\(asked.port)"))
    defer { server.stop() }
    let error = await #expect(throws: FeedDownloadError.self) {
      _ = try await Self.start("http://feed.example:PORT/feed", port: server.port)
    }
    #expect(error?.code == .leadsInside, "\(error as Any)")
    #expect(server.requests.count == 1)
    #expect(asked.requests.isEmpty)
  }

  @Test func `a name of the internet is not given another address in between`() async throws {
    let inside = try FeedServer { _ in .init(body: Array("secret".utf8)) }
    defer { inside.stop() }
    // No such name is known to this machine: only the address that was looked at can be asked.
    let download = try await Self.start("http://feed.example:PORT/feed", port: inside.port)
    #expect(try await DownloadTests.bytes(download) == Array("secret".utf8))
    #expect(inside.requests.first?.fields["host"] == "feed.example:\(inside.port)")
    // And one of several addresses that is inside is enough to say no.
    let both = Self.network { _ in ["127.0.0.1", "10.0.0.1"].compactMap { NetworkAddress($0) } }
    let error = await #expect(throws: FeedDownloadError.self) {
      _ = try await Self.start("http://feed.example:PORT/feed", port: inside.port, in: both)
    }
    #expect(error?.code == .leadsInside)
  }

  @Test func `what a person named inside, or allowed, leads inside`() async throws {
    let server = try FeedServer { request in
      request.path == "/feed"
        ? .init("301 Moved Permanently", ["Location": "http://127.0.0.1:\(request.port)/x"])
        : .init(body: Array("<feed/>".utf8))
    }
    defer { server.stop() }
    let all = FeedNetwork(resolve: Self.network().resolve) { _ in true }
    for name in ["127.0.0.1", "localhost"] {
      let download = try await Self.start("http://\(name):PORT/feed", port: server.port, in: all)
      #expect(try await DownloadTests.bytes(download) == Array("<feed/>".utf8))
    }
    let address = try #require(URL(string: "http://feed.example/"))
    let request = URLRequest(url: address)
    for (isAllowed, count) in [(true, 1), (false, 0)] {
      let route = try FeedRoute(address, mayLeadInside: isAllowed, in: all)
      #expect((try? await route.attempts(request).count) ?? 0 == count)
    }
  }

  @Test(arguments: [
    "http://169.254.169.254/latest/meta-data", "http://[fe80::1]/x",
    "http://[::ffff:169.254.1.1]/x",
    "http://link.test/x",
  ])
  func `what a person named inside does not redirect to an address of one link`(
    place: String
  ) async throws {
    let server = try Self.redirecting(to: place)
    defer { server.stop() }
    let inside = FeedNetwork(
      resolve: {
        [NetworkAddress($0 == "link.test" ? "169.254.9.9" : "127.0.0.1")].compactMap { $0 }
      },
      isInside: { _ in true })
    let error = await #expect(throws: FeedDownloadError.self) {
      _ = try await Self.start("http://127.0.0.1:PORT/feed", port: server.port, in: inside)
    }
    #expect(error?.code == .leadsInside)
    #expect(server.requests.count == 1)
    // A person who names an address inside means it.
    let address = try #require(URL(string: "http://169.254.1.1/"))
    let route = try FeedRoute(address, mayLeadInside: false, in: inside)
    #expect(try await route.attempts(URLRequest(url: address)).count == 1)
  }

  @Test func `follows five redirects and no sixth, and forgets none of what it asks`() async throws
  {
    let server = try FeedServer { request in
      let number = Int(request.path.dropFirst()) ?? 0
      return number == 0
        ? .init(body: Array("<feed/>".utf8))
        : .init("307 Temporary", ["Location": "/\(number - 1)"])
    }
    defer { server.stop() }
    let five = try await Self.start("http://feed.example:PORT/5", port: server.port)
    #expect(try await DownloadTests.bytes(five) == Array("<feed/>".utf8))
    let accepted = server.requests.map { $0.fields["accept"]?.contains("application/atom+xml") }
    #expect(accepted == Array(repeating: true, count: 6))
    let error = await #expect(throws: FeedDownloadError.self) {
      _ = try await Self.start("http://feed.example:PORT/6", port: server.port)
    }
    #expect(error?.description.contains("redirects more than 5 times") == true)
  }

  @Test(arguments: [
    "file:///etc/hostname", "ftp://feed.example/x", "gopher://feed.example/x", "http:///x",
  ])
  func `redirects by http and https alone`(place: String) async throws {
    let server = try Self.redirecting(to: place)
    defer { server.stop() }
    let error = await #expect(throws: FeedDownloadError.self) {
      _ = try await Self.start("http://feed.example:PORT/feed", port: server.port)
    }
    #expect(error?.code == .badAddress)
  }

  @Test func `ends a document that is too long, and one that comes faster than it is read`()
    async throws
  {
    let server = try FeedServer { _ in .init(body: [UInt8](repeating: 32, count: 8 << 20)) }
    defer { server.stop() }
    for limits in [
      FeedTransfer.Limits(bytesMax: 4 << 20),
      FeedTransfer.Limits(spooledBytesMax: 1 << 20),
    ] {
      let download = try #require(
        try await Self.start("http://feed.example:PORT/feed", port: server.port, limits))
      // Nobody takes anything before all has come, or the server was stopped.
      try await eventually("the download is over") { download.isOver }
      let error = await #expect(throws: FeedDownloadError.self) {
        _ = try await DownloadTests.bytes(download)
      }
      #expect(error?.code == .tooLong)
    }
  }

  @Test(arguments: [
    "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1",
    "172.31.255.255", "192.168.1.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "::", "::1",
    "::ffff:127.0.0.1", "::ffff:8.8.8.8", "fe80::1%eth0", "fc00::1", "fdff::1", "ff02::1",
    "64:ff9b::10.0.0.1", "2002:7f00:1::", "2001::1", "2001:db8::1", "3fff::1", "fec0::1",
  ]) func `is inside`(text: String) throws {
    #expect(try #require(NetworkAddress(text)).isInside)
  }

  @Test(arguments: [
    "8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "192.169.0.1", "2606:4700::1111",
    "2a00:1450::1", "64:ff9b::8.8.8.8", "2002:808:808::",
  ]) func `is on the internet`(text: String) throws {
    #expect(try !#require(NetworkAddress(text)).isInside)
  }
}
