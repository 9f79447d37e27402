import Foundation
import ReunionFlow
public import ReunionStore

/// The ready-made server: any number of spaces in one folder, one process and one port, for any
/// model.
///
/// A part of your own takes one more line:
///
/// ```swift
/// let service = try SpaceService(ServeOptions(["/var/lib/notes"])) { configuration in
///   configuration.rule = TransactionRule { transaction in
///     transaction.writes.count > 1000 ? "That was too much at once." : nil
///   }
/// }
/// print(try service.start())
/// ```
///
/// It knows no app: what a device's role allows is taken, kept and handed on. Keep it while it
/// serves.
/// *Thread*: any. *Durability*: what it acknowledges is on the disk.
public final class SpaceService: Sendable {
  private let options: ServeOptions
  private let service: AppService
  private let spaces: ServedSpaces
  /// The port on which it listens, even if the options asked for 0.
  public let port: UInt16
  /// Its replica, with all of its spaces: for a program that reads or writes beside the clients.
  public let store: Store

  /// Opens everything; clients are served from `start` on. Set in `change` what else the server
  /// offers.
  ///
  /// The port is taken first of all, so that nothing has changed on the disk if it is in use. Then
  /// the folder is made or opened, and a store of an older version is upgraded.
  /// - Throws: `ServerError` or `StoreError`, with a sentence that names the remedy. `portInUse`,
  ///   `addressUnavailable`, `notPermitted` of the port. `noPages` of a folder of pages.
  ///   `badFolder` of one that holds other files or an app's data. `inUse` if a server of this
  ///   folder runs. Whatever `change` throws.
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
  /// ```swift
  /// let options = try ServeOptions(["/var/lib/notes", "--check"])
  /// print(options.isCheck ? try SpaceService.check(options) : "")
  /// ```
  ///
  /// It takes the port for a moment, so that it fails beside a server that runs there.
  /// - Throws: What `init` would, except what only an upgrade of the store finds: an error that
  ///   says what is wrong and what to do.
  public static func check(_ options: ServeOptions) throws -> String {
    let configuration = try options.server.configuration()
    try DataFolder.check(options.server.folder)
    let (address, port) = (configuration.listener.address, configuration.listener.port)
    return "All is well: the server would listen on \(address), port \(port), be reached at "
      + "\(options.server.shared(port: port)), and keep its data in \(options.server.folder)."
  }

  /// Serves, and returns what a person needs to know, in a few lines: where it is, and how to get
  /// in.
  ///
  /// While nobody has ever been invited, the lines have an owner's link, which works for a day.
  /// Whoever opens it may do all that the host may: print the lines where only the host looks.
  /// - Throws: `ServerError` `noResources` if the system has no room; `StoreError` if the link
  ///   cannot be written.
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

  /// Ends the sessions, lets running work finish, and closes the store. It returns when all of it
  /// is done; devices come back by themselves when a server is there again.
  public func stop() { service.stop() }
}
