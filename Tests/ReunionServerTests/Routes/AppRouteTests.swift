import Foundation
import ReunionCore
import ReunionStore
import Testing

@testable import ReunionServer

/// An app's own routes, beside those that every server has.
@Suite struct AppRouteTests {
  /// Routes of an app; `fail` is what a part of it throws.
  static func routes(_ fail: @escaping @Sendable () throws -> Void) -> [AppRoute] {
    [
      AppRoute([.get, .head], "app/words/*", "app/words/*/*", least: .view) { asked in
        .respond(
          .json(
            200,
            ["\(asked.device.role)", "\(asked.space)"] + asked.parts))
      },
      AppRoute([.get, .head], "app/file", "app/files/*", least: .edit) { asked in
        .file(
          .ofPeople(
            path: "/proc/self/\(asked.parts.last ?? "")", contentType: "text/plain",
            entityTag: EntityTag("tag")))
      },
      AppRoute([.post], "app/refusing", least: .add) { _ in
        throw UploadError(429, "That was too much. Wait an hour.")
      },
      AppRoute([.get], "app/failing", least: .admin) { _ in
        try fail()
        return .respond(.json(200, "done"))
      },
    ]
  }

  /// Routes that the server answers itself.
  private static var shadowed: [AppRoute] {
    ["devices", "health"].map { path in
      AppRoute([.get], path, least: .view) { _ in .respond(.json(200, "stolen")) }
    }
  }

  private static func house(_ change: (inout Server.Configuration) -> Void = { _ in }) throws
    -> RouteHouse
  {
    try RouteHouse { configuration, _ in
      configuration.routes = shadowed + routes({})
      change(&configuration)
    }
  }

  @Test func `tells who asks, for what, and in which space`() async throws {
    try await onThread {
      let house = try Self.house()
      let answer = try house.ask(.get, "/app/words/one/two?x=y", house.tokens[.view])
      #expect(answer.status == 200 && answer["Content-Type"] == "application/json")
      #expect(
        try JSONDecoder().decode([String].self, from: Data(answer.body))
          == ["view", "\(SpaceID(high: 7, low: 7))", "app", "words", "one", "two"])
      let head = try house.ask(.head, "/app/words/one", house.tokens[.add])
      #expect(head.status == 200 && head["Content-Length"] != "0")
    }
  }

  @Test func `a body is read where the route takes one, up to its limit and eight at once`()
    async throws
  {
    try await onThread {
      let house = try Self.house { configuration in
        configuration.routes.append(
          AppRoute([.post], "app/count", least: .add, bodyBytesMax: 1000) { asked in
            .respond(.json(200, "\(asked.body.count) \(asked.body.last ?? 0)"))
          })
      }
      let count = { (bytes: Int) in
        try house.ask(
          .post, "/app/count", house.tokens[.add], body: String(repeating: "7", count: bytes))
      }
      #expect(String(decoding: try count(1000).body, as: UTF8.self) == "\"1000 55\"")
      #expect(String(decoding: try count(0).body, as: UTF8.self) == "\"0 0\"")
      #expect(try count(1001).status == 413)
      #expect(
        try house.ask(.post, "/app/count", house.tokens[.view], body: "1").status == 403)
      // Each place is given back: what was answered, refused or broken off holds none.
      for _ in 0..<2 * BodyPlaces.workedOnMax { #expect(try count(10).status == 200) }
    }
  }

  /// The statuses of what some connections of one device ask, each one question after the other.
  private static func statuses(
    of connectionCount: Int, each count: Int, _ path: String, in house: RouteHouse
  ) -> Set<Int> {
    let (port, token) = (house.port, house.tokens[.add] ?? "")
    let found = Log<Int>()
    DispatchQueue.concurrentPerform(iterations: connectionCount) { _ in
      let head = request(
        "POST", path, ["Content-Length: 1", "Authorization: Bearer \(token)"]
      ).replacing("Host: test", with: "Host: 127.0.0.1")
      for _ in 0..<count { found.append((try? ask(port, head + "1").status) ?? 0) }
    }
    return Set(found.all)
  }

  @Test func `a page that asks several things at once is told of none that it is too much`()
    async throws
  {
    try await onThread {
      let house = try Self.house { configuration in
        for (path, bytesMax) in [("app/small", 1000), ("app/large", 1 << 20)] {
          configuration.routes.append(
            AppRoute([.post], path, least: .add, bodyBytesMax: bytesMax) { _ in
              .respond(.json(200, "taken"))
            })
        }
      }
      #expect(Self.statuses(of: 12, each: 20, "/app/small", in: house) == [200])
      #expect(Self.statuses(of: BodyPlaces.mostOfOne, each: 100, "/app/large", in: house) == [200])
    }
  }

  @Test func `whoever has an answer has the place, too`() async throws {
    try await onThread {
      let house = try Self.house { configuration in
        configuration.routes.append(
          AppRoute([.post], "app/large", least: .add, bodyBytesMax: 1 << 20) { _ in
            .respond(.json(200, "taken"))
          })
      }
      let head = request(
        "POST", "/app/large",
        ["Content-Length: 0", "Authorization: Bearer \(house.tokens[.add] ?? "")"]
      ).replacing("Host: test", with: "Host: 127.0.0.1")
      guard
        case .request(let asked, _) = HTTPRequestReader.read(Array(head.utf8), from: "127.0.0.1")
      else {
        Issue.record("This is no request.")
        return
      }
      let server = house.server
      let entered = Log<Int>()
      guard case .receive(let body, _, _) = server.answer(asked) else {
        Issue.record("There is no place.")
        return
      }
      body.began(
        HTTPResponder { _ in
          let next = (0..<BodyPlaces.mostOfOne).map { _ in server.answer(asked) }
          entered.append(next.count { if case .receive = $0 { true } else { false } })
        })
      body.finished()
      #expect(entered.wait(for: 1) && entered.all == [BodyPlaces.mostOfOne])
    }
  }

  @Test func `leads nobody below its role anywhere, and no other method or path to it`()
    async throws
  {
    try await onThread {
      let house = try Self.house()
      for row in Self.routes({}).map(\.row) {
        for path in row.paths.map({ "/" + $0.replacing("*", with: "stat") }) {
          for method in row.methods {
            #expect(try house.ask(method, path, nil).status == 401)
            for role in Role.allCases {
              let status = try house.ask(method, path, house.tokens[role]).status
              #expect((status == 403) == (role < row.least ?? .view), "\(method) \(path) \(role)")
            }
          }
          #expect(try house.ask(.delete, path, house.tokens[.admin]).status == 404)
          #expect(try house.ask(.get, path + "/a/b", house.tokens[.admin]).status == 404)
        }
      }
      #expect(try house.ask(.get, "/app/words", house.tokens[.admin]).status == 404)
    }
  }

  @Test func `a path that the server answers is the server's`() async throws {
    try await onThread {
      let house = try Self.house()
      #expect(try house.ask(.get, "/devices", house.tokens[.view]).status == 403)
      #expect(try house.ask(.get, "/devices", house.tokens[.admin]).text.contains("joinedAt"))
      #expect(try house.ask(.get, "/health", nil).text.contains("\"status\":\"ok\""))
    }
  }

  @Test func `goes before the pages`() async throws {
    try await onThread {
      let folder = "\(NSTemporaryDirectory())/page-\(UUID())"
      defer { try? FileManager.default.removeItem(atPath: folder) }
      try FileManager.default.createDirectory(
        atPath: folder + "/app", withIntermediateDirectories: true)
      try Data("page".utf8).write(to: URL(filePath: folder + "/app/file.txt"))
      let house = try Self.house { try? $0.pages.add(folder: folder, at: "/") }
      #expect(try house.ask(.get, "/app/file.txt", nil).text == "page")
      #expect(try house.ask(.get, "/app/file", nil).status == 401)
    }
  }

  @Test func `answers from a file as the server does, and with 404 where there is none`()
    async throws
  {
    try await onThread {
      let house = try Self.house()
      let token = house.tokens[.edit]
      let answer = try house.ask(.get, "/app/files/stat", token, ["If-None-Match: \"tag\""])
      #expect(answer.status == 304 && answer["Cache-Control"] == "private, max-age=86400")
      #expect(answer["Cross-Origin-Resource-Policy"] == "same-origin")
      #expect(try house.ask(.get, "/app/files/none", token).status == 404)
    }
  }

  @Test func `a refusal of the app reaches who asked, and the log where it was too much`()
    async throws
  {
    try await onThread {
      let path = "\(NSTemporaryDirectory())/security-\(UUID()).log"
      defer { try? FileManager.default.removeItem(atPath: path) }
      let house = try Self.house { $0.log = SecurityLog(path: path) }
      let answer = try house.ask(.post, "/app/refusing", house.tokens[.add])
      #expect(
        answer.status == 429 && answer.text == "{\"error\":\"That was too much. Wait an hour.\"}")
      #expect(house.told.all.isEmpty)
      let lines = try String(contentsOfFile: path, encoding: .utf8)
      #expect(lines.contains("limited") && lines.contains("app"))
    }
  }
}
