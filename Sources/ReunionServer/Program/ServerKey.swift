/// An app's own key in the server's configuration file, and the option that it replaces.
///
/// ```swift
/// var options = ServerOptions(
///   ["--feed", "https://example.org/quakes.atom"], folder: "./quake-data",
///   keys: [.text("feeds.address", "--feed"), .number("feeds.keptDays", "--keep")])
/// while let option = try options.next() { print(option, try options.value()) }
/// ```
///
/// The name has dots where the file has braces: `feeds: { address: "…" }`. The program reads a key
/// as the option that it stands for, and need not know which of the two was given.
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

  /// A key for a number, which the file writes without quotes; `ServerOptions.number(in:)` checks
  /// it.
  public static func number(_ name: String, _ option: String) -> ServerKey {
    ServerKey(name, option, .number)
  }

  /// A key that is true or false, for an option without a value: false is as if it were not there.
  public static func flag(_ name: String, _ option: String) -> ServerKey {
    ServerKey(name, option, .flag)
  }
}
