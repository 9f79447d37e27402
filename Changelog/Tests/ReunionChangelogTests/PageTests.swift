import Foundation
import Testing

/// Changelog/README.md as somebody types it: each command prints what stands below it.
@Suite struct PageTests {
  private static func page() throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try String(contentsOf: root.appending(path: "Changelog/README.md"), encoding: .utf8)
  }

  private static func blocks(_ language: String, in page: String) -> [String] {
    page.components(separatedBy: "```\(language)\n").dropFirst()
      .compactMap { $0.components(separatedBy: "\n```").first }
  }

  private struct Line {
    let command: String
    var expected: [String] = []
  }

  private static func lines(of page: String) -> [Line] {
    var lines: [Line] = []
    for text in blocks("console", in: page).flatMap({ $0.components(separatedBy: "\n") }) {
      if text.hasPrefix("$ ") {
        lines.append(Line(command: String(text.dropFirst(2))))
      } else {
        lines[lines.count - 1].expected.append(text)
      }
    }
    return lines
  }

  /// A folder with the first file of the page, and a `reunion` on its path that starts the program as
  /// the command does.
  private static func folder(_ page: String) throws -> (Workbench, [String: String]) {
    let bench = try Workbench(["changes.sql": try #require(blocks("sql", in: page).first) + "\n"])
    let program = try Program.path("reunion-changelog").path
    // By another process: what this one has open for writing cannot be started.
    let make = "mkdir -p bin && printf '%s' \"$1\" > bin/reunion && chmod 755 bin/reunion"
    let script = "#!/bin/sh\nshift\nexec '\(program)' \"$@\"\n"
    _ = try Program(
      path: URL(filePath: "/bin/sh"), ["-c", make, "sh", script], in: bench.folder
    ).wait()
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return (bench, ["PATH": "\(bench.folder.appending(path: "bin").path):\(path)"])
  }

  private static func shell(_ script: String, in bench: Workbench, _ environment: [String: String])
    throws -> Program.Result
  {
    try Program(
      path: URL(filePath: "/bin/bash"), ["-c", script], in: bench.folder, environment: environment
    ).wait()
  }

  /// Whether lines are what a page shows: `…` is any text in a line, and alone any lines.
  static func matches(_ lines: ArraySlice<String>, _ expected: ArraySlice<String>) -> Bool {
    guard let first = expected.first else { return lines.isEmpty }
    if first == "…" {
      return expected.count == 1
        || lines.indices.contains { matches(lines[$0...], expected.dropFirst()) }
    }
    guard let line = lines.first else { return false }
    let parts = first.components(separatedBy: "…").map(NSRegularExpression.escapedPattern)
    let pattern = "^" + parts.joined(separator: ".*") + "$"
    return line.range(of: pattern, options: .regularExpression) != nil
      && matches(lines.dropFirst(), expected.dropFirst())
  }

  @Test func `the page's commands print what it says`() throws {
    let page = try Self.page()
    let (bench, environment) = try Self.folder(page)
    let lines = Self.lines(of: page)
    #expect(lines.count > 14)
    // In one shell, as somebody has it; what each says goes into a file of its own.
    let script = lines.enumerated().map { number, line in
      "{ \(line.command)\n} > said.\(number) 2>&1"
    }
    _ = try Self.shell(script.joined(separator: "\n"), in: bench, environment)
    for (number, line) in lines.enumerated() {
      let file = bench.folder.appending(path: "said.\(number)")
      var said = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
      while said.last == "" { said.removeLast() }
      #expect(Self.matches(said[...], line.expected[...]), "\(line.command) printed \(said)")
    }
  }

  @Test func `the page's Makefile does what its targets are called`() throws {
    let page = try Self.page()
    let (bench, environment) = try Self.folder(page)
    try bench.write(try #require(Self.blocks("make", in: page).first) + "\n", to: "Makefile")
    func make(_ target: String) throws -> Program.Result {
      try Self.shell("make --no-print-directory \(target)", in: bench, environment)
    }
    let check = try make("database-check")
    #expect(check.status == 0 && check.output == "It can be undone. Nothing was run.\n")
    #expect(try make("database").output.hasSuffix("2 changesets run.\n"))
    #expect(try make("database-undo").output.hasSuffix("1 changeset rolled back.\n"))
    #expect(try make("database").output.hasSuffix("1 changeset run.\n"))
    // A runner stops where the program says that something is wrong.
    try bench.write(
      "--liquibase formatted sql\n--changeset ann:people\nselect 1;\n", to: "changes.sql")
    let refused = try make("database")
    #expect(refused.status == 2 && refused.errors.contains("changes.sql:2: The changeset"))
  }

  @Test func `what is not printed is seen (negative control)`() {
    let said = ["a 1 b", "c", "d"]
    #expect(Self.matches(said[...], ["a … b", "…", "d"]))
    #expect(Self.matches(said[...], ["a … b", "…"]))
    #expect(!Self.matches(said[...], ["a … b", "c"]))
    #expect(!Self.matches(said[...], ["a … c", "c", "d"]))
    #expect(!Self.matches(said[...], ["…", "e"]))
  }
}
