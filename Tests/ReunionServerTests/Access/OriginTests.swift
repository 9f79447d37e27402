import ReunionCore
import Testing

@testable import ReunionServer

/// The address that a proxy gives a server, and whose word about a client is believed.
@Suite struct OriginTests {
  @Test(arguments: [
    ("https://album.example", "https://album.example", true),
    ("HTTPS://Album.Example/", "https://album.example", true),
    ("https://album.example:443", "https://album.example", true),
    ("https://album.example:8443", "https://album.example:8443", true),
    ("http://album.lan:80", "http://album.lan", false),
    ("https://[2001:db8::1]:8443", "https://[2001:db8::1]:8443", true),
  ])
  func `reads an address as a browser writes it`(
    _ text: String, _ written: String, _ isSecure: Bool
  )
    throws
  {
    let origin = try Origin(publicURL: text)
    #expect(origin.description == written)
    #expect(origin.isSecure == isSecure)
    #expect(origin.link("s", page: "wall") == "\(written)/wall#join=s")
  }

  @Test(arguments: [
    "album.example", "https://", "ftp://album.example", "https://:8443", "", "//album.example",
    "https://album.example:99999",
  ])
  func `what is no address is refused with one that is`(_ text: String) {
    let error = #expect(throws: ServerError.self) { try Origin(publicURL: text) }
    #expect(
      error?.description
        == "--public-url takes the address that people open, such as https://notes.example, not \(text)."
    )
  }

  @Test(arguments: [
    "http://album.example/photos", "http://album.example/?a=b", "http://album.example?a",
    "http://album.example/#x", "http://user@album.example",
  ])
  func `what follows the host is refused with the address to give`(_ text: String) {
    let error = #expect(throws: ServerError.self) { try Origin(publicURL: text) }
    #expect(
      error?.description
        == "--public-url takes only a scheme and a host, such as http://album.example. Give the server a"
        + " name of its own, or a port: it cannot be below a path.")
  }

  @Test func `a Host header names it with and without the scheme's own port`() throws {
    let origin = try Origin(publicURL: "https://album.example")
    #expect(origin.isNamed(by: "album.example") && origin.isNamed(by: "ALBUM.example:443"))
    for header in [nil, "album.example:8443", "album.example:80", "other.example", ""] {
      #expect(!origin.isNamed(by: header))
    }
  }
}

@Suite struct ProxiesTests {
  private func client(_ peer: String, _ fields: [String], _ proxies: Proxies) throws -> String {
    let text = request("GET", "/", fields.map { "X-Forwarded-For: \($0)" })
    guard case .request(let request, _) = HTTPRequestReader.read(Array(text.utf8), from: peer)
    else {
      throw ServerError(.invalidOption, "The request is malformed.")
    }
    return proxies.client(of: request)
  }

  @Test func `a client is believed to be whom the proxy names, and never whom it names itself`()
    throws
  {
    let here = Proxies.loopback
    #expect(try client("127.0.0.1", ["203.0.113.7"], here) == "203.0.113.7")
    #expect(try client("::1", ["2001:db8::7"], here) == "2001:db8::7")
    // The client sent the first; the proxy added the last.
    #expect(try client("127.0.0.1", ["10.1.1.1, 203.0.113.7"], here) == "203.0.113.7")
    #expect(try client("127.0.0.1", ["10.1.1.1", "203.0.113.7"], here) == "203.0.113.7")
    // Nobody but the proxy is believed.
    #expect(try client("203.0.113.9", ["203.0.113.7"], here) == "203.0.113.9")
    #expect(try client("127.0.0.1", ["203.0.113.7"], Proxies()) == "127.0.0.1")
  }

  @Test func `what is no address ends the list`() throws {
    for field in ["unknown", "203.0.113.7:80", "", "1.2.3.4 5.6.7.8", "localhost"] {
      #expect(try client("127.0.0.1", [field], .loopback) == "127.0.0.1")
    }
    #expect(try client("127.0.0.1", ["203.0.113.7, _hidden"], .loopback) == "127.0.0.1")
    #expect(try client("127.0.0.1", [], .loopback) == "127.0.0.1")
  }

  @Test func `several proxies in a row are passed`() throws {
    var proxies = Proxies()
    try proxies.add("10.0.0.0/8")
    try proxies.add("192.0.2.1")
    #expect(
      try client("192.0.2.1", ["198.51.100.9, 203.0.113.7, 10.9.9.9"], proxies) == "203.0.113.7")
    #expect(try client("192.0.2.2", ["203.0.113.7"], proxies) == "192.0.2.2")
    #expect(try client("::ffff:10.1.2.3", ["203.0.113.7"], proxies) == "203.0.113.7")
    // A proxy that asks for itself.
    #expect(try client("10.0.0.1", ["10.0.0.2"], proxies) == "10.0.0.2")
  }

  @Test func `a network ends within a byte`() {
    let network = IPNetwork("172.16.0.0/12")
    #expect(network?.contains([172, 31, 255, 255]) == true)
    #expect(network?.contains([172, 32, 0, 0]) == false)
    #expect(IPNetwork("0.0.0.0/0")?.contains([8, 8, 8, 8]) == true)
  }

  @Test(arguments: ["proxy.lan", "10.0.0.0/33", "10.0.0/8", "10.0.0.1/", "10.0.0.1/x", ""])
  func `what is no address of a proxy is refused`(_ text: String) {
    var proxies = Proxies()
    let error = #expect(throws: ServerError.self) { try proxies.add(text) }
    #expect(
      error?.description
        == "--proxy takes the address of the proxy, such as 10.0.0.2 or 172.18.0.0/16, not \(text)."
    )
  }
}
