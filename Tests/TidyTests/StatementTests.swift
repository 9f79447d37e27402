import Foundation
import Testing

/// Each numbered statement of the protocol is proved by a test that says so.
@Suite struct StatementTests {
  static let page = "docs/protocol.md"
  /// Statements that no test proves, each with its reason.
  static let unproved: Set<String> = []

  /// The numbers of the page's statements, in their order.
  static func statements(of page: String) -> [String] {
    page.split(separator: "\n").compactMap { line in
      line.firstMatch(of: #/^(\d\.\d+) /#).map { String($0.1) }
    }
  }

  /// The statements that a test says it proves: the page's name, a blank, and the numbers.
  static func citations(in text: String) -> [String] {
    guard text.contains(page) else { return [] }
    return text.matches(of: #/docs\/protocol\.md`? (\d\.\d+(?:, \d\.\d+)*)/#).flatMap {
      $0.1.split(separator: ", ").map(String.init)
    }
  }

  @Test func `each statement of the protocol is cited by a test`() throws {
    let files = try StyleTests.files().filter { path in
      ["Tests/", "/Tests/", "/tests/"].contains { path.contains($0) }
        && [".swift", ".py", ".mjs"].contains(where: path.hasSuffix)
    }
    var cited: Set<String> = []
    for path in files { cited.formUnion(Self.citations(in: try TidyTests.read(path))) }
    let statements = Self.statements(of: try TidyTests.read(Self.page))
    let left = Set(statements).subtracting(cited)
    #expect(files.count > 500 && statements.count > 30)
    #expect(
      left == Self.unproved,
      "No test says that it proves \(left.subtracting(Self.unproved).sorted()) of \(Self.page).")
    let unknown = cited.subtracting(statements)
    #expect(unknown.isEmpty, "Tests cite statements that \(Self.page) lacks: \(unknown.sorted()).")
  }

  @Test func `statements and citations are read (negative control)`() {
    #expect(Self.statements(of: "1.1 A link.\nof 2.3 or\n2.10 **Bold.**\n") == ["1.1", "2.10"])
    // Not in one piece, since this file is looked through as well.
    let cited = "/// A push (docs/protocol" + ".md 2.5, 2.6). `docs/protocol" + ".md` 2.7."
    #expect(Self.citations(in: cited) == ["2.5", "2.6", "2.7"])
    #expect(Self.citations(in: "docs/protocol" + ".md §2") == [])
  }
}
