import Foundation
import Testing

@testable import ReunionChangelog

/// Files of YAML and JSON that somebody wrote to do harm, or wrote wrong.
@Suite struct YAMLTests {
  private static let head = "databaseChangeLog:\n"

  private static func refused(_ text: String, _ name: String = "m.yaml") throws -> ChangelogError? {
    let bench = try Workbench([name: text])
    return try refusal { _ = try bench.read(name) }
  }

  @Test(arguments: [
    ("databaseChangeLog:\n- changeSet:\n\tid: 1\n", "begins with a tab", 3),
    ("databaseChangeLog:\n- include: {file: [a}\n", "not YAML", 2),
    ("databaseChangeLog:\n- include: *none\n", "No &none stands above", 2),
    ("databaseChangeLog: &a\n- include: *a\n", "No &a stands above", 2),
    ("databaseChangeLog:\n- ? [a]\n  : b\n", "A key is one word", 2),
    ("databaseChangeLog:\n- include: !java.net.URL x\n", "The tag !java.net.URL", 2),
    ("databaseChangeLog:\n- include:\n    <<: 5\n", "stands for no map", 3),
    ("databaseChangeLog: []\n---\na: b\n", "a second document", 2),
    ("a: b\n", "no databaseChangeLog", 1),
    ("databaseChangeLog:\n  include: {file: a}\n", "has no list", 1),
    (
      "databaseChangeLog:\n- changeSet:\n    id: 1\n    author: a\n    changes:\n    - createTable: {}\n",
      "createTable: is not supported", 6
    ),
    (
      "databaseChangeLog:\n- changeSet:\n    id: 1\n    author: a\n    changes:\n    - sqll: select 1\n",
      "sqll: is not supported", 6
    ),
    (
      "databaseChangeLog:\n- preConditions:\n  - fooBar: {x: y}\n", "no precondition fooBar:", 3
    ),
    ("databaseChangeLog:\n- includeAll: {path: ., filter: x.Y}\n", "a class of Java", 2),
    ("databaseChangeLog:\n- changeSet:\n    author: a\n", "no id and author", 2),
    ("databaseChangeLog:\n- preConditions:\n  - onFail: mark_ran\n", "onFail is mark_ran", 2),
    ("databaseChangeLog:\n# \u{1}\n", "not YAML", 2),
  ])
  func `what is no changelog is refused with its line`(
    text: String, sentence: String, line: Int
  ) throws {
    let error = try Self.refused(text)
    #expect(error?.sentence.contains(sentence) == true, "\(error?.description ?? "nothing")")
    #expect(error?.place == Place("m.yaml", line))
    // The same with line ends of Windows, and the mark of some editors.
    let other = try Self.refused("\u{feff}" + text.replacing("\n", with: "\r\n"))
    #expect(other?.sentence == error?.sentence && other?.place == error?.place)
  }

  @Test func `JSON is refused in its own words`() throws {
    let error = try Self.refused("{\"databaseChangeLog\": [\n{\"createTable\": {}}]}", "m.json")
    #expect(error?.sentence.hasPrefix("\"createTable\" is not supported") == true)
    #expect(error?.place == Place("m.json", 2))
    #expect(error?.remedy?.hasPrefix("{\"include\": {\"file\": \"…\"}}") == true)
    #expect(
      try Self.refused("{\"a\": ", "m.json")?.sentence.hasPrefix("The file is not JSON") == true)
  }

  @Test func `aliases that grow without end are refused before they do`() throws {
    var text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    for level in 1...12 {
      let list = Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
      text += "a\(level): &a\(level) [\(list)]\n"
    }
    let error = try Self.refused(text + Self.head + "- include: *a12\n")
    #expect(error?.sentence.contains("aliases make more than") == true)
    #expect(try #require(error?.place?.line) <= 8)
    // A few are no bomb (control).
    let few =
      "x: &x {author: a}\n" + Self.head + "- changeSet: {<<: *x, id: 1, changes: [sql: q]}\n"
    #expect(try Self.refused(few) == nil)
  }

  @Test func `depth and keys have bounds`() throws {
    let deep = Self.head + "- x: " + String(repeating: "[", count: 20_000)
    #expect(try Self.refused(deep)?.sentence.contains("deeper than 64") == true)
    let steep = Self.head + "- x: " + String(repeating: "{a: ", count: 20_000)
    #expect(try Self.refused(steep)?.sentence.contains("deeper than 64") == true)
    let long = Self.head + "- ? " + String(repeating: "k", count: 5_000) + "\n  : v\n"
    #expect(try Self.refused(long)?.sentence.contains("more than 1024 bytes") == true)
    let huge = Self.head + "- x: \"" + String(repeating: "k", count: 17 << 20) + "\"\n"
    #expect(try Self.refused(huge)?.sentence.contains("more than 16 MiB") == true)
  }

  @Test func `every file of bent bytes is read or refused, and none traps`() throws {
    let whole = Array(
      """
      x: &x {author: "a", <<: {labels: l}}
      databaseChangeLog:
      - property: {name: t, value: 0x1F}
      - changeSet:
          <<: *x
          id: 1.10
          preConditions:
          - onFail: MARK_RAN
          - sqlCheck: {expectedResult: 0, sql: "select 1"}
          changes:
          - sql: |
              select ${t};
          rollback: []

      """.utf8)
    let pieces = [
      "\t", "- ", ": ", "{", "]", "*x", "&x ", "<<: ", "!!int ", "\u{feff}", "\"", "'", "|",
    ]
    var random = SystemRandomNumberGenerator()
    for _ in 0..<FaultCount.of(slice: 400, full: 5_000) {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let at = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.removeSubrange(at..<min(at + 5, bytes.count - 1))
        default: bytes.insert(contentsOf: Array((pieces.randomElement() ?? "").utf8), at: at)
        }
      }
      let bench = try Workbench()
      try Data(bytes).write(to: bench.folder.appending(path: "m.yaml"))
      let error = try refusal { _ = try bench.read("m.yaml") }
      #expect(error == nil || error?.place != nil, "\(error?.description ?? "")")
    }
  }

  @Test func `what counts otherwise than somebody may think is told`() throws {
    let bench = try Workbench([
      "m.yaml": """
      databaseChangeLog:
      - changeSet:
          id: 2020-01-01
          id: 2020-01-02
          author: a
          runALways: true
          preConditions:
          - onFial: MARK_RAN
          changes:
          - sql: select 1
      """
    ])
    let changelog = try bench.read("m.yaml")
    #expect(changelog.changesets.map(\.id) == ["Thu Jan 02 00:00:00 UTC 2020"])
    let warnings = changelog.warnings.map(\.description)
    for part in [
      "m.yaml:4: id stands there twice", "is a date", "runALways is not known", "onFial",
    ] {
      #expect(warnings.contains { $0.contains(part) }, "\(part) of \(warnings)")
    }
  }

  @Test func `values that name each other without end stay as they are`() throws {
    let bench = try Workbench([
      "m.xml": MasterTests.xml(
        (0..<14).map { level in
          let text = level == 13 ? "" : String(repeating: "${p\(level + 1)}", count: 12)
          return "<property name=\"p\(level)\" value=\"\(text)\"/>"
        }.joined() + "<property name=\"me\" value=\"${me}\"/>"
          + "<changeSet id=\"${p0}${me}\" author=\"a\"><sql>select 1</sql></changeSet>")
    ])
    #expect(try bench.read("m.xml").changesets.map(\.id) == ["${p0}${me}"])
  }
}
