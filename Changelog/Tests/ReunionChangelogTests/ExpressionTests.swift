import ReunionChangelog
import Testing

@Suite struct ExpressionTests {
  static let expressions: [(String, Set<String>, Bool)] = [
    ("a", ["a"], true), ("a", ["b"], false), ("A", ["a"], true), ("!a", [], true),
    ("not a", ["a"], false), ("a and b", ["a"], false), ("a and b", ["a", "b"], true),
    ("a or b and c", ["a"], true), ("a or b and c", ["b"], false),
    ("(a or b) and c", ["a"], false), ("(a or b) and c", ["b", "c"], true),
    ("a,b", ["b"], true), ("a, !b", ["b"], false), ("!(a or b)", ["c"], true),
    ("a and not (b or c)", ["a", "c"], false), ("not not a", ["a"], true),
  ]

  private static func holds(_ expression: String, _ words: Set<String>) throws -> Bool {
    try ContextExpression(expression, at: Place("c.sql", 1)).holds(for: words)
  }

  @Test(arguments: expressions)
  func `an expression holds for its words`(
    expression: String, words: Set<String>, holds: Bool
  ) throws {
    #expect(try Self.holds(expression, words) == holds)
  }

  @Test(arguments: ["a b", "and", "(a", "a)", "a or", "!", "a,,b", "()"])
  func `what is no expression is refused, not run`(expression: String) throws {
    let error = try refusal { _ = try Self.holds(expression, []) }
    #expect(error?.place == Place("c.sql", 1))
  }

  @Test func `parentheses that never end refuse, and do not recurse for ever`() throws {
    for text in [String(repeating: "(", count: 100_000), String(repeating: "!", count: 100_000)] {
      #expect(try refusal { _ = try Self.holds(text + "a", []) } != nil)
    }
  }

  @Test func `a run that names no context runs all, but what is for an explicit one`() throws {
    let place = Place("c.sql", 1)
    let all = try Selection(dialect: .sqlite)
    #expect(try all.includes(contexts: "test", at: place))
    #expect(try all.includes(contexts: "@test", at: place) == false)
    let some = try Selection(contexts: "Test, b", labels: "x and !y", dialect: .sqlite)
    #expect(try some.includes(contexts: "@test", at: place))
    #expect(try some.includes(contexts: "other", at: place) == false)
    #expect(try some.includes(contexts: nil, at: place))
    #expect(some.includes(labels: "x, z") && !some.includes(labels: "x,y"))
    // What has no labels is in every run, as with Liquibase.
    #expect(some.includes(labels: nil) && some.includes(labels: " ,"))
  }

  @Test(
    arguments: [
      (nil, true), ("sqlite", true), ("postgresql,SQLite", true), ("postgresql", false),
      ("!sqlite", false), ("!h2", true), ("!h2,postgresql", false), ("all", true), ("none", false),
    ] as [(String?, Bool)])
  func `a list of databases has this one or not`(list: String?, has: Bool) throws {
    #expect(try Selection(dialect: .sqlite).includes(dbms: list) == has)
  }
}
