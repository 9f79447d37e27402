import ReunionServer

/// What the book was started with.
struct Options {
  private static let folder = "./sudoku-data"

  var server: ServerOptions

  static let help = """
    Usage: sudoku [options]
           sudoku grab FILE… [--json]

    A Sudoku book in the browser, on all of a person's devices, and a table where several play.

    \(ServerOptions.help(folder: folder))

    sudoku grab --help says how printed Sudokus are read from photographs.
    """

  /// Reads the arguments; throws a sentence for what it does not understand.
  init(_ arguments: [String]) throws {
    server = ServerOptions(arguments, folder: Self.folder)
    while try server.next() != nil { throw server.unknown() }
  }
}
