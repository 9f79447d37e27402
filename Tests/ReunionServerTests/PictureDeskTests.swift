import Foundation
import ReunionCore
import Testing

@testable import ReunionServer

/// What strangers may send, and what is told of it.
@Suite struct PictureDeskTests {
  @Test func `takes three pictures at once, and another one when a place is free or stale`() throws
  {
    let desk = PictureDesk()
    let places = (0..<3).compactMap { _ in desk.enter(now: 1000) }
    #expect(places.count == 3 && desk.enter(now: 1001) == nil)
    desk.leave(places[0])
    let next = try #require(desk.enter(now: 1001))
    #expect(desk.enter(now: 1002) == nil)
    // Who drips bytes keeps nobody out for long, and is answered nothing.
    #expect(desk.enter(now: 1030.5) != nil)
    #expect(!desk.holds(places[1]) && desk.holds(next))
  }

  @Test func `takes thirty pictures a minute, whoever sends them`() {
    let desk = PictureDesk()
    func send(_ now: Double) -> Bool {
      guard let place = desk.enter(now: now) else { return false }
      desk.leave(place)
      return true
    }
    #expect((0..<40).count { _ in send(1000) } == 30)
    #expect(!send(1059) && send(1061))
    // A clock that is set back opens the desk again.
    #expect(send(500))
  }

  @Test func `knows the secret of a link, and nothing of any other text`() {
    #expect(PictureDesk.secret(in: "http://192.168.1.2:8080/#join=abc_D-1") == "abc_D-1")
    for text in [
      "", "#join=x", "http://host/#join=", "WIFI:S:home;P:secret;;", "javascript:#join=x",
      "http://host/" + String(repeating: "a", count: 3000) + "#join=x",
    ] {
      #expect(PictureDesk.secret(in: text) == nil, "\(text.prefix(40))")
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
        try PictureDesk.secret(in: texts, role: access.role)
      }
      return error?.description
    }
    let other = link("anothers")
    #expect(refusal(nil)?.hasPrefix("That picture could not be read.") == true)
    #expect(refusal([])?.hasPrefix("No code was found in that picture.") == true)
    #expect(
      refusal(["WIFI:S:home;;"])?.hasPrefix("The code in that picture is no invitation.") == true)
    #expect(refusal([other])?.hasPrefix("The code in that picture is of another album.") == true)
    let secret = try access.invite(.add)
    #expect(
      try PictureDesk.secret(in: ["5901234123457", other, link(secret)], role: access.role)
        == secret)
    try access.revokeInvitations(.add)
    #expect(
      refusal([other, link(secret)]) == "This link was withdrawn. Ask the host for a new one.")
  }
}
