import Foundation
import Reunion
import ReunionServer

/// The family, served: a space that says who is followed, two for each of them, and the page.
final class ScreenTimeService: Sendable {
  let family: FamilySpaces
  private let service: AppService
  private let guestSecret: Variable<String>
  private let isFirstStart: Bool
  /// The port on which it listens.
  let port: UInt16

  /// Opens everything; nothing listens yet.
  init(_ options: Options) throws {
    // First of all, so that a port in use changes nothing.
    var configuration = try options.server.configuration()
    port = configuration.listener.port
    let family = try FamilySpaces(folder: options.server.folder)
    self.family = family
    isFirstStart = try family.access.isUnused
    // Only its hash is kept, so every start makes a link of its own; the older ones go on to work.
    let secret = Variable(try family.access.invite(.view))
    guestSecret = secret
    // A child's devices may ask for it: it says where the family is, and holds no secret.
    configuration.invitation = { ("\($0)/", "") }
    configuration.renewInvitation = {
      secret.value = try family.access.renewInvitations(.view)
    }
    configuration.rule = family.rule
    configuration.routes = Self.routes(family, guests: secret)
    service = try AppService(family.spaces, configuration, options.server)
  }

  /// Listens, and gives what a person needs to know.
  func start() throws -> String {
    try service.start()
    family.startUpkeep()
    let (here, shared) = (service.here, service.shared)
    let owner = try isFirstStart ? family.access.inviteOwner() : nil
    let banner = Banner(
      guests: shared.link(guestSecret.value), here: here.link(guestSecret.value),
      owner: owner.map { shared.link($0) })
    return service.banner(
      try banner.lines(isTerminal: isatty(STDOUT_FILENO) == 1), risk: "listen in")
  }

  /// Ends the sessions, lets what is under way finish, and closes the store.
  func stop() {
    family.stopUpkeep()
    service.stop()
  }
}
