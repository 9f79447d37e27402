import Foundation
import Testing

/// The blocks of the guide are one program, which runs and prints what the guide says.
@Suite struct GuideTests {
  static func blocks(_ language: String, in text: String) -> [String] {
    var blocks: [String] = []
    var rest = text[...]
    while let start = rest.range(of: "```\(language)\n"),
      let end = rest.range(of: "\n```", range: start.upperBound..<rest.endIndex)
    {
      blocks.append(String(rest[start.upperBound..<end.lowerBound]))
      rest = rest[end.upperBound...]
    }
    return blocks
  }

  static func read(_ path: String) throws -> String {
    try String(contentsOf: TidyTests.root.appending(path: path), encoding: .utf8)
  }

  @Test func `the guide to one source of truth is its example, block by block`() throws {
    let blocks = Self.blocks("swift", in: try Self.read("docs/one-source-of-truth.md"))
    #expect(blocks.count == 5)
    let example = try Self.read("Examples/OneSourceOfTruth/main.swift")
    #expect(blocks.joined(separator: "\n\n") == example.trimmingCharacters(in: .newlines))
  }

  @Test func `the guide's program prints what the guide says`() throws {
    let output = Self.blocks("text", in: try Self.read("docs/one-source-of-truth.md"))
    let run = try ReadmeTests.run("one-source-of-truth-example", [])
    #expect(run.status == 0)
    #expect([run.output.trimmingCharacters(in: .newlines)] == output)
  }
}
