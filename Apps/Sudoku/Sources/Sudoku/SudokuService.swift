import Foundation
import Reunion
import Entrance
import ReunionMedia
import ReunionServer

/// The book, served: each person's own space, one table for all, and the page.
final class SudokuService: Sendable {
  private let service: AppService
  private let guests: GuestLink

  /// Opens everything; nothing listens yet.
  init(_ options: Options) throws {
    // First of all, so that a port in use changes nothing.
    var configuration = try options.server.configuration()
    let spaces = try ServedSpaces(folder: options.server.folder, entities: .sudoku)
    guests = try GuestLink(to: spaces.access)
    guests.offer(in: &configuration, title: "QR code that opens this Sudoku book")
    configuration.routes = [Self.grab(GrabReader()), .code(least: .view)]
    configuration.sandbox = ImageSandbox.ofThisMachine.walls
    service = try AppService(spaces, configuration, options.server)
  }

  /// Listens, and prints what a person needs to know.
  func start() throws {
    try service.start()
    var lines = try guests.links(at: service).lines("Sudoku")
    if let shortfall = ImageSandbox.ofThisMachine.shortfall { lines += ["", shortfall] }
    ServerProgram.say(service.banner(lines, risk: "listen in"))
  }

  /// Ends the sessions, lets what is under way finish, and closes the store.
  func stop() { service.stop() }
}
