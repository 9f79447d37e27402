import ReunionServer

/// What the race was started with.
struct Options {
  private static let folder = "./words-data"

  /// What a file that wires the race may say beside what every server has.
  private static let keys: [ServerKey] = [
    .texts("words.lists", "--words"), .number("words.seconds", "--seconds"),
  ]

  var server: ServerOptions
  /// The lists of words, by their names or paths.
  var lists: [String] = []
  /// How long a round lasts.
  var seconds = 90

  static let help = """
    Usage: words [options]

    A race for words in the browser: two to four players get the same letters and 90 seconds.

      --words LIST      a list of words, as Debian's packages put it into /usr/share/dict, such as
                        french of wfrench, or a file's path; may be given more than once
                        (default american-english and ngerman, where they are there)
      --seconds N       how long a round lasts (default 90)
    \(ServerOptions.help(folder: folder))
    """

  /// Reads the arguments; throws a sentence for what it does not understand.
  init(_ arguments: [String]) throws {
    server = ServerOptions(arguments, folder: Self.folder, keys: Self.keys)
    while let option = try server.next() {
      switch option {
      case "--words": lists.append(try server.value())
      case "--seconds": seconds = try server.number(in: 10...600)
      default: throw server.unknown()
      }
    }
  }
}
