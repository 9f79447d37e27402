/// An app's own key in the server's configuration file, and the option that it replaces.
///
///     ServerOptions(arguments, folder: "./quake-data", keys: [.text("feeds.address", "--feed")])
public struct ServerKey: Sendable {
  let key: ServerFile.Key

  private init(_ name: String, _ option: String, _ kind: ServerFile.Key.Kind) {
    key = ServerFile.Key(name: name, option: option, kind: kind)
  }

  /// A key for a text, which may also be `{ environment: "NAME" }` or `{ file: "PATH" }`.
  public static func text(_ name: String, _ option: String) -> ServerKey {
    ServerKey(name, option, .text)
  }

  /// A key for a list of texts, for an option that may be given more than once.
  public static func texts(_ name: String, _ option: String) -> ServerKey {
    ServerKey(name, option, .texts)
  }

  /// A key for a number.
  public static func number(_ name: String, _ option: String) -> ServerKey {
    ServerKey(name, option, .number)
  }

  /// A key that is true or false, for an option without a value.
  public static func flag(_ name: String, _ option: String) -> ServerKey {
    ServerKey(name, option, .flag)
  }
}
