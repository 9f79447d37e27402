import Foundation
import ReunionFlow
public import ReunionStore

/// The ready-made server: any number of spaces in one folder, one process and one port, for any model.
///
/// A part of your own takes one more line:
///
///     ServerProgram("notes", help: ServeOptions.help).run { arguments in
///       let service = try SpaceService(ServeOptions(arguments)) { $0.rule = TransactionRule(short) }
///       try service.start()
///       return service.stop
///     }
public final class SpaceService: Sendable {
  private let options: ServeOptions
  private let service: AppService
  private let spaces: ServedSpaces
  /// The port on which it listens.
  public let port: UInt16
  /// Its replica.
  public let store: Store

  /// Opens everything; nothing listens yet. Set in `change` what else the server offers.
  ///
  /// - Throws: `ServerError` or `StoreError`, with a sentence that names the remedy.
  public init(
    _ options: ServeOptions, _ change: (inout Server.Configuration) throws -> Void = { _ in }
  ) throws {
    self.options = options
    // First of all, so that a port in use changes nothing.
    var configuration = try options.server.configuration()
    port = configuration.listener.port
    let folder = options.server.folder
    spaces = try ServedSpaces(folder: folder)
    store = spaces.store
    configuration.rules = .files(
      bytesMax: options.uploadBytesMax, allowance: options.server.guestAllowance)
    configuration.blobRole = .view
    try change(&configuration)
    service = try AppService(spaces, configuration, options.server)
  }

  /// Tries everything that a start needs, changes nothing, and returns in a sentence what a start
  /// would do.
  ///
  /// - Throws: an error that says what is wrong and what to do.
  public static func check(_ options: ServeOptions) throws -> String {
    let configuration = try options.server.configuration()
    try DataFolder.check(options.server.folder)
    let (address, port) = (configuration.listener.address, configuration.listener.port)
    return "All is well: the server would listen on \(address), port \(port), be reached at "
      + "\(options.server.shared(port: port)), and keep its data in \(options.server.folder)."
  }

  /// Listens, and returns what a person needs to know.
  public func start() throws -> String {
    try service.start()
    let origin = service.shared
    let folder = options.server.folder
    var lines = ["Spaces: \(spaces.names.joined(separator: ", "))", "Here: \(origin)"]
    if try spaces.access.isUnused {
      lines += [
        "Owner: \(origin.link(try spaces.access.inviteOwner()))",
        "  (for a day; reunion owner-link \(folder) makes another)",
      ]
    }
    lines += [
      "Others: reunion invite \(folder) --role add",
      "It listens on \(options.server.address), port \(port).",
    ]
    return service.banner(lines, risk: options.server.isForThisMachine ? nil : "listen in")
  }

  /// Ends the sessions, lets running work finish, and closes the store.
  public func stop() { service.stop() }
}
