import Foundation
import Reunion
import ReunionMedia
import ReunionServer

/// The book, served: each person's own space, one table for all, and the page.
final class SudokuService: Sendable {
  private let service: AppService
  private let access: Access
  /// Of the guests' link, which the host may replace at any time.
  private let guestSecret: Variable<String>
  private let isFirstStart: Bool

  /// Opens everything; nothing listens yet.
  init(_ options: Options) throws {
    // First of all, so that a port in use changes nothing.
    var configuration = try options.server.configuration()
    let spaces = try ServedSpaces(folder: options.server.folder, entities: .sudoku)
    let access = spaces.access
    self.access = access
    isFirstStart = try access.isUnused
    // Only its hash is kept, so every start makes a link of its own; the older ones go on to work.
    let secret = Variable(try access.invite(.add))
    guestSecret = secret
    configuration.invitation = { origin in
      let url = origin.link(secret.value)
      let code = try? QRCode.matrix(of: url)
      return (url, code?.svg(title: "QR code that opens this Sudoku book") ?? "")
    }
    configuration.renewInvitation = { secret.value = try access.renewInvitations(.add) }
    configuration.routes = [Self.grab(GrabReader()), Self.code]
    configuration.sandbox = ImageSandbox.ofThisMachine.walls
    service = try AppService(spaces, configuration, options.server)
  }

  /// Listens, and prints what a person needs to know.
  func start() throws {
    try service.start()
    let (here, shared) = (service.here, service.shared)
    let owner = try isFirstStart ? access.inviteOwner() : nil
    let banner = Banner(
      guests: shared.link(guestSecret.value), here: here.link(guestSecret.value),
      owner: owner.map { shared.link($0) }, shortfall: ImageSandbox.ofThisMachine.shortfall)
    let lines = try banner.lines(isTerminal: isatty(STDOUT_FILENO) == 1)
    ServerProgram.say(service.banner(lines, risk: "listen in"))
  }

  /// Ends the sessions, lets what is under way finish, and closes the store.
  func stop() { service.stop() }
}
