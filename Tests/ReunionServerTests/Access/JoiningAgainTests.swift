import Foundation
import Testing

@testable import ReunionServer

/// Members who join again and again: each is a record for ever.
@Suite struct JoiningAgainTests {
  @Test func `one token joins a space twenty times in ten minutes, and others go on`() throws {
    let house = try RouteHouse()
    let secret = try house.access.invite(.add)
    func join(_ token: String?) throws -> Int {
      try house.ask(.post, "/join", token, body: "{\"invite\": \"\(secret)\"}").status
    }
    let own = house.tokens[.add]
    let statuses = try (0..<25).map { _ in try join(own) }
    #expect(statuses.count { $0 == 200 } == 20)
    #expect(statuses.suffix(5).allSatisfy { $0 == 429 })
    #expect(try join(house.tokens[.edit]) == 200)
    #expect(try join(nil) == 200)
  }

  @Test func `a parent whose family has thirty spaces joins each of them`() throws {
    let house = try House()
    let first = try house.joined(house.invite(.edit, to: "the family"))
    let statuses = try (0..<30).map { number in
      try house.join(house.invite(.edit, to: "space \(number)"), first.token).0
    }
    #expect(statuses.allSatisfy { $0 == 200 })
  }
}
