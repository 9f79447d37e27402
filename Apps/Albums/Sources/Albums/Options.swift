import Foundation

/// What the album was started with.
struct Options {
  var port: UInt16 = 8080
  var folder = "./album-data"
  var name: String?
  var host: String?
  var address = "0.0.0.0"
  var pages: [String] = []
  var library: String?

  static let help = """
    Usage: albums [options]

    A live shared photo album: guests scan the QR code, and every photo is on every screen.

      --port N        the port to listen on (default 8080; 0 takes a free one)
      --data FOLDER   where the album is kept (default ./album-data)
      --name TEXT     the album's name, on its first start
      --host NAME     a stable name of this machine, to print in links
      --address IP    the address to listen on (default 0.0.0.0, every network of this machine)
      --page FOLDER   the files of the page
      --library FOLDER  reunion.js and the core
      --help          this text
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
      case "--name": name = try value()
      case "--host": host = try value()
      case "--address": address = try value()
      case "--page": pages.append(try value())
      case "--library": library = try value()
      default: throw Failure("\(argument) is not an option. See --help.")
      }
    }
  }
}

/// A failure that ends the program, as one sentence that names the remedy.
struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
