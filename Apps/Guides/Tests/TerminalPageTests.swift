import Foundation
import Testing

/// docs/terminal.md as somebody types it: each command prints what stands below it.
@Suite struct TerminalPageTests {
  private static let server = "reunion serve ./server --port 8080"

  private struct Line {
    let command: String
    var expected: [String]
  }

  private static func page() throws -> Page { try Page("docs/terminal.md") }

  private static func lines(of page: Page) -> [Line] {
    var lines: [Line] = []
    for block in page.blocks("console") {
      for text in block.components(separatedBy: "\n") {
        if text.hasPrefix("$ ") {
          lines.append(Line(command: String(text.dropFirst(2)), expected: []))
        } else {
          lines[lines.count - 1].expected.append(text)
        }
      }
    }
    return lines
  }

  /// Whether lines are what a page shows: `…` is any text in a line, and alone any lines.
  static func matches(_ lines: ArraySlice<String>, _ expected: ArraySlice<String>) -> Bool {
    guard let first = expected.first else { return lines.isEmpty }
    if first == "…" {
      return lines.indices.contains { matches(lines[$0...], expected.dropFirst()) }
        || expected.count == 1
    }
    guard let line = lines.first else { return false }
    let parts = first.components(separatedBy: "…")
    var rest = Substring(line)
    guard rest.hasPrefix(parts[0]) else { return false }
    rest = rest.dropFirst(parts[0].count)
    for (index, part) in parts.enumerated().dropFirst() {
      if index == parts.count - 1, part.isEmpty {
        rest = ""
      } else {
        guard let found = rest.range(of: part) else { return false }
        rest = rest[found.upperBound...]
      }
    }
    return rest.isEmpty && matches(lines.dropFirst(), expected.dropFirst())
  }

  @Test func `the page's commands print what it says`() async throws {
    let page = try Self.page()
    let folder = FileManager.default.temporaryDirectory.appending(path: "terminal-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let feed = try #require(page.blocks("xml").first)
    try Data(feed.utf8).write(to: folder.appending(path: "harbour.atom"))
    let products = try Program.path("reunion").deletingLastPathComponent().path
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    var environment = ["PATH": "\(products):\(path)"]
    var server: Talker?
    var port = "0"

    let lines = Self.lines(of: page)
    #expect(lines.count > 25)
    for line in lines {
      var said: [String]
      if line.command == Self.server {
        let started = try Talker(
          ["./server", "--port", "0"], program: "reunion-serve", from: folder)
        #expect(await started.prints("Stop with Ctrl-C."))
        server = started
        port = try #require(started.port).description
        said = started.allLines
      } else {
        let run = try Program.run(
          URL(filePath: "/bin/bash"), ["-c", line.command], from: folder,
          environment: environment)
        said = (run.output + run.errors).components(separatedBy: "\n")
      }
      while said.last == "" { said.removeLast() }
      said = said.map { $0.replacing("localhost:\(port)", with: "localhost:8080") }
        .map { $0.replacing("port \(port).", with: "port 8080.") }
      #expect(Self.matches(said[...], line.expected[...]), "\(line.command) printed \(said)")
      if let link = said.first(where: { $0.hasPrefix("http://localhost:8080/#join=") }) {
        environment["LINK"] = link.replacing(":8080", with: ":\(port)")
      }
    }
    server?.kill()
  }

  @Test func `the page shows every verb of the command`() throws {
    let commands = try Self.lines(of: Self.page()).map(\.command)
    let help = try Program.run("reunion", ["--help"]).output
    let second = "archive|feed|check|release|generate|scaffold"
    let verbs = help.matches(of: try Regex("\n  ([a-z][a-z-]*(?: (?:\(second))\\b)?)"))
      .compactMap { $0.output[1].substring }
    #expect(verbs.count > 18)
    for verb in verbs where verb != "image-worker-fixture" {
      #expect(commands.contains { $0.hasPrefix("reunion \(verb)") }, "\(verb) is not shown")
    }
  }

  @Test func `what is not printed is seen (negative control)`() {
    let said = ["a 1 b", "c", "d"]
    #expect(Self.matches(said[...], ["a … b", "…", "d"]))
    #expect(Self.matches(said[...], ["…", "d"]))
    #expect(Self.matches(said[...], ["a … b", "…"]))
    #expect(!Self.matches(said[...], ["a … b", "c"]))
    #expect(!Self.matches(said[...], ["a … c", "c", "d"]))
    #expect(!Self.matches(said[...], ["…", "e"]))
  }
}
