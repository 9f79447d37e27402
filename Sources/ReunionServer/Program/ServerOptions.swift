/// What a server is started with: its port, its folder, its name and its pages.
///
/// It reads the command line together with an app: `next` takes its own options and gives the app's.
///
///     var server = ServerOptions(arguments, folder: "./notes")
///     while let option = try server.next() {
///       switch option {
///       case "--title": title = try server.value()
///       case "--every": everySeconds = try server.number(in: 0.1...86_400)
///       default: throw server.unknown()
///       }
///     }
public struct ServerOptions: Sendable {
  /// The port to listen on; 0 takes a free one.
  public var port: UInt16 = 8080
  /// The address to listen on: where no other is set every network's, and this machine's alone behind a
  /// proxy.
  public var address: String {
    get { givenAddress ?? (publicOrigin == nil ? "0.0.0.0" : "127.0.0.1") }
    set { givenAddress = newValue }
  }
  /// The folder of the server's data.
  public var folder: String
  /// A stable name of this machine for links, with or without a port.
  public var host: String?
  /// Where people reach the server through a proxy.
  public var publicOrigin: Origin?
  /// The folders of the page's files.
  public var pages: [String] = []
  /// The folder of `reunion.js` and the core.
  public var library: String?

  private var givenAddress: String?
  private var givenProxies = Proxies()
  private var rest: ArraySlice<String>
  private var option = ""

  /// Begins to read arguments, without the program's name; `folder` is where its data is unless they
  /// say otherwise.
  public init(_ arguments: [String], folder: String) {
    rest = arguments[...]
    self.folder = folder
  }

  /// Lines that explain its options, for the help of a program.
  public static func help(folder: String) -> String {
    """
      --port N          the port to listen on (default 8080; 0 takes a free one)
      --address IP      the address to listen on (default 0.0.0.0, every network of this machine;
                        with --public-url 127.0.0.1, this machine alone)
      --data FOLDER     where the data is kept (default \(folder))
      --host NAME       a stable name of this machine, to print in links
      --public-url URL  the address that people open, where a proxy is in front: https://album.example
      --proxy IP        the proxy's address, or network, where it is on another machine: it is
                        believed where a request comes from (default: this machine's, with
                        --public-url); more than one may be named
      --page FOLDER     the files of the page
      --library FOLDER  reunion.js and the core
      --help            this text
    """
  }

  /// Takes its own options, up to one that is the app's; nil at the end.
  ///
  /// - Throws: `invalidOption`, with a sentence that names the remedy.
  public mutating func next() throws(ServerError) -> String? {
    while let option = rest.popFirst() {
      self.option = option
      switch option {
      case "--port": port = try number(in: 0...UInt16.max)
      case "--address": address = try value()
      case "--data": folder = try value()
      case "--host": host = try value()
      case "--public-url": publicOrigin = try Origin(publicURL: value())
      case "--proxy": try givenProxies.add(value())
      case "--page": pages.append(try value())
      case "--library": library = try value()
      default: return option
      }
    }
    return nil
  }

  /// What stands behind the option that `next` gave.
  ///
  /// - Throws: `invalidOption` at the end of the line.
  public mutating func value() throws(ServerError) -> String {
    guard let value = rest.popFirst() else {
      throw ServerError(.invalidOption, "\(option) needs a value. See --help.")
    }
    return value
  }

  /// The number that stands behind the option.
  ///
  /// - Throws: `invalidOption` where it is none, or out of the range.
  public mutating func number<Number: LosslessStringConvertible & Comparable>(
    in range: ClosedRange<Number>
  ) throws(ServerError) -> Number {
    let text = try value()
    guard let number = Number(text), range.contains(number) else {
      throw ServerError(
        .invalidOption,
        "\(option) takes a number from \(range.lowerBound) to \(range.upperBound), and not \(text)."
      )
    }
    return number
  }

  /// The error for an option that the app does not know either.
  public func unknown() -> ServerError {
    ServerError(.invalidOption, "\(option) is not an option. See --help.")
  }

  /// Where people elsewhere reach the server: by its public address, or by this machine's name with the
  /// port where the name has none.
  public func shared(port: UInt16?) -> Origin {
    publicOrigin ?? Origin((host.map { HostAddress($0) } ?? .thisMachine).with(defaultPort: port))
  }

  /// The proxies whose word is believed.
  private var proxies: Proxies {
    givenProxies.isEmpty && publicOrigin != nil ? .loopback : givenProxies
  }

  /// Takes the port and reads the pages: what may fail while nothing is changed on disk. Set what else
  /// the server offers on the result.
  ///
  /// The page's files are at `/`, with `index.html` as the start, and the library's at `/reunion/`.
  /// - Throws: `ServerError` where the port or a folder is not to be had.
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
