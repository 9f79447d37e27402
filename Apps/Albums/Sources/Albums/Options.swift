import Foundation
import ReunionServer

/// What the album was started with.
struct Options {
  var port: UInt16 = 8080
  var folder = "./album-data"
  var name: String?
  var host: String?
  var address = "0.0.0.0"
  var pages: [String] = []
  var library: String?
  var guestDailyBytes = UploadAllowance().bytesPerDay
  var guestDailyUploads = UploadAllowance().countPerDay
  var makesOwnerLink = false
  var makesGuestLink = false
  var listsPeople = false
  var removed: [UInt64] = []

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
      --guest-daily-mb N       megabytes that one guest may add in a day (default 20000)
      --guest-daily-uploads N  uploads of one guest in a day; a photo is two (default 10000)

    Links and devices, each time while the album is started:
      --new-owner     prints a new owner's link and ends all earlier ones
      --new-guests    ends all earlier guests' links; who has joined stays
      --people        lists the devices that have joined, and ends
      --remove DEVICE puts a device of that list out; it may come again by a link that still opens

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
      func number(_ text: String, of option: String) throws -> Int {
        guard let number = Int(text), (0...1_000_000_000).contains(number) else {
          throw Failure("\(option) takes a number, and not \(text).")
        }
        return number
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
      case "--guest-daily-mb":
        guestDailyBytes = UInt64(try number(value(), of: argument)) * 1_000_000
      case "--guest-daily-uploads": guestDailyUploads = try number(value(), of: argument)
      case "--new-owner": makesOwnerLink = true
      case "--new-guests": makesGuestLink = true
      case "--people": listsPeople = true
      case "--remove":
        let text = try value()
        guard text.count == 16, let device = UInt64(text, radix: 16) else {
          throw Failure("\(text) is no device. See --people for those that have joined.")
        }
        removed.append(device)
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
