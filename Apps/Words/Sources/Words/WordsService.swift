import Foundation
import Reunion
import Entrance
import ReunionServer
import WordsUmpire

/// The race, served: the group's space, each player's own, the umpire, and the page.
final class WordsService: Sendable {
  private let service: AppService
  private let umpire: Umpire
  private let guests: GuestLink

  /// Opens everything; nothing listens yet.
  init(_ options: Options) throws {
    let lists = try WordList.read(options.lists)
    // Before the folder is touched, so that a port in use changes nothing.
    var configuration = try options.server.configuration()
    let spaces = try ServedSpaces(folder: options.server.folder, entities: Umpire.model)
    let umpire = Umpire(
      of: spaces.store, lists: lists, play: Int64(options.seconds) * 1000,
      tell: configuration.notice)
    self.umpire = umpire
    guests = try GuestLink(to: spaces.access)
    guests.offer(in: &configuration, title: "QR code that leads to this table")
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
    var lines = try guests.links(at: service).lines("Words")
    lines.append("Words: \(umpire.listNames.joined(separator: ", "))")
    ServerProgram.say(service.banner(lines, risk: "listen in"))
  }

  /// Ends the sessions, lets what is under way finish, and closes the store.
  func stop() {
    umpire.stop()
    service.stop()
  }
}
