import Foundation
import Reunion
import ReunionMedia
import ReunionServer
import WordsUmpire

/// The race, served: the group's space, each player's own, the umpire, and the page.
final class WordsService: Sendable {
  private let service: AppService
  private let umpire: Umpire
  private let access: Access
  /// Of the guests' link, which the host may replace at any time.
  private let guestSecret: Variable<String>
  private let isFirstStart: Bool

  /// Opens everything; nothing listens yet.
  init(_ options: Options) throws {
    let lists = try WordList.read(options.lists)
    // Before the folder is touched, so that a port in use changes nothing.
    var configuration = try options.server.configuration()
    let spaces = try ServedSpaces(folder: options.server.folder, entities: Umpire.model)
    let umpire = Umpire(
      of: spaces.store, lists: lists, play: Int64(options.seconds) * 1000,
      tell: configuration.notice)
    let access = spaces.access
    (self.umpire, self.access) = (umpire, access)
    isFirstStart = try access.isUnused
    // Only its hash is kept, so every start makes a link of its own; the older ones go on to work.
    let secret = Variable(try access.invite(.add))
    guestSecret = secret
    configuration.invitation = { origin in
      let url = origin.link(secret.value)
      let code = try? QRCode.matrix(of: url)
      return (url, code?.svg(title: "QR code that leads to this table") ?? "")
    }
    configuration.renewInvitation = { secret.value = try access.renewInvitations(.add) }
    configuration.rule = umpire.rule
    configuration.routes = [Self.clock(umpire)]
    service = try AppService(spaces, configuration, options.server)
  }

  /// `GET /clock`: the server's time, by which all play, and the lists of words.
  private static func clock(_ umpire: Umpire) -> AppRoute {
    AppRoute([.get], "clock", least: .view) { _ in
      .respond(.json(200, Clock(now: umpire.now, lists: umpire.listNames)))
    }
  }

  private struct Clock: Encodable {
    let now: Int64
    let lists: [String]
  }

  /// Listens, and prints what a person needs to know.
  func start() throws {
    try umpire.start()
    try service.start()
    let (here, shared) = (service.here, service.shared)
    let owner = try isFirstStart ? access.inviteOwner() : nil
    let banner = Banner(
      guests: shared.link(guestSecret.value), here: here.link(guestSecret.value),
      owner: owner.map { shared.link($0) }, lists: umpire.listNames)
    let lines = try banner.lines(isTerminal: isatty(STDOUT_FILENO) == 1)
    ServerProgram.say(service.banner(lines, risk: "listen in"))
  }

  /// Ends the sessions, lets what is under way finish, and closes the store.
  func stop() {
    umpire.stop()
    service.stop()
  }
}
