import Foundation
import Reunion
import Entrance
import ReunionServer

/// The family, served: a space that says who is followed, two for each of them, and the page.
final class ScreenTimeService: Sendable {
  let family: FamilySpaces
  private let service: AppService
  private let guests: GuestLink
  /// The port on which it listens.
  let port: UInt16

  /// Opens everything; nothing listens yet.
  init(_ options: Options) throws {
    // First of all, so that a port in use changes nothing.
    var configuration = try options.server.configuration()
    port = configuration.listener.port
    let family = try FamilySpaces(folder: options.server.folder)
    self.family = family
    guests = try GuestLink(to: family.access, as: .view)
    guests.offer(in: &configuration, title: "")
    // A child's devices may ask for it: it says where the family is, and holds no secret.
    configuration.invitation = { ("\($0)/", "") }
    configuration.rule = family.rule
    configuration.routes = Self.routes(family, guests: guests)
    service = try AppService(family.spaces, configuration, options.server)
  }

  /// Listens, and gives what a person needs to know.
  func start() throws -> String {
    try service.start()
    family.startUpkeep()
    let links = try guests.links(at: service)
    var lines = ["  Screen time", "", try AppLinks.code(of: links.owner ?? links.guests), ""]
    if let owner = links.owner {
      lines += [
        "Owner: \(owner)", "  (for parents, for a day; reunion owner-link makes another)",
      ]
    }
    lines += [
      "Guests: \(links.guests)", "  (see everybody, and change nothing)", "Here: \(links.here)",
    ]
    return service.banner(lines, risk: "listen in")
  }

  /// Ends the sessions, lets what is under way finish, and closes the store.
  func stop() {
    family.stopUpkeep()
    service.stop()
  }
}
