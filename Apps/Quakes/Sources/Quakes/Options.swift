/// What the map was started with.
struct Options {
  static let feed = "https://earthquake.usgs.gov/earthquakes/feed/v1.0/summary/all_day.atom"

  var port: UInt16 = 8080
  var folder = "./quake-data"
  var feed = Options.feed
  var everySeconds = 60.0
  var keptDays = 30
  var host: String?
  var address = "0.0.0.0"
  var pages: [String] = []
  var library: String?

  static let help = """
    Usage: quakes [options]

    A live map of earthquakes in the browser, from a feed; it works with no internet as well.

      --port N         the port to listen on (default 8080; 0 takes a free one)
      --data FOLDER    where the map is kept (default ./quake-data)
      --feed ADDRESS   an Atom, RSS or GeoRSS feed by http or https, or a file
                       (default \(feed))
      --every SECONDS  how often the feed is asked (default 60, as USGS makes its feeds anew each
                       minute); while it fails, less and less often, down to once an hour
      --keep DAYS      how long quakes stay on the map (default 30)
      --host NAME      a stable name of this machine, to print in links
      --address IP     the address to listen on (default 0.0.0.0, every network of this machine)
      --page FOLDER    the files of the page
      --library FOLDER reunion.js and the core
      --help           this text

    Whoever reaches this port may look at the map; nobody can change it.
    """

  /// Reads the arguments; throws a sentence for what it does not understand.
  init(_ arguments: [String]) throws {
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      func value() throws -> String {
        guard let value = rest.popFirst() else {
          throw Failure("\(argument) needs a value. See --help.")
        }
        return value
      }
      switch argument {
      case "--port":
        let text = try value()
        guard let port = UInt16(text) else {
          throw Failure("\(text) is no port. Choose a number from 0 to 65535.")
        }
        self.port = port
      case "--data": folder = try value()
      case "--feed": feed = try value()
      case "--every":
        let text = try value()
        guard let seconds = Double(text), (0.1...86_400).contains(seconds) else {
          throw Failure("--every takes seconds from 0.1 to 86400, and not \(text).")
        }
        everySeconds = seconds
      case "--keep":
        let text = try value()
        guard let days = Int(text), (1...3650).contains(days) else {
          throw Failure("--keep takes days from 1 to 3650, and not \(text).")
        }
        keptDays = days
      case "--host": host = try value()
      case "--address": address = try value()
      case "--page": pages.append(try value())
      case "--library": library = try value()
      default: throw Failure("\(argument) is not an option. See --help.")
      }
    }
  }
}
