public import Foundation

/// The options of a server: its port, its folder, its name and its pages.
///
/// It reads the command line together with an app: `next` takes its own options and returns the
/// app's. With `--config FILE` it also reads a file, whose keys stand for options; an option in the
/// command wins.
///
/// ```swift
/// var (title, everySeconds) = ("Notes", 60.0)
/// var server = ServerOptions(["--port", "9000", "--every", "2.5"], folder: "./notes")
/// while let option = try server.next() {
///   switch option {
///   case "--title": title = try server.value()
///   case "--every": everySeconds = try server.number(in: 0.1...86_400)
///   default: throw server.unknown()
///   }
/// }
/// ```
///
/// The properties have what was read once `next` has returned nil. *Thread*: it is a value, for
/// one.
public struct ServerOptions: Sendable {
  /// The port to listen on; 0 takes a free one.
  public var port: UInt16 = 8080
  /// The address to listen on. If none is set, it is the program's default, or only this machine
  /// behind a proxy.
  public var address: String {
    get { givenAddress ?? (publicOrigin == nil ? usualAddress : "127.0.0.1") }
    set { givenAddress = newValue }
  }
  /// The folder of the server's data.
  public var folder: String
  /// A stable name of this machine for links, with or without a port. Beside numeric addresses and
  /// localhost it is the only name to which requests are answered.
  public var host: String?
  /// Where people reach the server through a proxy. It then listens to this machine alone, unless
  /// an address is set, and links begin with it.
  public var publicOrigin: Origin?
  /// The folders of the page's files; of two files of one name the later folder's is served.
  public var pages: [String] = []
  /// The folder of `reunion.js` and the core, which are served below `/reunion/`.
  public var library: String?
  /// What one guest may bring in a day.
  public var guestAllowance = GuestAllowance()
  /// After how many days of silence a full copy does not hold deleted records back any more, 1 or more. When it is
  /// back it takes all anew; its own unsent changes stay.
  public var silentDays = 90

  /// The configuration file that was read, if one was named.
  public private(set) var file: String?

  private let usualAddress: String
  private var givenAddress: String?
  private var givenProxies = Proxies()
  /// What the file says, and what the command does.
  private var filed: ArraySlice<ServerFile.Option> = []
  private var rest: ArraySlice<String>
  private var given: String?
  /// The option that is read, or the key that stands for it.
  private var option = ""
  private let arguments: [String]
  private let keys: [ServerFile.Key]
  private let environment: [String: String]

  /// Begins to read arguments, without the program's name. Nothing is read before `next`.
  ///
  /// - Parameters:
  ///   - arguments: The words of the command line.
  ///   - folder: Where the data is, unless they say otherwise.
  ///   - address: What to listen on, unless they do: every network of this machine.
  ///   - keys: The app's own keys in a file, each with the option that it stands for.
  ///   - environment: Where a file's `{ environment: "NAME" }` looks.
  public init(
    _ arguments: [String], folder: String, address: String = "0.0.0.0", keys: [ServerKey] = [],
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.arguments = arguments
    rest = arguments[...]
    self.folder = folder
    usualAddress = address
    self.keys = ServerFile.keys + keys.map(\.key)
    self.environment = environment
  }

  /// Lines that explain these options, for a program's help.
  public static func help(folder: String) -> String {
    """
      --config FILE     reads FILE first, such as reunion.json5, which can hold every option
    \(helpOfListening)
                        (default 0.0.0.0, every network of this machine; with --public-url
                        127.0.0.1, this machine alone)
      --data FOLDER     where the data is kept (default \(folder))
    \(helpOfGuests)
    \(helpOfCopies)
    \(helpOfPages)
    """
  }

  static let helpOfGuests = """
      --guest-daily-mb N       megabytes that one guest may add in a day (default 20000)
      --guest-daily-uploads N  uploads of one guest in a day (default 10000)
    """

  static let helpOfCopies = """
      --silent-days N   days of silence after which a full copy holds deleted records back no
                        more (default 90)
    """

  static let helpOfListening = """
      --port N          the port to listen on (default 8080; 0 takes a free one)
      --address IP      the address to listen on
    """

  static let helpOfPages = """
      --host NAME       a stable name of this machine, to print in links
      --public-url URL  the address that people open, if a proxy is in front: https://notes.example
      --proxy IP        the address or network of a proxy on another machine; it is believed about
                        where requests come from (default, with --public-url: this machine's);
                        may be given more than once
      --page FOLDER     the files of the page
      --library FOLDER  reunion.js and the core
      --help            this text
    """

  /// Takes its own options, and returns the next one that is the app's; nil at the end.
  ///
  /// - Throws: `invalidOption` or `badFile`, with a sentence that names the remedy.
  public mutating func next() throws(ServerError) -> String? {
    if file == nil, let at = arguments.lastIndex(of: "--config") { try readFile(at: at) }
    while let option = take() {
      switch option {
      case "--config": _ = try value()
      case "--port": port = try number(in: 0...UInt16.max)
      case "--address": address = try value()
      case "--data": folder = try value()
      case "--host": host = try value()
      case "--public-url":
        publicOrigin = try Origin(publicURL: value(), label: label("--public-url"))
      case "--proxy": try givenProxies.add(value(), label: label("--proxy"))
      case "--guest-daily-mb":
        guestAllowance.bytesPerDay = try number(in: 0...1_000_000_000) * 1_000_000
      case "--guest-daily-uploads":
        guestAllowance.uploadsPerDay = try number(in: 0...1_000_000_000)
      case "--silent-days": silentDays = try number(in: 1...36_500)
      case "--page": pages.append(try value())
      case "--library": library = try value()
      default: return option
      }
    }
    return nil
  }

  private mutating func readFile(at index: Int) throws(ServerError) {
    guard index + 1 < arguments.count else {
      throw ServerError(.invalidOption, "--config needs a value. See --help.")
    }
    let read = try ServerFile(arguments[index + 1], keys: keys, environment: environment)
    file = read.path
    // Those that may stand there several times would add to each other.
    filed = read.options.filter { !arguments.contains($0.option) }[...]
  }

  /// The next option, of the file first, with its value in `given`.
  private mutating func take() -> String? {
    if let next = filed.popFirst() {
      option = "\(next.key) in \(file ?? "")"
      given = next.value
      return next.option
    }
    given = nil
    guard let next = rest.popFirst() else { return nil }
    option = next
    return next
  }

  /// The value after the option that `next` returned.
  ///
  /// - Throws: `invalidOption` at the end of the line.
  public mutating func value() throws(ServerError) -> String {
    if let given { return given }
    guard let value = rest.popFirst() else {
      throw ServerError(.invalidOption, "\(option) needs a value. See --help.")
    }
    return value
  }

  /// The number after the option.
  ///
  /// - Throws: `invalidOption` if it is not a number, or out of the range.
  public mutating func number<Number: LosslessStringConvertible & Comparable>(
    in range: ClosedRange<Number>
  ) throws(ServerError) -> Number {
    let text = try value()
    guard let number = Number(text), range.contains(number) else {
      throw ServerError(
        .invalidOption,
        "\(option) takes a number from \(range.lowerBound) to \(range.upperBound), not \(text)."
      )
    }
    return number
  }

  /// What a sentence calls what is read now: the option, or the key of the file.
  private func label(_ name: String) -> String { given == nil ? name : option }

  /// The error for an option that the app does not know either.
  public func unknown() -> ServerError {
    ServerError(.invalidOption, "\(option) is not an option. See --help.")
  }

  /// Where people elsewhere reach the server: its public address, or this machine's name, with the
  /// port if the name has none.
  public func shared(port: UInt16?) -> Origin {
    let machine = HostAddress(address).isLoopback ? HostAddress("localhost") : .thisMachine
    return publicOrigin ?? Origin((host.map { HostAddress($0) } ?? machine).with(defaultPort: port))
  }

  /// Whether it listens to this machine alone.
  var isForThisMachine: Bool { HostAddress(address).isLoopback }

  /// The proxies whose word is believed.
  private var proxies: Proxies {
    givenProxies.isEmpty && publicOrigin != nil ? .loopback : givenProxies
  }

  /// Takes the port and reads the pages: steps that may fail before anything changes on disk. Set
  /// on the result what else the server offers.
  ///
  /// The page's files are at `/`, with `index.html` as the start, and the library's at `/reunion/`.
  /// The security log is in the folder of the data. The port is held for as long as the result
  /// lives.
  /// - Throws: `ServerError`. `portInUse` if another program has the port; `addressUnavailable` for
  ///   what is no address of this machine. `notPermitted` for a port that needs a privilege;
  ///   `noResources` if the system has no socket left. `noPages` if a folder of pages cannot be
  ///   read.
  public func configuration() throws(ServerError) -> Server.Configuration {
    var configuration = Server.Configuration(
      listener: try ListeningSocket(address: address, port: port),
      uploadFolder: "\(folder)/uploads", name: { "" })
    configuration.log = SecurityLog(path: "\(folder)/\(SecurityLog.fileName)")
    for page in pages { try configuration.pages.add(folder: page, at: "/") }
    if let library { try configuration.pages.add(folder: library, at: "/reunion/") }
    configuration.pages.alias("/", of: "/index.html")
    configuration.names = host.map { [HostAddress($0).name] } ?? []
    configuration.publicOrigin = publicOrigin
    configuration.proxies = proxies
    configuration.shareable = { [self] asked in
      // Nobody elsewhere reaches "localhost".
      publicOrigin != nil || host != nil || asked.isLoopback
        ? shared(port: asked.port) : Origin(asked)
    }
    return configuration
  }
}
