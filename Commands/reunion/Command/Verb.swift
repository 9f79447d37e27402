import Reunion
import ReunionCommandLine

/// A verb of the command: what it says of itself, and what it does.
struct Verb: Sendable {
  /// One word or more.
  let name: [String]
  let help: String
  /// Whether what it makes is for this account alone.
  let isPrivate: Bool
  let run: @Sendable (inout Arguments, Output, StopSignals) throws -> Void

  init(
    _ name: String, help: String, isPrivate: Bool = true,
    run: @escaping @Sendable (inout Arguments, Output, StopSignals) throws -> Void
  ) {
    self.name = name.split(separator: " ").map(String.init)
    self.help = help
    self.isPrivate = isPrivate
    self.run = run
  }
}
