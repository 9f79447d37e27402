import Testing

@testable import ReunionServer

@Suite struct HostAddressTests {
  @Test func `reads names and numbers with and without a port, and writes them for a link`() {
    for (text, name, port, written) in [
      ("Album.lan", "album.lan", nil, "album.lan"),
      ("album.lan:80", "album.lan", 80, "album.lan:80"),
      ("[::1]:8080", "::1", 8080, "[::1]:8080"), ("[::1]", "::1", nil, "[::1]"),
      ("::1", "::1", nil, "[::1]"), ("10.0.0.7:", "10.0.0.7", nil, "10.0.0.7"),
    ] as [(String, String, UInt16?, String)] {
      let address = HostAddress(text)
      #expect(address.name == name)
      #expect(address.port == port)
      #expect("\(address)" == written)
    }
    #expect("\(HostAddress("a").with(defaultPort: 1))" == "a:1")
    #expect("\(HostAddress("a:2").with(defaultPort: 1))" == "a:2")
  }

  @Test func `knows what reaches this machine alone`() {
    for text in ["localhost:8080", "127.0.0.1", "127.9.9.9:1", "[::1]:8080", "LOCALHOST"] {
      #expect(HostAddress(text).isLoopback, "\(text)")
    }
    for text in ["album.lan", "192.168.1.2:80", "127.evil.example", "[fe80::1]:80"] {
      #expect(!HostAddress(text).isLoopback, "\(text)")
    }
  }
}
