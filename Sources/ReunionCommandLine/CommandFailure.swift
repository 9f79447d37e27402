/// Words that a verb does not understand: it is told with the verb's help.
public struct Misunderstood: Error {
  /// What is wrong with them.
  public let sentence: String

  /// A complaint, in a sentence.
  public init(_ sentence: String) { self.sentence = sentence }
}

/// A failure with its exit code and a sentence that names the remedy.
public struct CommandFailure: Error {
  /// What the program ends with.
  public let exitCode: Int32
  /// What went wrong, and what to do.
  public let sentence: String
  /// What people are shown below the sentence, and programs are not.
  public var help: String?
  /// What programs are told beside the sentence.
  public var details: [String: any Sendable] = [:]

  /// A failure with its code and its sentence.
  public init(_ exitCode: Int32, _ sentence: String, help: String? = nil) {
    self.exitCode = exitCode
    self.sentence = sentence
    self.help = help
  }
}
