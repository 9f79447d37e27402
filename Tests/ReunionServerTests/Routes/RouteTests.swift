import Foundation
import ReunionCore
import ReunionStore
import Testing

@testable import ReunionServer

/// Which roles may ask a server for what: the table, the server that asks it, and the page that
/// shows it.
@Suite struct RouteTests {
  private static let guide = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "docs/security.md")

  @Test(arguments: Route.allCases) func `a route answers those whom its row names, and nobody else`(
    route: Route
  ) throws {
    let house = try RouteHouse()
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

  /// `DELETE /session` ends one membership (docs/protocol.md 3.2).
  @Test func `who signs out is out, and another membership of the same device stays`() throws {
    let house = try RouteHouse()
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
