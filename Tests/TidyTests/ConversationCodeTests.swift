import Foundation
import Testing

/// The numbers between a page and its core have one table of names, in Swift, of which JavaScript's is made.
@Suite struct ConversationCodeTests {
  static let file = "Web/conversation/codes.js"

  /// The cases of the enums of a text, each with its number.
  static func cases(of name: String, in text: String) -> [(name: String, number: Int)] {
    guard let start = text.range(of: "enum \(name): UInt8 {"),
      let end = text.range(of: "\n}", range: start.upperBound..<text.endIndex)
    else { return [] }
    return text[start.upperBound..<end.lowerBound].matches(of: #/(?m)^ *case (\w+) = (\d+)/#)
      .compactMap { match in Int(match.2).map { (String(match.1), $0) } }
  }

  static func script(of text: String) -> String {
    func table(_ name: String, of type: String, _ about: String) -> String {
      let lines = cases(of: type, in: text).map { "  \($0.name): \($0.number),\n" }.joined()
      return "/** \(about) */\nexport const \(name) = {\n\(lines)};\n"
    }
    return """
      // Made of Sources/ReunionCore/Bridge/ConversationCodes.swift by TidyTests, with REUNION_WRITE_NAMES: \
      change it there.


      """
        + table("events", of: "ConversationEvent", "What is told to a conversation, by its number.")
        + "\n"
        + table("effects", of: "ConversationEffect", "What a conversation has done, by its number.")
  }

  @Test func `JavaScript's names are those of the core`() throws {
    let source = try TidyTests.read("Sources/ReunionCore/Bridge/ConversationCodes.swift")
    let script = Self.script(of: source)
    if ProcessInfo.processInfo.environment["REUNION_WRITE_NAMES"] != nil {
      try Data(script.utf8).write(to: TidyTests.root.appending(path: Self.file))
    }
    #expect(try TidyTests.read(Self.file) == script, "Run TidyTests with REUNION_WRITE_NAMES=yes.")
    #expect(Self.cases(of: "ConversationEvent", in: source).count == 14)
    #expect(Self.cases(of: "ConversationEffect", in: source).count == 12)
  }

  @Test func `a number that was changed is seen (negative control)`() {
    let text =
      "enum ConversationEvent: UInt8 {\n  case one = 1\n  /// case not = 2\n  case two = 3\n}\n"
    #expect(Self.script(of: text).contains("  one: 1,\n  two: 3,\n"))
  }
}
