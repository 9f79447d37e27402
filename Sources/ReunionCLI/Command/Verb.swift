import Reunion

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

/// Words that a verb does not understand: it is told with the verb's help.
struct Misunderstood: Error {
  let sentence: String

  init(_ sentence: String) { self.sentence = sentence }
}

/// A failure with its exit code and a sentence that names the remedy.
struct CommandFailure: Error {
  let exitCode: Int32
  let sentence: String
  /// What people are shown below the sentence, and programs are not.
  var help: String?

  init(_ exitCode: Int32, _ sentence: String, help: String? = nil) {
    self.exitCode = exitCode
    self.sentence = sentence
    self.help = help
  }
}
