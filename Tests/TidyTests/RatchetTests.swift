import Foundation
import Testing

/// What is not as it should be everywhere yet: counts that may only fall. Whoever lowers one writes the new
/// number here.
@Suite struct RatchetTests {
  /// Marks of English that sounds translated, each with a sentence that has it.
  private static let marks: [(example: String, pattern: Regex<Substring>)] = [
    ("Who joins gets a number.", #/(?:^|[.:;!?] )Who \w+/#),
    (
      "Of whom it is known nothing is asked.",
      #/(?:^|[.:;!?] )(?:Of|To|From|By|With|For|Under) (?:who|whom|what|which|whoever|whose)\b/#
    ),
    ("Whose changes are sent alone.", #/(?:^|[.:;!?] )Whose \w+/#),
    ("It ends after so many bytes.", #/\bso (?:many|much|often)\b(?! (?:as|that))/#),
    ("Takes that which came first.", #/\bthat which\b/#),
    ("nil where there is none.", #/\bwhere (?:it has|one has|they have|nobody|none)\b/#),
    ("nil where there are no places.", #/\bwhere there (?:is|are) (?:none|one|no)\b/#),
    (
      "Goes on behind the comma, and begins behind it.",
      #/\b(?:goes?|gone|went|going|lies?|begins?|stands?) (?:on )?behind\b/#
    ),
    ("Has the store be closed.", #/\b(?:[Hh]as|[Hh]ave|[Hh]ad) (?:\w+ ){1,5}be\b(?! able)/#),
  ]

  /// The sentences of a file's comments.
  static func sentences(of text: String) -> [Substring] {
    var (paragraphs, isOpen) = ([String](), false)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard let match = line.firstMatch(of: #/^ *(?:\/\/\/?|\*)(?: (.+))?$/#),
        let words = match.1
      else {
        isOpen = false
        continue
      }
      if isOpen { paragraphs[paragraphs.count - 1] += " " + words } else { paragraphs.append("\(words)") }
      isOpen = true
    }
    return paragraphs.flatMap { $0.split(separator: #/(?<=[.!?]) +/#) }
  }

  private static func marks(in text: String) -> Int {
    sentences(of: text).reduce(0) { count, sentence in
      count + marks.count { sentence.firstMatch(of: $0.pattern) != nil }
    }
  }

  @Test func `comments that sound translated become fewer`() throws {
    var (count, sentences) = (0, 0)
    for file in ["Sources", "Web", "Apps"].flatMap({ TidyTests.files(in: $0) })
    where ["swift", "js"].contains(file.pathExtension) {
      let text = try String(contentsOf: file, encoding: .utf8)
      count += Self.marks(in: text)
      sentences += Self.sentences(of: text).count
    }
    print("marks of translated English: \(count) in \(sentences) sentences")
    #expect(sentences > 10_000)
    #expect(count == 470)
  }

  @Test func `each mark is seen (negative control)`() {
    for mark in Self.marks { #expect(Self.marks(in: "  /// \(mark.example)") > 0, "\(mark.example)") }
    #expect(Self.marks(in: "/// A device that joins gets a number.\nlet who = 1") == 0)
  }

  /// A function of a file: its name, its lines, and how many parameters it has.
  static func functions(in text: String) -> [(name: String, lines: Int, parameters: Int)] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var found: [(String, Int, Int)] = []
    for (index, line) in lines.enumerated() {
      let code = line.drop { $0 == " " }
      guard !code.hasPrefix("//"),
        let match = code.firstMatch(of: #/^(?:[\w@]+ )*(?:func (\w+)|(init)\??)[<(]/#)
      else { continue }
      // As `swift format` leaves it, a function ends where its beginning is indented to.
      let end = String(repeating: " ", count: line.count - code.count) + "}"
      let rest = lines[index...]
      // What a protocol asks for has no body.
      let signature = rest.prefix { !$0.isEmpty && !$0.contains("///") }
      guard signature.contains(where: { $0.hasSuffix("{") }) || code.hasSuffix("}") else { continue }
      let last = code.hasSuffix("}") ? index : rest.firstIndex { $0 == end } ?? index
      let name = String(match.1 ?? match.2 ?? "")
      found.append((name, last - index + 1, parameters(of: rest.prefix(40).joined(separator: "\n"))))
    }
    return found
  }

  private static func parameters(of signature: String) -> Int {
    var (depth, commas, isEmpty) = (0, 0, true)
    for character in signature.drop(while: { $0 != "(" }) {
      switch character {
      case "(", "[", "{": depth += 1
      case ")", "]", "}":
        depth -= 1
        if depth == 0 { return isEmpty ? 0 : commas + 1 }
      case ",": if depth == 1 { commas += 1 }
      default: break
      }
      if depth >= 1, character != "(", !character.isWhitespace { isEmpty = false }
    }
    return 0
  }

  @Test func `long functions and long lists of parameters become fewer`() throws {
    var (long, wide) = ([String](), [String]())
    for file in ["Sources", "Apps"].flatMap({ TidyTests.swiftFiles(in: $0) }) {
      for function in Self.functions(in: try String(contentsOf: file, encoding: .utf8)) {
        let name = "\(file.lastPathComponent): \(function.name)"
        if function.lines > 70 { long.append("\(name), \(function.lines) lines") }
        if function.parameters > 6 { wide.append("\(name), \(function.parameters) parameters") }
      }
    }
    #expect(long.count == 4, "\(long)")
    #expect(wide.count == 21, "\(wide)")
  }

  @Test func `a function is measured (negative control)`() {
    let text = """
      struct A {
        init(a: Int, b: (Int, Int), c: [Int: Int]) {
          self.a = a
        }
        package static func one() -> Int { 1 }
      }
      """
    let found = Self.functions(in: text)
    #expect(found.map(\.name) == ["init", "one"])
    #expect(found.map(\.lines) == [3, 1])
    #expect(found.map(\.parameters) == [3, 0])
  }

  @Test func `names of types that several modules have become fewer`() throws {
    var modules: [String: Set<String>] = [:]
    for file in TidyTests.swiftFiles(in: "Sources") {
      let path = file.path.split(separator: "/")
      guard let at = path.lastIndex(of: "Sources") else { continue }
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n") {
        let pattern = #/^(?:@\w+ )?(?:(?:public|package|final|indirect) )*(?:struct|class|enum|protocol|actor) (\w+)/#
        guard let match = line.firstMatch(of: pattern) else { continue }
        modules[String(match.1), default: []].insert(String(path[at + 1]))
      }
    }
    let shared = modules.filter { $0.value.count > 1 }.keys.sorted()
    #expect(shared.count == 15, "\(shared)")
  }
}
