import Foundation
import Reunion
import Entrance
import ReunionServer
import ScreenTimeBook

/// What a page of the family asks for, all but a QR code in the family's space alone: a child's
/// devices are no members of it.
extension ScreenTimeService {
  static func routes(_ family: FamilySpaces, guests: GuestLink) -> [AppRoute] {
    [
      follow(family), keys(family), link(family), guestsLink(family, guests), erase(family),
      end(family), .code(least: .admin),
    ]
  }

  private struct Body: Decodable {
    var name: String?
    var person: String?
  }

  private static let nobody = HTTPResponse.error(404, "Nobody by that name is followed any more.")

  /// A route of the family's space alone; its handler gets what the body says.
  private static func route(
    _ method: HTTPRequest.Method, _ path: String, least: Role = .admin, _ family: FamilySpaces,
    _ answer: @escaping @Sendable (AppRoute.Asked, Body) throws -> HTTPResponse
  ) -> AppRoute {
    AppRoute([method], path, least: least, bodyBytesMax: 1000) { asked in
      guard asked.space == family.id else {
        return .respond(.error(403, "Only the family can do this."))
      }
      let body = try? JSONDecoder().decode(Body.self, from: Data(asked.body))
      return .respond(try answer(asked, body ?? Body()))
    }
  }

  /// `POST /people`: follows somebody more: `{"name"}`.
  private static func follow(_ family: FamilySpaces) -> AppRoute {
    route(.post, "people", family) { _, body in
      let name = (body.name ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
      guard !name.isEmpty, name.utf8.count <= 100 else {
        return .error(400, "Give a name of 100 letters at most.")
      }
      return .json(200, ["person": "\(try family.follow(name))"])
    }
  }

  /// `POST /keys`: lets a page of the family into somebody's two spaces, by the role that it has
  /// here: `{"person"}`.
  private static func keys(_ family: FamilySpaces) -> AppRoute {
    route(.post, "keys", least: .view, family) { asked, body in
      guard let person = try body.person.flatMap(family.somebody) else { return nobody }
      let role: Role = asked.device.role == .admin ? .admin : .view
      let (use, limits) = try family.accesses(to: person)
      let soon = Date().addingTimeInterval(600)
      return .json(
        200,
        [
          "use": try use.invite(role, expires: soon, uses: 1),
          "limits": try limits.invite(role, expires: soon, uses: 1),
        ])
    }
  }

  /// `POST /link`: the part after the `#` of a link for somebody's own devices, for a day.
  private static func link(_ family: FamilySpaces) -> AppRoute {
    route(.post, "link", family) { _, body in
      guard let person = try body.person.flatMap(family.somebody) else { return nobody }
      let (use, limits) = try family.accesses(to: person)
      let tomorrow = Date().addingTimeInterval(86_400)
      let join = try use.invite(.add, expires: tomorrow)
      let view = try limits.invite(.view, expires: tomorrow)
      return .json(200, ["fragment": "join=\(join)&limits=\(view)"])
    }
  }

  /// `POST /looking`: the part after the `#` of the link for those who look on.
  private static func guestsLink(_ family: FamilySpaces, _ guests: GuestLink) -> AppRoute {
    route(.post, "looking", family) { _, _ in .json(200, ["fragment": "join=\(guests.secret)"]) }
  }

  /// `DELETE /people/ID/history`: deletes somebody's history for good.
  private static func erase(_ family: FamilySpaces) -> AppRoute {
    route(.delete, "people/*/history", family) { asked, _ in
      guard let person = try family.somebody(asked.parts[1]) else { return nobody }
      try family.eraseHistory(of: person)
      return HTTPResponse(204)
    }
  }

  /// `DELETE /people/ID`: ends following somebody, and deletes everything for good.
  private static func end(_ family: FamilySpaces) -> AppRoute {
    route(.delete, "people/*", family) { asked, _ in
      guard let person = try family.somebody(asked.parts[1]) else { return nobody }
      try family.end(person)
      return HTTPResponse(204)
    }
  }
}
