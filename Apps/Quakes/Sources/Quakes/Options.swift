import ReunionServer

/// What the map was started with.
struct Options {
  static let feed = "https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/all_day.atom"
  private static let folder = "./quake-data"

  /// What a file that wires the map may say beside what every server has.
  private static let keys: [ServerKey] = [
    .text("feeds.address", "--feed"), .flag("feeds.inside", "--inside"),
    .number("feeds.everySeconds", "--every"), .number("feeds.keptDays", "--keep"),
  ]

  var server: ServerOptions
  var feed = Options.feed
  /// Whether a feed of the internet may lead to this machine and its networks.
  var isInside = false
  var everySeconds = 60.0
  var keptDays = 30

  static let help = """
    Usage: quakes [options]

    A live map of earthquakes in the browser, from a feed; it works with no internet as well.

      --feed ADDRESS    an Atom, RSS or GeoRSS feed by http or https, or a file
                        (default \(feed))
      --inside          the feed's address may lead to this machine and its networks
      --every SECONDS   how often the feed is asked (default 60, as USGS makes its feeds anew each
                        minute); while it fails, less and less often, down to once an hour
      --keep DAYS       how long quakes stay on the map (default 30)

    \(ServerOptions.help(folder: folder))

    Whoever reaches this port may look at the map; nobody can change it.
    """

  /// Reads the arguments; throws a sentence for what it does not understand.
  init(_ arguments: [String]) throws {
    server = ServerOptions(arguments, folder: Self.folder, keys: Self.keys)
    while let option = try server.next() {
      switch option {
      case "--feed": feed = try server.value()
      case "--inside": isInside = true
      case "--every": everySeconds = try server.number(in: 0.1...86_400)
      case "--keep": keptDays = try server.number(in: 1...3650)
      default: throw server.unknown()
      }
    }
  }
}
