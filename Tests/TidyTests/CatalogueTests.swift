import Foundation
import Testing

/// The catalogues of `make docs`, and the links of all pages, without running DocC.
@Suite struct CatalogueTests {
  static let folder = "docs/catalogues"

  static func names(in folder: String, _ ending: String = ".md") throws -> [String] {
    try FileManager.default.contentsOfDirectory(
      atPath: TidyTests.root.appending(path: folder).path
    )
    .filter { $0.hasSuffix(ending) }.map { String($0.dropLast(ending.count)) }.sorted()
  }

  @Test func `each product has a catalogue, and each page is an article of one`() throws {
    let manifest = try TidyTests.read("Package.swift")
    let products = manifest.matches(of: /\.library\(name: "(\w+)", targets/).map { String($0.1) }
    #expect(products.count > 5)
    let catalogues = try Self.names(in: Self.folder)
    #expect(catalogues == products.sorted(), "\(Self.folder) has a page for each library product.")
    var articles: [String] = []
    for catalogue in catalogues {
      let page = try TidyTests.read("\(Self.folder)/\(catalogue).md")
      #expect(page.hasPrefix("# ``\(catalogue)``\n"))
      let topics = page.components(separatedBy: "## Topics").dropFirst().joined()
      articles += topics.matches(of: /<doc:([\w-]+)>/).map { String($0.1) }
      let sources = try ["ReunionDisk", "ReunionStore", "ReunionSync", catalogue]
        .filter { catalogue == "Reunion" || $0 == catalogue }
        .flatMap { TidyTests.swiftFiles(in: "Sources/\($0)") }
        .map { try String(contentsOf: $0, encoding: .utf8) }.joined()
      for symbol in topics.matches(of: /``(\w+)``/) {
        let name = String(symbol.1)
        let declaration = try Regex("public [a-z ]*\\b\(name)\\b")
        #expect(sources.contains(declaration), "\(catalogue) has no public \(name).")
      }
    }
    let pages = try Self.names(in: "docs").filter { $0 != "index" }
    #expect(
      articles.sorted() == pages,
      "Name each page of docs/ once, as <doc:page>, in a page of \(Self.folder).")
  }

  /// The anchors of a page's headings, as GitHub makes them.
  static func anchors(of text: String) -> Set<String> {
    Set(
      text.matches(of: #/(?m)^#+ (.+)$/#).map { heading in
        heading.1.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
          .replacing(" ", with: "-")
      })
  }

  /// The links of a text that lead nowhere.
  static func dead(in text: String, of page: URL) -> [String] {
    let prose = text.replacing(#/(?s)```.*?```/#, with: "").replacing(#/`[^`\n]*`/#, with: "")
    return prose.matches(of: #/\]\(([^)\s]+)\)/#).map { String($0.1) }.filter { link in
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
    #expect(pages.count > 50)
    for page in pages {
      let file = TidyTests.root.appending(path: "\(page).md")
      let dead = Self.dead(in: try String(contentsOf: file, encoding: .utf8), of: file)
      #expect(dead.isEmpty, "\(page).md links to \(dead), which is not there.")
    }
    let readme = TidyTests.root.appending(path: "README.md")
    #expect(
      Self.dead(
        in: "[a](docs/none.md) [b](docs/data.md#none) [c](docs/data.md#fields) [d](docs)",
        of: readme) == ["docs/none.md", "docs/data.md#none"])
  }
}
