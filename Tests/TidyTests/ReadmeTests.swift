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

  /// The pages of `docs`, and its folders, that a page links to.
  private func pages(on page: String) throws -> Set<String> {
    let text = try String(
      contentsOf: TidyTests.root.appending(path: "docs/\(page)"), encoding: .utf8)
    return Set(text.matches(of: #/\]\(([\w-]+(?:\.md)?)[)#\/]/#).map { String($0.1) })
  }

  @Test func `the index leads to every document in two steps`() throws {
    let readme = try String(
      contentsOf: TidyTests.root.appending(path: "README.md"), encoding: .utf8)
    #expect(readme.contains("(docs/index.md)"))
    let first = try pages(on: "index.md")
    let second = try first.filter { $0.hasSuffix(".md") }.flatMap { try pages(on: $0) }
    let reached = first.union(second).union(["index.md"])
    let docs = try FileManager.default.contentsOfDirectory(
      atPath: TidyTests.root.appending(path: "docs").path)
    #expect(docs.count > 10)
    for name in docs where !name.hasSuffix(".png") {
      #expect(reached.contains(name), "docs/\(name) is not reachable")
    }
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
