import ReunionServer

/// What the server of a family was started with.
struct Options {
  private static let folder = "./screentime-data"

  var server: ServerOptions

  static let help = """
    Usage: screentime [options]

    A family's screen time in the browser: each child's devices live, and what was agreed on.
    screentime-agent tells it what is used on a desktop.

    \(ServerOptions.help(folder: folder))
    """

  /// Reads the arguments; throws a sentence for what it does not understand.
  init(_ arguments: [String]) throws {
    server = ServerOptions(arguments, folder: Self.folder)
    while try server.next() != nil { throw server.unknown() }
  }
}
