import Foundation
import ReunionCore
import ReunionStore
import Testing

@testable import ReunionServer

/// Who may ask a server for what: the table, the server that asks it, and the page that shows it.
@Suite struct RouteTests {
  private static let guide = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "docs/security.md")

  /// A server, and a token of each role.
  private final class House {
    let folder = "\(NSTemporaryDirectory())/routes-\(UUID())"
    let store: Store
    let access: Access
    let server: Server
    let port: UInt16
    var tokens: [Role: String] = [:]

    init() throws {
      store = try Store.open(folder: folder, model: Model(entities: Access.entities))
      let space = SpaceID(high: 7, low: 7)
      access = try Access(to: space, in: store)
      let socket = try ListeningSocket(address: "127.0.0.1", port: 0)
      port = socket.port
      server = try Server(
        space, in: store, access: access,
        configuration: .init(
          listener: socket, uploadFolder: folder + "/uploads", name: { "Routes" },
          mayRead: { _ in true }))
      try server.start()
      for role in Role.allCases { tokens[role] = try token(role) }
    }

    func token(_ role: Role) throws -> String {
      try access.join(secret: access.invite(role), isReplica: true).token
    }

    deinit {
      server.stop()
      try? store.close()
      try? FileManager.default.removeItem(atPath: folder)
    }

    func ask(_ method: HTTPRequest.Method, _ path: String, _ token: String?) throws -> Answer {
      var fields = ["Content-Length: 0"]
      if let token { fields.append("Authorization: Bearer \(token)") }
      return try ReunionServerTests.ask(
        port,
        request(method.rawValue, path, fields).replacing("Host: test", with: "Host: 127.0.0.1"),
        hasBody: method != .head)
    }
  }

  @Test(arguments: Route.allCases) func `a route answers those whom its row names, and nobody else`(
    route: Route
  ) throws {
    let house = try House()
    let asked = route.row.paths.isEmpty ? ["page"] : route.row.paths
    for method in route.row.methods {
      for path in asked.map({ "/" + $0.replacing("*", with: "00") }) {
        for role in [nil] + Role.allCases.map({ $0 as Role? }) {
          // Of its own, since signing out ends it.
          let token =
            try route == .signOut ? role.map(house.token) : role.flatMap { house.tokens[$0] }
          let status = try house.ask(method, path, token).status
          let isRefused = status == 401 || status == 403
          let mayAsk = route.row.least.map { least in role.map { $0 >= least } ?? false } ?? true
          #expect(
            isRefused == !mayAsk,
            "\(method) \(path) by \(role?.rawValue ?? "a stranger"): \(status)")
          #expect((status == 401) == (!mayAsk && role == nil))
        }
      }
    }
  }

  @Test func `each path and method leads to one route, and what no row names to the pages`() {
    for route in Route.allCases {
      for method in HTTPRequest.Method.allCases {
        for path in route.row.paths {
          let rows = Route.allCases.filter {
            $0.row.methods.contains(method) && $0.row.paths.contains(path)
          }
          #expect(rows.count <= 1, "\(method) \(path)")
          let found = Route(method, path.split(separator: "/").map(String.init))
          #expect(found == rows.first ?? .pages)
        }
      }
    }
    #expect(Route(.get, ["devices", "1", "2"]) == .pages)
    #expect(Route(.put, ["devices"]) == .pages)
    #expect(Route(.get, []) == .pages)
  }

  @Test func `the guide has a row for each route`() throws {
    let text = try String(contentsOf: Self.guide, encoding: .utf8)
    for route in Route.allCases where route != .pages {
      let who = route.row.least?.rawValue ?? "anybody"
      for path in route.row.paths {
        let methods = HTTPRequest.Method.allCases.filter(route.row.methods.contains)
          .map(\.rawValue).joined(separator: ", ")
        #expect(
          text.contains("| `\(methods)` | `/\(path)` | \(who) |"), "\(methods) /\(path) \(who)")
      }
    }
  }

  @Test func `who signs out is out, and another membership of the same device stays`() throws {
    let house = try House()
    let secret = try house.access.invite(.add)
    let (one, device) = try house.access.join(secret: secret)
    let two = try house.access.join(secret: secret, as: device).token
    let answer = try house.ask(.delete, "/session", one)
    #expect(answer.status == 204)
    #expect(answer["Set-Cookie"]?.contains("Max-Age=0") == true)
    #expect(try house.ask(.get, "/session", one).status == 401)
    #expect(try house.ask(.get, "/session", two).status == 200)
  }
}
