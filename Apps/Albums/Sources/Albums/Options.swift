import ReunionServer

/// What the album was started with.
struct Options {
  private static let folder = "./album-data"

  /// What a file that wires the album may say beside what every server has.
  private static let keys: [ServerKey] = [
    .text("album.name", "--name"),
    .number("media.guestHourlyMegapixels", "--guest-hourly-megapixels"),
  ]

  var server: ServerOptions
  var name: String?
  /// Pixels of originals that are decoded for one guest's edits: 800 edits of a phone's photos.
  var guestHourlyPixels = 10_000_000_000
  var makesOwnerLink = false
  var makesGuestLink = false
  var listsPeople = false
  var removed: [UInt64] = []

  static let help = """
    Usage: albums [options]

    A live shared photo album: guests scan the QR code, and every photo is on every screen.

      --name TEXT       the album's name, on its first start
    \(ServerOptions.help(folder: folder))

    A photo is two uploads. What is decoded in an hour for one guest's edits:
      --guest-hourly-megapixels N  (default 10000)

    Links and devices, each time while the album is started:
      --new-owner       prints a new owner's link, for a day, and ends all earlier ones
      --new-guests      ends all earlier guests' links; who has joined stays
      --people          lists the devices that have joined, and ends
      --remove DEVICE   puts a device of that list out; it may come again by a link that still opens
    """

  /// Reads the arguments; throws a sentence for what it does not understand.
  init(_ arguments: [String]) throws {
    server = ServerOptions(arguments, folder: Self.folder, keys: Self.keys)
    while let option = try server.next() {
      switch option {
      case "--name": name = try server.value()
      case "--guest-hourly-megapixels":
        guestHourlyPixels = Int(try server.number(in: 0...1_000_000_000)) * 1_000_000
      case "--new-owner": makesOwnerLink = true
      case "--new-guests": makesGuestLink = true
      case "--people": listsPeople = true
      case "--remove":
        let text = try server.value()
        guard let device = Access.device(text) else {
          throw Failure("\(text) is no device. See --people for those that have joined.")
        }
        removed.append(device)
      default: throw server.unknown()
      }
    }
  }
}

/// A failure that ends the program, as one sentence that names the remedy.
struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
