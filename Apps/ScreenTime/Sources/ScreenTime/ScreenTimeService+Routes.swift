import Foundation
import Reunion
import ReunionMedia
import ReunionServer
import ScreenTimeBook

/// What a page of the family asks for. Only the space of the family has these routes: a child's
/// devices are no members of it.
extension ScreenTimeService {
  static func routes(_ family: FamilySpaces, guests: Variable<String>) -> [AppRoute] {
    [
      follow(family), keys(family), link(family), guestsLink(family, guests), erase(family),
      end(family), code,
    ]
  }

  private struct Asked: Decodable {
    var name: String?
    var person: String?
  }

  private static let notHere = HTTPResponse.error(403, "Only the family can do this.")
  private static let nobody = HTTPResponse.error(404, "Nobody by that name is followed any more.")

  /// Somebody that a request names by an id.
  private static func person(_ asked: AppRoute.Asked, _ family: FamilySpaces) throws
    -> FollowedPerson?
  {
    let body = try? JSONDecoder().decode(Asked.self, from: Data(asked.body))
    return try body?.person.flatMap(family.somebody)
  }

  /// `POST /people`: follows somebody more: `{"name"}`.
  private static func follow(_ family: FamilySpaces) -> AppRoute {
    AppRoute([.post], "people", least: .admin, bodyBytesMax: 1000) { asked in
      guard asked.space == family.id else { return .respond(notHere) }
      let body = try? JSONDecoder().decode(Asked.self, from: Data(asked.body))
      let name = (body?.name ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
      guard !name.isEmpty, name.utf8.count <= 100 else {
        return .respond(.error(400, "Give a name of 100 letters at most."))
      }
      return .respond(.json(200, ["person": "\(try family.follow(name))"]))
    }
  }

  /// `POST /keys`: lets a page of the family into somebody's two spaces, by the role that it has
  /// here:
  /// `{"person"}`.
  private static func keys(_ family: FamilySpaces) -> AppRoute {
    AppRoute([.post], "keys", least: .view, bodyBytesMax: 1000) { asked in
      guard asked.space == family.id else { return .respond(notHere) }
      guard let person = try person(asked, family) else { return .respond(nobody) }
      let role: Role = asked.device.role == .admin ? .admin : .view
      let (use, limits) = try family.accesses(to: person)
      let soon = Date().addingTimeInterval(600)
      return .respond(
        .json(
          200,
          [
            "use": try use.invite(role, expires: soon, uses: 1),
            "limits": try limits.invite(role, expires: soon, uses: 1),
          ]))
    }
  }

  /// `POST /link`: what stands behind the `#` of a link for somebody's own devices, for a day.
  private static func link(_ family: FamilySpaces) -> AppRoute {
    AppRoute([.post], "link", least: .admin, bodyBytesMax: 1000) { asked in
      guard asked.space == family.id else { return .respond(notHere) }
      guard let person = try person(asked, family) else { return .respond(nobody) }
      let (use, limits) = try family.accesses(to: person)
      let tomorrow = Date().addingTimeInterval(86_400)
      let join = try use.invite(.add, expires: tomorrow)
      let view = try limits.invite(.view, expires: tomorrow)
      return .respond(.json(200, ["fragment": "join=\(join)&limits=\(view)"]))
    }
  }

  /// `POST /looking`: what stands behind the `#` of the link for those who look on.
  private static func guestsLink(_ family: FamilySpaces, _ secret: Variable<String>) -> AppRoute {
    AppRoute([.post], "looking", least: .admin) { asked in
      guard asked.space == family.id else { return .respond(notHere) }
      return .respond(.json(200, ["fragment": "join=\(secret.value)"]))
    }
  }

  /// `DELETE /people/ID/history`: deletes somebody's history for good.
  private static func erase(_ family: FamilySpaces) -> AppRoute {
    AppRoute([.delete], "people/*/history", least: .admin) { asked in
      guard asked.space == family.id else { return .respond(notHere) }
      guard let person = try family.somebody(asked.parts[1]) else { return .respond(nobody) }
      try family.eraseHistory(of: person)
      return .respond(HTTPResponse(204))
    }
  }

  /// `DELETE /people/ID`: ends following somebody, and deletes everything for good.
  private static func end(_ family: FamilySpaces) -> AppRoute {
    AppRoute([.delete], "people/*", least: .admin) { asked in
      guard asked.space == family.id else { return .respond(notHere) }
      guard let person = try family.somebody(asked.parts[1]) else { return .respond(nobody) }
      try family.end(person)
      return .respond(HTTPResponse(204))
    }
  }

  /// `POST /code`: the QR code of a text, as SVG: `{"svg"}`.
  private static let code = AppRoute([.post], "code", least: .admin, bodyBytesMax: 1000) { asked in
    let text = String(decoding: asked.body, as: UTF8.self)
    guard let code = try? QRCode.matrix(of: text, errorCorrection: .low) else {
      return .respond(.error(400, "This text is too long for a QR code."))
    }
    return .respond(.json(200, ["svg": code.svg(title: "QR code of the link")]))
  }
}
