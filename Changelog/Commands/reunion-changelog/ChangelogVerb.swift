import ReunionCommandLine

/// A verb of the program: what it says of itself, and what it does.
struct ChangelogVerb: Sendable {
  let name: String
  /// The words that follow on the verb, as the help shows them.
  let words: String
  /// What it does, in a line.
  let summary: String
  /// How many words it takes.
  let count: ClosedRange<Int>
  /// Whether there is the same verb with `-sql`, which writes the SQL and runs nothing.
  let hasScript: Bool
  let run: @Sendable (Invocation, [String], Output) throws -> Void

  init(
    _ name: String, words: String = "", _ summary: String, count: ClosedRange<Int> = 0...0,
    hasScript: Bool = false,
    run: @escaping @Sendable (Invocation, [String], Output) throws -> Void
  ) {
    self.name = name
    self.words = words
    self.summary = summary
    self.count = count
    self.hasScript = hasScript
    self.run = run
  }

  /// Lines for the help.
  var line: String {
    let front = words.isEmpty ? name : "\(name) \(words)"
    let gap = String(repeating: " ", count: max(1, 27 - front.count))
    return "  \(front)\(gap)\(summary)"
  }
}

extension [String] {
  /// A word that is a whole number from 1 on.
  func number(_ index: Int) throws(Misunderstood) -> Int {
    guard let number = Int(self[index]), number > 0 else {
      throw Misunderstood("\(self[index].onOneLine) is not a number from 1 on.")
    }
    return number
  }
}
