import Foundation

/// What the agent was started with.
struct Options: Equatable {
  /// The family's link of use, and that of limits; none where they were given before.
  var links: [String] = []
  var folder: String
  var name: String
  /// A program to run when nothing is left.
  var atNone: String?
  /// The seconds without input after which nobody is there.
  var awayAfter: Int64 = 120
  var isWhat = false
  var isHelp = false

  static let help = """
    Usage: screentime-agent [LINK [LIMITS-LINK]] [options]
           screentime-agent --what

    Notes which program of this desktop is in use, for the family whose links are given. It keeps the
    links, so that later starts need none. Without a network it goes on, and sends everything later.

      LINK              a link to the space of use, with the role add; LIMITS-LINK one to the space of
                        limits, with the role view. One link may hold both: …#join=SECRET&limits=SECRET
      --data FOLDER     where it keeps what it knows (default ~/.local/state/screentime-agent)
      --name NAME       what this device is called (default the machine's name)
      --away-after N    seconds without input after which nobody is there, 3 to 3600 (default 120)
      --at-none FILE    a program to run, without arguments, when nothing is left; nobody else can choose it
      --what            says what is noted here, and ends
    """

  /// Reads the arguments.
  ///
  /// - Throws: `Failure`, with a sentence that names the remedy.
  init(_ arguments: [String], environment: [String: String], host: String) throws(Failure) {
    let state = environment["XDG_STATE_HOME"] ?? "\(environment["HOME"] ?? ".")/.local/state"
    folder = "\(state)/screentime-agent"
    name = host
    var words = arguments[...]
    while let word = words.popFirst() {
      switch word {
      case "--what": isWhat = true
      case "--help", "-h": isHelp = true
      case "--data", "--name", "--at-none", "--away-after":
        guard let value = words.popFirst(), !value.isEmpty else {
          throw Failure("\(word) needs something behind it: see screentime-agent --help.")
        }
        switch word {
        case "--data": folder = value
        case "--name": name = String(value.prefix(25))
        case "--away-after":
          guard let seconds = Int64(value), (3...3600).contains(seconds) else {
            throw Failure("--away-after takes 3 to 3600 seconds, not \(value).")
          }
          awayAfter = seconds
        default: atNone = value
        }
      default:
        guard !word.hasPrefix("-"), links.count < 2 else {
          throw Failure("\(word) is not understood: see screentime-agent --help.")
        }
        links.append(word)
      }
    }
    if let atNone, !(atNone.hasPrefix("/") && access(atNone, X_OK) == 0) {
      throw Failure(
        "\(atNone) cannot be run. Behind --at-none stands the whole path of a program, such as /usr/bin/xlock."
      )
    }
    links = Self.parted(links)
  }

  /// Two links of one that holds both.
  static func parted(_ links: [String]) -> [String] {
    guard links.count == 1, let range = links[0].range(of: "&limits=") else { return links }
    let use = String(links[0][..<range.lowerBound])
    guard let hash = use.range(of: "#join=") else { return links }
    return [use, String(use[..<hash.upperBound]) + links[0][range.upperBound...]]
  }
}

/// A failure that ends the agent, as a sentence that names the remedy.
struct Failure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
