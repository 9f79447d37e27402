/// The options of the ready-made server.
///
/// ```swift
/// var options = try ServeOptions(["/var/lib/notes", "--port", "8443", "--upload-mb", "50"])
/// options.server.host = "notes.lan"
/// print(options.server.port, options.uploadBytesMax)    // 8443 50000000
/// ```
///
/// They are the words of `reunion serve`, and of a file that `--config` names. Reading them looks
/// at that file alone: whether the port is free and the folder is good, `SpaceService` finds out.
public struct ServeOptions: Sendable {
  /// The options that every server has.
  public var server: ServerOptions
  /// The most bytes that an upload may have.
  public var uploadBytesMax: UInt64 = 100_000_000
  /// Whether to try everything and serve nothing: the program then calls `SpaceService.check`.
  public var isCheck = false

  /// The keys that it has in a file beside those of every server.
  static let keys = [ServerKey.number("limits.uploadMegabytes", "--upload-mb")]

  /// The text of `--help`.
  public static let help = """
    Usage: reunion serve FOLDER [options]
           reunion serve --config FILE [options]
           reunion serve --check FILE|FOLDER [options]

    Serves any number of spaces, kept in FOLDER, for apps of any model. The first start prints a link
    for the owner. Others join with links from reunion invite FOLDER --role ROLE.

      --check           tries everything, says what is wrong, and serves nothing
      --config FILE     reads FILE first, such as reunion.json5, which can hold every option
    \(ServerOptions.helpOfListening)
                        (default 127.0.0.1, this machine alone; 0.0.0.0 for all its networks)
      --data FOLDER     the same as FOLDER
    \(ServerOptions.helpOfGuests)
      --upload-mb N     megabytes of one upload (default 100)
    \(ServerOptions.helpOfPages)
    """

  /// Reads the arguments, without the program's name.
  ///
  /// - Throws: `ServerError`, with a sentence that names the remedy. `invalidOption` for a word
  ///   that is no option, a value that is missing or out of its range, two folders or none.
  ///   `badFile` for a configuration that cannot be read or has an unknown key; the sentence names
  ///   the nearest one.
  public init(_ arguments: [String]) throws(ServerError) {
    var arguments = arguments
    // The word after --check is a folder, or a file like the one after --config.
    if let at = arguments.firstIndex(of: "--check"), at + 1 < arguments.count,
      arguments[at + 1].hasSuffix(".json5") || arguments[at + 1].hasSuffix(".json")
    {
      arguments.insert("--config", at: at + 1)
    }
    server = ServerOptions(arguments, folder: "", address: "127.0.0.1", keys: Self.keys)
    var folder: String?
    while let option = try server.next() {
      switch option {
      case "--check": isCheck = true
      case "--upload-mb": uploadBytesMax = try server.number(in: 1...100_000) * 1_000_000
      case _ where option.hasPrefix("-"): throw server.unknown()
      default:
        guard folder == nil else {
          throw ServerError(.invalidOption, "\(option) is one folder too many. See --help.")
        }
        folder = option
      }
    }
    if let folder { server.folder = folder }
    guard !server.folder.isEmpty else {
      throw ServerError(
        .invalidOption,
        "Say in which folder the data is: reunion serve FOLDER, or storage.folder in a file.")
    }
  }
}
