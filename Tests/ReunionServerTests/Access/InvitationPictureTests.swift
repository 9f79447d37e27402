import Foundation
import ReunionCore
import Testing

@testable import ReunionServer

/// What strangers may send, and what is told of it.
@Suite struct InvitationPictureTests {
  @Test
  func
    `takes twelve pictures at once, two of one network, and another when a place is free or stale`()
    throws
  {
    let pictures = InvitationPictures()
    let places = (0..<12).compactMap { pictures.enter(from: "10.0.0.\($0 / 2)", now: 1000) }
    #expect(places.count == 12 && pictures.enter(from: "10.0.1.1", now: 1001) == nil)
    pictures.leave(places[0])
    // Connections that hold all places of a network keep only that network out.
    #expect(pictures.enter(from: "10.0.0.3", now: 1001) == nil)
    let next = try #require(pictures.enter(from: "10.0.1.1", now: 1001))
    #expect(pictures.enter(from: "10.0.1.2", now: 1002) == nil)
    // A connection that drips bytes keeps nobody out for long, and gets no answer.
    #expect(pictures.enter(from: "10.0.0.3", now: 1030.5) != nil)
    #expect(!pictures.holds(places[1]) && pictures.holds(next))
  }

  @Test func `an IPv4 address is a network, and of IPv6 the first 64 bits are`() {
    #expect(RateLimit.network(of: "192.168.1.7") == "192.168.1.7")
    #expect(RateLimit.network(of: "::ffff:192.168.1.7") == "192.168.1.7")
    for address in ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::9", "2001:db8:1:2:ffff::"] {
      #expect(RateLimit.network(of: address) == "2001:db8:1:2")
    }
    #expect(RateLimit.network(of: "2001:db8::9") == "2001:db8:0:0")
    #expect(RateLimit.network(of: "fe80::1%eth0") == "fe80:0:0:0")
    #expect(RateLimit.network(of: "::1") == "0:0:0:0")
  }

  @Test func `three hundred join from one network in ten minutes, and others meanwhile`() {
    var limit = RateLimit(300, in: 600)
    let joined = (0..<400).map { _ in limit.allows("10.0.0.1", now: 1_000) }
    #expect(joined.count(where: \.self) == 300)
    let others = [
      limit.allows("10.0.0.2", now: 1_001), limit.allows("10.0.0.1", now: 1_599),
      limit.allows("10.0.0.1", now: 1_600),
    ]
    #expect(others == [true, false, true])
    // However many addresses a flood has, what is remembered of it is bounded.
    for number in 0..<100_000 {
      _ = limit.allows("2001:db8:\(number % 65_536):\(number)::1", now: 1_601)
    }
    #expect(limit.networkCount <= RateLimit.networksMax)
  }

  @Test func `takes thirty pictures a minute, and twelve of them from one network`() {
    let pictures = InvitationPictures()
    func send(_ now: Double, _ address: String) -> Bool {
      guard let place = pictures.enter(from: address, now: now) else { return false }
      pictures.leave(place)
      return true
    }
    // A network that sends junk without end uses up its own allowance.
    #expect((0..<40).count { _ in send(1000, "10.0.0.1") } == 12)
    #expect((0..<40).count { send(1000, "10.0.1.\($0)") } == 18)
    #expect(!send(1059, "10.0.0.2") && send(1061, "10.0.0.1"))
    // A clock that is set back lets pictures in again.
    #expect(send(500, "10.0.0.1"))
  }

  @Test func `takes JPEG and PNG of strangers, by their bytes, and says what to do with others`()
    throws
  {
    let path = NSTemporaryDirectory() + "/picture-\(UUID()).jpg"
    defer { unlink(path) }
    func refusal(_ head: [UInt8]) throws -> Access.Refusal? {
      try Data(head + [UInt8](repeating: 0, count: 300)).write(to: URL(filePath: path))
      do {
        try InvitationPictures.requireTaken(path)
        return nil
      } catch {
        return error
      }
    }
    #expect(try refusal([0xFF, 0xD8, 0xFF, 0xE0]) == nil)
    #expect(try refusal([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) == nil)
    for head in ["GIF89a", "RIFF\0\0\0\0WEBP", "II*\0", "\0\0\0\u{18}ftypheic", "BM"] {
      let refusal = try #require(try refusal(Array(head.utf8)))
      #expect(refusal.status == 415 && refusal.description.contains("Take a screenshot"))
    }
    for head in ["", "<svg/>", "%PDF-1.4"] {
      #expect(try refusal(Array(head.utf8))?.status == 404)
    }
    unlink(path)
    #expect(throws: Access.Refusal.self) { try InvitationPictures.requireTaken(path) }
  }

  @Test func `knows the secret of a link, and nothing of any other text`() {
    #expect(InvitationPictures.secret(in: "http://192.168.1.2:8080/#join=abc_D-1") == "abc_D-1")
    for text in [
      "", "#join=x", "http://host/#join=", "WIFI:S:home;P:secret;;", "javascript:#join=x",
      "http://host/" + String(repeating: "a", count: 3000) + "#join=x",
    ] {
      #expect(InvitationPictures.secret(in: text) == nil, "\(text.prefix(40))")
    }
  }

  @Test func `says of a picture that opens nothing which of five causes it has, and what to do`()
    throws
  {
    let house = try AccessTests.House()
    defer { house.remove() }
    let access = try Access(to: AccessTests.space, in: house.store)
    func link(_ secret: String) -> String { "http://192.168.1.2:8080/#join=\(secret)" }
    func refusal(_ texts: [String]?) -> String? {
      let error = #expect(throws: Access.Refusal.self) {
        try InvitationPictures.secret(in: texts, role: access.role)
      }
      return error?.description
    }
    let other = link("anothers")
    #expect(refusal(nil)?.hasPrefix("That picture could not be read.") == true)
    #expect(refusal([])?.hasPrefix("No code was found in that picture.") == true)
    #expect(
      refusal(["WIFI:S:home;;"])?.hasPrefix("The code in that picture is not an invitation.")
        == true)
    #expect(
      refusal([other])?.hasPrefix("The code in that picture belongs to another server.") == true)
    let secret = try access.invite(.add)
    #expect(
      try InvitationPictures.secret(in: ["5901234123457", other, link(secret)], role: access.role)
        == secret)
    try access.revokeInvitations(.add)
    #expect(
      refusal([other, link(secret)]) == "This link was withdrawn. Ask the host for a new one.")
  }
}
