import Foundation
import TestThreads
import Testing

/// What is shipped has no seeded bugs. The compiler takes them out of a build without the flag; that each
/// question names a bug, and each bug is asked for, is held here.
@Suite struct ShippedBugTests {
  private static let modules = [
    "ReunionStore", "ReunionSync", "ReunionServer", "ReunionTesting", "ReunionTools",
    "ReunionBluetooth", "ReunionNearby", "Reunion",
  ]

  /// The bugs that a text asks for.
  static func asked(in text: String) -> Set<String> {
    let members: Set<String> = ["isEmpty", "isDisjoint", "over", "contains"]
    let lines = text.split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
    let names = lines.joined(separator: "\n")
      .matches(of: /(?:b|seededB)ugs\??\s*\.(\w+)/).map { String($0.1) }
    return Set(names).subtracting(members)
  }

  /// The lines of a text that name a bug, but for those of a build with the flag.
  static func named(in text: String) -> [Substring] {
    var (depth, flagged): (Int, Int?) = (0, nil)
    return text.split(separator: "\n").filter { line in
      let code = line.drop { $0 == " " }
      if code.hasPrefix("#if") {
        depth += 1
        if code == "#if SEEDED_BUGS" { flagged = depth }
      } else if code.hasPrefix("#else"), flagged == depth {
        flagged = nil
      } else if code.hasPrefix("#endif") {
        if flagged == depth { flagged = nil }
        depth -= 1
      }
      return flagged == nil && !code.hasPrefix("//")
        && code.replacing("SeededBugs", with: "").contains("SeededBug")
    }
  }

  @Test func `the sources ask for each seeded bug that they declare, and for no other`() throws {
    var (asked, named): (Set<String>, [String]) = ([], [])
    for file in ["Sources", "Commands"].flatMap({ TidyTests.swiftFiles(in: $0) }) {
      let text = try String(contentsOf: file, encoding: .utf8)
      asked.formUnion(Self.asked(in: text))
      named += Self.named(in: text).map { "\(file.lastPathComponent): \($0)" }
    }
    var declared: Set<String> = []
    for module in Self.modules { declared.formUnion(try declaredBugs(in: module)) }
    #expect(declared.count > 100)
    #expect(asked.subtracting(declared) == [])
    #expect(declared.subtracting(asked) == [])
    #expect(named == [])
  }

  @Test func `a bug of a wrong name, and one outside its flag, are seen (negative control)`() {
    #expect(
      Self.asked(in: "if options.seededBugs.tieBraekMissing { return }") == ["tieBraekMissing"])
    let text = """
      #if SEEDED_BUGS
        extension SeededBug { static var inside: Self { Self() } }
      #else
        let one = SeededBug()
      #endif
      #if !SEEDED_BUGS
        let two = SeededBug()
      #endif
      extension SeededBug { static var outside: Self { Self() } }
      """
    #expect(Self.named(in: text).count == 3)
    #expect(Self.asked(in: "// bugs.tieBreakMissing\nif bugs?.moved { }") == ["moved"])
  }
}
