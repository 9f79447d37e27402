import FeedServer
import Foundation
import Reunion
import Testing

/// What a server that means harm can do to somebody who joins.
@Suite struct MembershipTests {
  private static func join(at server: FeedServer) async -> JoinError? {
    await #expect(throws: JoinError.self) {
      _ = try await Membership.join(link: "http://127.0.0.1:\(server.port)/#join=secret")
    }
  }

  @Test func `an answer without end is ended`() async throws {
    let gate = DispatchSemaphore(value: 0)
    let server = try FeedServer { _ in
      var answer = FeedServer.Answer()
      answer.pieces = [[UInt8](repeating: 32, count: 1 << 20), [32]]
      answer.length = 1 << 40
      // The rest never comes: only who does not wait for it ends.
      answer.gate = gate
      return answer
    }
    defer {
      gate.signal()
      server.stop()
    }
    let error = await Self.join(at: server)
    #expect(error?.code == .refused)
    #expect(error?.description.contains("no end") == true)
  }

  @Test func `a server leads to no other one`() async throws {
    let other = try FeedServer { _ in .init(body: Array("{}".utf8)) }
    defer { other.stop() }
    let server = try FeedServer { _ in
      .init("307 Temporary Redirect", ["Location": other.url("/join").absoluteString])
    }
    defer { server.stop() }
    #expect(await Self.join(at: server)?.code == .refused)
    #expect(other.requests.isEmpty)
  }

  @Test func `an honest answer is read (negative control)`() async throws {
    let facts = #"{"token":"t","spaces":["00000000000000000000000000000001"],"more":1}"#
    let server = try FeedServer { _ in .init(body: Array(facts.utf8)) }
    defer { server.stop() }
    let joined = try await Membership.join(link: "http://127.0.0.1:\(server.port)/#join=secret")
    #expect(joined.token == "t" && joined.spaceIDs.count == 1)
  }
}
