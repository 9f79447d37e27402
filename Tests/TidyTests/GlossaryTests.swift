import Foundation
import Testing

/// The words of layers mean the same everywhere: `docs/glossary.md` says in which places a type's name may end in one.
@Suite struct GlossaryTests {
  /// The words of the page's first table, each with its places.
  static func words(of page: String) -> [String: Set<String>] {
    var words: [String: Set<String>] = [:]
    for line in page.split(separator: "\n") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count == 3, cells[0] != "word", !cells[0].hasPrefix("---") else { continue }
      words[cells[0]] = Set(cells[2].components(separatedBy: ", "))
    }
    return words
  }

  /// The types that a text declares at its top.
  static func types(in text: String) -> [String] {
    let pattern =
      #/(?m)^(?:@\w+ )?(?:(?:public|package|final|indirect|export) )*(?:struct|class|enum|protocol|actor) (\w+)/#
    return text.matches(of: pattern).map { String($0.1) }
  }

  /// Where a file belongs: its module, its package, or its room of the browser's library.
  static func place(of path: String) -> String? {
    let parts = path.split(separator: "/").map(String.init)
    switch parts[0] {
    case "Sources": return parts[1]
    case "Web": return parts.count > 2 && parts[1] != "tests" ? "Web/\(parts[1])" : nil
    case "Apps": return parts.contains { ["Tests", "tests", "Guides"].contains($0) } ? nil : "Apps"
    case "Changelog": return parts[1] == "Sources" ? "Changelog" : nil
    default: return nil
    }
  }

  @Test func `a type's name ends in a word of layers only where the glossary has it`() throws {
    let words = Self.words(of: try TidyTests.read("docs/glossary.md"))
    #expect(words.count > 7)
    var found: [String: Set<String>] = [:]
    for folder in ["Sources", "Web", "Apps", "Changelog"] {
      for file in TidyTests.files(in: folder) where ["swift", "js"].contains(file.pathExtension) {
        let path = String(file.path.dropFirst(TidyTests.root.path.count)).drop { $0 == "/" }
        guard let place = Self.place(of: String(path)) else { continue }
        for type in Self.types(in: try String(contentsOf: file, encoding: .utf8)) {
          for word in words.keys where type.hasSuffix(word) {
            found[word, default: []].insert(place)
            #expect(
              words[word]?.contains(place) == true,
              "\(path): \(type). In docs/glossary.md a \(word) is something else: name it otherwise."
            )
          }
        }
      }
    }
    #expect(found == words, "A place of the glossary has no such type any more.")
  }

  @Test func `a word in another place is seen (negative control)`() {
    let words = Self.words(
      of: "| word | what | where |\n|---|---|---|\n| Link | a pipe | One, Web/two |")
    #expect(words == ["Link": ["One", "Web/two"]])
    let text =
      "@MainActor public final class NearLink {\n  struct Inner {}\n}\nexport class Link {\n"
    #expect(Self.types(in: text) == ["NearLink", "Link"])
    #expect(Self.place(of: "Web/two/a.js") == "Web/two")
    #expect(Self.place(of: "Sources/One/A/B.swift") == "One")
    #expect(Self.place(of: "Apps/A/Tests/B.swift") == nil)
  }
}
