import Foundation
import ReunionCore
import ReunionStore
import Testing

@testable import ReunionServer

/// A server behind a proxy with TLS: what a browser is told, and who is believed.
@Suite struct HostingTests {
  /// A server whose public address is `https://album.example`, with a proxy on this machine.
  private final class House {
    let folder = "\(NSTemporaryDirectory())/hosting-\(UUID())"
    let store: Store
    let access: Access
    let server: Server
    let port: UInt16
    let secret: String

    init() throws {
      store = try Store.open(folder: folder, model: Model(entities: Access.entities))
      access = try Access(to: SpaceID(high: 7, low: 7), in: store)
      secret = try access.invite(.add)
      let socket = try ListeningSocket(address: "127.0.0.1", port: 0)
      port = socket.port
      var configuration = Server.Configuration(
        listener: socket, uploadFolder: folder + "/uploads", name: { "Hosting" },
        invitation: { ($0.link("guests"), "") })
      let origin = try Origin(publicURL: "https://album.example")
      configuration.publicOrigin = origin
      configuration.proxies = .loopback
      configuration.shareable = { _ in origin }
      server = try Server(
        SpaceID(high: 7, low: 7), in: store, access: access, configuration: configuration)
      try server.start()
    }

    deinit {
      server.stop()
      try? store.close()
      try? FileManager.default.removeItem(atPath: folder)
    }

    func ask(
      _ method: String, _ path: String, host: String = "album.example", _ fields: [String] = [],
      _ body: String = ""
    ) throws -> Answer {
      let fields = fields + ["Content-Length: \(body.utf8.count)"]
      let text = request(method, path, fields).replacing("Host: test", with: "Host: \(host)") + body
      return try ReunionServerTests.ask(port, text)
    }

    func join(host: String = "album.example", _ fields: [String] = []) throws -> Answer {
      try ask("POST", "/join", host: host, fields, "{\"invite\":\"\(secret)\"}")
    }
  }

  /// docs/protocol.md 3.1.
  @Test func `over TLS the cookie is bound to this name, and browsers stay with TLS`() throws {
    let house = try House()
    let answer = try house.join()
    let cookie = try #require(answer["Set-Cookie"])
    #expect(cookie.hasPrefix("__Host-reunion-") && cookie.hasSuffix("; Secure"))
    #expect(cookie.contains("; Path=/; HttpOnly; SameSite=Strict; Max-Age="))
    #expect(!cookie.contains("Domain"))
    #expect(answer["Strict-Transport-Security"] == "max-age=31536000")
    #expect(try house.ask("GET", "/nothing")["Strict-Transport-Security"] != nil)
    let pair = try #require(cookie.split(separator: ";").first)
    let session = try house.ask("GET", "/session", ["Cookie: \(pair)"])
    #expect(session.status == 200)
    #expect(session["Set-Cookie"]?.hasPrefix("\(pair); ") == true)
  }

  @Test func `at another address it is as it was: plain cookies, and no promise of TLS`() throws {
    let house = try House()
    let answer = try house.join(host: "127.0.0.1:\(house.port)")
    let cookie = try #require(answer["Set-Cookie"])
    #expect(cookie.hasPrefix("reunion-") && !cookie.contains("Secure"))
    #expect(answer["Strict-Transport-Security"] == nil)
  }

  @Test func `a cookie of plain HTTP opens nothing over TLS, and the other way round`() throws {
    let house = try House()
    for (from, to) in [("album.example", "127.0.0.1"), ("127.0.0.1", "album.example")] {
      let cookie = try #require(
        try house.join(host: from)["Set-Cookie"]?.split(separator: ";").first)
      #expect(try house.ask("GET", "/session", host: from, ["Cookie: \(cookie)"]).status == 200)
      #expect(try house.ask("GET", "/session", host: to, ["Cookie: \(cookie)"]).status == 401)
    }
  }

  @Test func `links lead to the public address, whatever address was asked`() throws {
    let house = try House()
    let token = try house.access.join(secret: house.access.inviteOwner(), isReplica: true).token
    for host in ["album.example", "127.0.0.1:\(house.port)"] {
      let bearer = ["Authorization: Bearer \(token)"]
      let invitation = try house.ask("GET", "/invite", host: host, bearer)
      #expect(invitation.text.contains("https://album.example/#join=guests"))
      let owner = try house.ask("POST", "/owner-link", host: host, bearer)
      #expect(owner.text.contains("\"https://album.example/#join="))
    }
  }

  @Test func `only a page of the public address may act there`() throws {
    let house = try House()
    #expect(try house.join(["Origin: https://album.example"]).status == 200)
    for origin in [
      "http://album.example", "https://album.example:8443", "https://evil.example", "null",
    ] {
      #expect(try house.join(["Origin: \(origin)"]).status == 403, "\(origin)")
    }
    // The second of two counts as well.
    let two = ["Origin: https://album.example", "Origin: https://evil.example"]
    #expect(try house.join(two).status == 403)
    // A proxy that does not pass the Host on is told so.
    let lost = try house.join(host: "127.0.0.1:8080", ["Origin: https://album.example"])
    #expect(lost.status == 403 && lost.text.contains("Host header"))
    #expect(try house.ask("GET", "/session", host: "other.example").status == 403)
  }

  @Test func `joins are counted by the client's network behind the proxy, and not by the proxy's`()
    throws
  {
    let house = try House()
    func status(_ client: String) throws -> Int {
      try house.ask("POST", "/join", ["X-Forwarded-For: \(client)"], "{\"invite\":\"no\"}").status
    }
    for _ in 0..<300 { #expect(try status("203.0.113.7") == 401) }
    #expect(try status("203.0.113.7") == 429)
    #expect(try status("9.9.9.9, 203.0.113.7") == 429)
    #expect(try status("203.0.113.8") == 401)
  }

  /// What a join and `GET /session` tell of it (docs/protocol.md 3.1, 3.2).
  @Test func `a device that was put out is told so, and its browser to drop what it keeps`() throws
  {
    let house = try House()
    let joined = try house.join()
    let cookie = "Cookie: \(joined["Set-Cookie"]?.split(separator: ";").first ?? "")"
    let number = try #require(house.access.devices().first?.number)
    try house.access.remove(device: number)
    let answer = try house.ask("GET", "/session", [cookie])
    #expect(answer.status == 401 && answer.text.contains("\"standing\":\"put-out\""))
    #expect(answer["Clear-Site-Data"] == "\"cache\"")
    // Nothing that its cache holds is confirmed.
    let tag = "If-None-Match: *"
    #expect(
      try house.ask("GET", "/blobs/\(String(repeating: "0", count: 64))", [cookie, tag]).status
        == 401)
    let again = try house.join([cookie])
    #expect(again.status == 200 && again.text.contains("\"before\":\"put-out\""))
    #expect(house.access.devices().map(\.number) != [number])
    let stranger = try house.ask("GET", "/session")
    #expect(stranger.status == 401 && !stranger.text.contains("standing"))
    #expect(stranger["Clear-Site-Data"] == nil)
  }

  @Test func `who signed out is no device that was put out`() throws {
    let house = try House()
    let joined = try house.join()
    let cookie = "Cookie: \(joined["Set-Cookie"]?.split(separator: ";").first ?? "")"
    let left = try house.ask("DELETE", "/session", [cookie])
    #expect(left.status == 204)
    #expect(left["Set-Cookie"]?.hasPrefix("__Host-reunion-") == true)
    #expect(left["Set-Cookie"]?.contains("Max-Age=0; Secure") == true)
    let answer = try house.ask("GET", "/session", [cookie])
    #expect(answer.status == 401 && !answer.text.contains("standing"))
  }
}
