import Foundation
import ReunionStore

/// An app's server with its store: they start and end together.
///
/// ```swift
/// let options = ServerOptions(["--port", "8080"], folder: "./notes-data")
/// var configuration = try options.configuration()
/// configuration.name = { "Notes" }
/// let spaces = try ServedSpaces(folder: options.folder)
/// let service = try AppService(spaces, configuration, options)
/// try service.start()
/// print(service.banner(["Open \(service.shared)"], risk: "read along"))
/// ```
///
/// Once a day it takes away blobs that nothing has named for a month, and deleted records that everybody
/// knows to be deleted after two, and tells `Server.Configuration.notice` of what went wrong. *Thread*: any.
public final class AppService: Sendable {
  /// Where people on this machine reach it.
  public let here: Origin
  /// Where people elsewhere reach it.
  public let shared: Origin
  private let server: Server
  private let store: Store
  private let collection: DailyCollection

  /// Prepares a server for one space of a store; no client is served yet.
  ///
  /// - Throws: as `Server.init`; `StoreError` where the space cannot be told which version of the
  ///   app's model its readers need.
  public convenience init<Root, Note>(
    _ folder: AppFolder<Root, Note>, _ configuration: Server.Configuration, _ options: ServerOptions
  ) throws {
    try self.init(
      ServedSpaces(
        folder.space, in: folder.store, access: folder.access, name: configuration.name),
      configuration, options)
  }

  /// Puts a server before the spaces of a store; no client is served yet.
  ///
  /// - Throws: as the initializer for one space.
  public init(
    _ spaces: ServedSpaces, _ configuration: Server.Configuration, _ options: ServerOptions
  ) throws {
    let store = spaces.store
    let port = configuration.listener.port
    here = Origin(HostAddress("localhost").with(defaultPort: port))
    shared = options.shared(port: port)
    self.store = store
    // A page that is older than this server hears of it.
    for space in spaces.all { try store.requireReader(in: space.id) }
    server = try Server(spaces, in: store, configuration: configuration)
    if let report = store.upgradeReport {
      configuration.notice("\(store.folder) was upgraded when it was opened:\n\(report)")
    }
    collection = DailyCollection(
      of: spaces, silentDays: options.silentDays, notice: configuration.notice)
  }

  /// Serves from now on.
  ///
  /// - Throws: `ServerError` if the system has no room for it.
  public func start() throws { try server.start() }

  /// Ends the sessions, lets running work finish, and closes the store.
  public func stop() {
    server.stop()
    collection.stop()
    // A store that cannot be closed is found whole at the next start.
    try? store.close()
  }

  /// What a terminal shows once the server is ready: the lines, and how to stop it. `risk` says
  /// what anyone on the network can do over plain HTTP; nil for nothing.
  public func banner(_ lines: [String], risk: String?) -> String {
    let warning =
      shared.isSecure ? nil : risk.map { "Plain HTTP: anyone on this network can \($0). " }
    return ([""] + lines + ["", (warning ?? "") + "Stop with Ctrl-C.", ""]).joined(separator: "\n")
  }
}
