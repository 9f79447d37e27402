import Foundation
import Testing

/// The README leads to everything, and is short; the command tells how it is used.
@Suite struct ReadmeTests {
  @Test func `the README fits on two screens`() throws {
    let readme = try String(
      contentsOf: TidyTests.root.appending(path: "README.md"), encoding: .utf8)
    #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 81)
    #expect(readme.matches(of: #/(?m)^\|---/#).count == 1)
    #expect(readme.matches(of: #/[^!]\[[^\]]+\]\(/#).count <= 25)
  }

  @Test func `the index of decisions names each once`() throws {
    let index = try String(
      contentsOf: TidyTests.root.appending(path: "docs/decisions/index.md"), encoding: .utf8)
    let named = index.matches(of: #/\]\((\d{4}[\w-]+\.md)\)/#).map { String($0.1) }
    let files = try FileManager.default.contentsOfDirectory(
      atPath: TidyTests.root.appending(path: "docs/decisions").path)
    #expect(named.sorted() == files.filter { $0 != "index.md" }.sorted())
  }

  /// The files that a page links to, by their paths in the repository.
  static func links(on page: String, _ text: String) -> Set<String> {
    let folder = URL(filePath: "/\(page)").deletingLastPathComponent()
    return Set(
      text.matches(of: #/(?:\]\(|<a href=")([\w.\/-]+)/#).map {
        String(folder.appending(path: String($0.1)).standardized.path.dropFirst())
      })
  }

  @Test func `the index leads to every document in two steps`() throws {
    let readme = try TidyTests.read("README.md")
    #expect(Self.links(on: "README.md", readme).contains("docs/index.md"))
    let first = Self.links(on: "docs/index.md", try TidyTests.read("docs/index.md"))
    let second = try first.filter { $0.hasSuffix(".md") }
      .flatMap { Self.links(on: $0, try TidyTests.read($0)) }
    let reached = first.union(second).union(["docs/index.md"])
    let documents =
      try CatalogueTests.names(in: "docs").map { "docs/\($0).md" }
      + ["docs/decisions/index.md"] + CatalogueTests.pages()
    #expect(documents.count > 40)
    let lost = documents.filter { !reached.contains($0) }
    #expect(lost.isEmpty, "docs/index.md does not lead to \(lost).")
  }

  @Test func `the page of products names each`() throws {
    let products = try String(
      contentsOf: TidyTests.root.appending(path: "docs/products.md"), encoding: .utf8)
    let manifest = try String(
      contentsOf: TidyTests.root.appending(path: "Package.swift"), encoding: .utf8)
    for product in manifest.matches(of: /\.(?:library|plugin)\(name: "(\w+)", targets/) {
      #expect(products.contains("`\(product.1)`"), "\(product.1) is not on the page")
    }
  }

  @Test func `the command tells how it is used, and fails with a code and a sentence`() throws {
    #expect(try Self.run("reunion", ["--help"]).output.contains("clone LINK FOLDER"))
    #expect(try Self.run("reunion", ["frobnicate"]).status == 2)
    #expect(try Self.run("reunion", ["clone"]).status == 2)
    #expect(
      try Self.run("reunion", ["clone", "http://127.0.0.1:9/#join=x", "/tmp/none-\(UUID())"]).status
        == 4)
    let json = try Self.run("reunion", ["clone", "nonsense", "/tmp/none-\(UUID())", "--json"])
    #expect(json.status == 2)
    #expect(json.errors.hasPrefix("{\"error\":"))
  }

  /// Where a program of this build is.
  static func program(_ name: String) throws -> URL {
    let products = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
      .deletingLastPathComponent()
    let near = [products, Bundle.main.bundleURL, Bundle.main.bundleURL.deletingLastPathComponent()]
    let found = near.map { $0.appending(path: name) }.first {
      FileManager.default.isExecutableFile(atPath: $0.path)
    }
    guard let found else { throw CocoaError(.fileNoSuchFile) }
    return found
  }

  static func run(_ name: String, _ arguments: [String]) throws -> (
    status: Int32, output: String, errors: String
  ) {
    let process = Process()
    process.executableURL = try program(name)
    process.arguments = arguments
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let complaint = String(
      decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text, complaint)
  }
}
