import Foundation
import ReunionStore

/// An app's server with its store: they start and end together.
///
/// *Thread*: any.
public final class AppService: Sendable {
  /// Where people of this machine reach it.
  public let here: Origin
  /// Where people elsewhere reach it.
  public let shared: Origin
  private let server: Server
  private let store: Store
  private let collection: DailyCollection

  /// Puts a server before one space of a store; nothing listens yet.
  public convenience init<Root, Note>(
    _ folder: AppFolder<Root, Note>, _ configuration: Server.Configuration, _ options: ServerOptions
  ) throws {
    try self.init(
      ServedSpaces(
        folder.space, in: folder.store, access: folder.access, name: configuration.name),
      in: folder.store, configuration, options)
  }

  /// Puts a server before the spaces of a store; nothing listens yet.
  init(
    _ spaces: ServedSpaces, in store: Store, _ configuration: Server.Configuration,
    _ options: ServerOptions
  ) throws {
    let port = configuration.listener.port
    here = Origin(HostAddress("localhost").with(defaultPort: port))
    shared = options.shared(port: port)
    self.store = store
    server = try Server(spaces, in: store, configuration: configuration)
    collection = DailyCollection(of: store, notice: configuration.notice)
  }

  /// Listens.
  ///
  /// - Throws: `ServerError` where the system has no room for it.
  public func start() throws { try server.start() }

  /// Ends the sessions, lets what is under way finish, and closes the store.
  public func stop() {
    server.stop()
    collection.stop()
    // A store that cannot be closed is found whole at the next start.
    try? store.close()
  }

  /// What a terminal shows when it is ready: lines, and how it ends. Over plain HTTP anyone on the network
  /// can do what `risk` says; nil where that is nobody.
  public func banner(_ lines: [String], risk: String?) -> String {
    let warning =
      shared.isSecure ? nil : risk.map { "Plain HTTP: anyone on this network can \($0). " }
    return ([""] + lines + ["", (warning ?? "") + "Stop with Ctrl-C.", ""]).joined(separator: "\n")
  }
}
