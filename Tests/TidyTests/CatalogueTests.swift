import Foundation
import Testing

/// The catalogues of the products, and the links of all pages, without running DocC.
@Suite struct CatalogueTests {
  static func names(in folder: String, _ ending: String = ".md") throws -> [String] {
    try FileManager.default.contentsOfDirectory(
      atPath: TidyTests.root.appending(path: folder).path
    )
    .filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }.sorted()
  }

  /// The pages of all catalogues, by their paths in the repository.
  static func pages() -> [String] {
    TidyTests.files(in: "Sources").filter { $0.pathExtension == "md" }
      .map { String($0.path.dropFirst(TidyTests.root.path.count).drop { $0 == "/" }) }
  }

  /// The pages that are no catalogue's first one.
  static func guides() -> [String] {
    pages().filter { !$0.contains(#/(\w+)\.docc\/\1\.md$/#) }
  }

  @Test func `each product has a catalogue, whose first page names its guides and types`() throws {
    let manifest = try TidyTests.read("Package.swift")
    let products = manifest.matches(of: /\.library\(name: "(\w+)", targets/).map { String($0.1) }
    #expect(products.count > 5)
    #expect(Self.guides().count > 15 && Self.pages().count == Self.guides().count + products.count)
    for product in products {
      let folder = "Sources/\(product)/\(product).docc"
      let page = try TidyTests.read("\(folder)/\(product).md")
      #expect(page.hasPrefix("# ``\(product)``\n"))
      let topics = page.components(separatedBy: "## Topics").dropFirst().joined()
      let guides = topics.matches(of: /<doc:([\w-]+)>/).map { String($0.1) }
      #expect(
        guides.sorted() == (try Self.names(in: folder)).filter { $0 != product },
        "Name each guide of \(folder) once, as <doc:guide>, on its first page.")
      let sources = try TidyTests.swiftFiles(in: "Sources/\(product)")
        .map { try String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
      for symbol in topics.matches(of: /``(\w+)``/) {
        let name = String(symbol.1)
        let declaration = try Regex("public [a-z ]*\\b\(name)\\b")
        #expect(sources.contains(declaration), "\(product) has no public \(name).")
      }
      let types =
        try product == "Reunion" ? PublicNameTests.names() : PublicNameTests.names(in: sources)
      let clashes = Self.clashes(of: guides, with: types)
      #expect(clashes.isEmpty, "DocC writes guide and type to one address: rename \(clashes).")
    }
  }

  /// The guides that have the name of a type, but for capitals.
  static func clashes(of guides: [String], with types: [String]) -> [String] {
    guides.filter(Set(types.map { $0.lowercased() }).contains)
  }

  @Test func `a guide with the name of a type is seen (negative control)`() {
    #expect(Self.clashes(of: ["radio", "radios"], with: ["Radio", "Air"]) == ["radio"])
  }

  /// The links of a text to files, as Markdown writes them.
  static func markdownLinks(in text: String) -> [String] {
    prose(of: text).matches(of: #/\]\(([^)\s]+)\)/#).map { String($0.1) }
      .filter { !$0.contains("://") }
  }

  @Test func `a guide links to a file by HTML, of which DocC leaves the words`() throws {
    for page in Self.pages() {
      let links = Self.markdownLinks(in: try TidyTests.read(page))
      #expect(
        links.isEmpty, "\(page) links to \(links). DocC leads nowhere from there: <a href=…>…</a>.")
    }
    #expect(Self.markdownLinks(in: "[a](b.md) [c](https://d) <a href=\"e.md\">f</a>") == ["b.md"])
  }

  /// The anchors of a page's headings, as GitHub makes them.
  static func anchors(of text: String) -> Set<String> {
    Set(
      text.matches(of: #/(?m)^#+ (.+)$/#).map { heading in
        heading.1.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
          .replacing(" ", with: "-")
      })
  }

  /// A text without its code.
  private static func prose(of text: String) -> String {
    text.replacing(#/(?s)```.*?```/#, with: "").replacing(#/`[^`\n]*`/#, with: "")
  }

  /// The links of a text that lead nowhere.
  static func dead(in text: String, of page: URL) -> [String] {
    let links = prose(of: text).matches(of: #/(?:\]\(|<a href=")([^)"\s]+)[)"]/#)
    return links.map { String($0.1) }.filter { link in
      if link.contains("://") { return false }
      let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      let file =
        parts[0].isEmpty
        ? page : page.deletingLastPathComponent().appending(path: String(parts[0]))
      guard FileManager.default.fileExists(atPath: file.path) else { return true }
      guard parts.count == 2 else { return false }
      let target = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
      return !anchors(of: target).contains(String(parts[1]))
    }
  }

  @Test func `each link of a page leads to a file and a heading`() throws {
    let pages =
      ["README", "CHANGELOG", "CONTRIBUTING"]
      + (try Self.names(in: "docs").map { "docs/\($0)" })
      + ["Albums", "Quakes", "Sudoku", "Words", "ScreenTime"].map { "Apps/\($0)/README" }
      + ["Apps/Albums/PHOTOGRAPHS", "Apps/ScreenTime/BLIND-SPOTS", "Changelog/README"]
      + (try Self.names(in: "docs/decisions").map { "docs/decisions/\($0)" })
      + Self.pages().map { String($0.dropLast(".md".count)) }
    #expect(pages.count > 80)
    for page in pages {
      let file = TidyTests.root.appending(path: "\(page).md")
      let dead = Self.dead(in: try String(contentsOf: file, encoding: .utf8), of: file)
      #expect(dead.isEmpty, "\(page).md links to \(dead), which is not there.")
    }
    let readme = TidyTests.root.appending(path: "README.md")
    #expect(
      Self.dead(
        in: """
          [a](docs/none.md) [b](docs/serve.md#none) [c](docs/serve.md#who-may-enter) [d](docs)
          <a href="docs/lost.md">e</a> <a href="docs/serve.md">f</a>
          """,
        of: readme) == ["docs/none.md", "docs/serve.md#none", "docs/lost.md"])
  }
}
