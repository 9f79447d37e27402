import Foundation
import Testing

/// What is not as it should be everywhere yet: counts that may only fall. Whoever lowers one writes the new
/// number here.
@Suite struct RatchetTests {
  private static let (questions, prepositions): (Set<Substring>, Set<Substring>) = (
    ["who", "whom", "what", "which", "whoever", "whose"],
    ["Of", "To", "From", "By", "With", "For", "Under"]
  )
  private static let moves: Set<Substring> = [
    "go", "goes", "gone", "went", "going", "lie", "lies", "begin", "begins", "stand", "stands",
    "Go", "Goes", "Begins", "Stands",
  ]
  private static let absences: [[Substring]] = [
    ["none"], ["nobody"], ["it", "has"], ["one", "has"], ["they", "have"],
    ["there", "is", "none"], ["there", "is", "no"], ["there", "is", "one"],
    ["there", "are", "none"], ["there", "are", "no"],
  ]

  /// How many marks of English that sounds translated a sentence has.
  static func marks(in words: [Substring]) -> Int {
    var count = words.first == "Who" || words.first == "Whose" ? 1 : 0
    for (index, word) in words.enumerated() {
      let rest = words[(index + 1)...]
      let next = rest.first ?? ""
      switch word {
      case "so" where ["many", "much", "often"].contains(next):
        if !["as", "that"].contains(rest.dropFirst().first) { count += 1 }
      case "that" where next == "which": count += 1
      case "where" where absences.contains { rest.starts(with: $0) }: count += 1
      case "Has", "Have", "Had":
        if index == 0, let be = rest.prefix(6).dropFirst().firstIndex(of: "be"),
          words[(be + 1)...].first != "able"
        {
          count += 1
        }
      default:
        if index == 0, prepositions.contains(word), questions.contains(next) { count += 1 }
        if moves.contains(word), (next == "on" ? rest.dropFirst() : rest).first == "behind" {
          count += 1
        }
      }
    }
    return count
  }

  /// What each line says as a comment; nil for a line of code.
  static func comments(of text: String) -> [Substring?] {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let code = line.drop { $0 == " " }
      guard ["//", "/*", "* "].contains(where: code.hasPrefix) else { return nil }
      return (code.hasSuffix("*/") ? code.dropLast(2) : code).drop { $0 == "/" || $0 == "*" }
    }
  }

  /// The same of Python, where a text that begins a line tells of what follows, and of shell.
  static func scriptComments(of text: String) -> [Substring?] {
    /// Whether the text that is open is a comment; nil if no text is open.
    var open: Bool?
    return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let code = line.drop { $0 == " " }
      let parts = code.split(separator: "\"\"\"", omittingEmptySubsequences: false)
      let (before, isComment) = (open, open ?? code.hasPrefix("\"\"\""))
      if parts.count % 2 == 0 { open = before == nil ? isComment : nil }
      if isComment { return parts.first { !$0.isEmpty } ?? "" }
      return before == nil && code.hasPrefix("#") ? code.drop { $0 == "#" || $0 == "!" } : nil
    }
  }

  /// The sentences of a file's comments, as words without punctuation.
  static func sentences(of comments: [Substring?]) -> [[Substring]] {
    var (sentences, isOpen) = ([[Substring]](), false)
    for comment in comments {
      guard let comment else {
        isOpen = false
        continue
      }
      for word in comment.split(separator: " ") {
        if !isOpen { sentences.append([]) }
        let bare = word.prefix { !",.;:!?)".contains($0) }
        sentences[sentences.count - 1].append(bare.count + 1 >= word.count ? bare : word)
        isOpen = !(word.hasSuffix(".") || word.hasSuffix("!") || word.hasSuffix("?"))
      }
    }
    return sentences
  }

  /// What is tested and not shipped is for those who write it.
  private static func isTest(_ file: URL) -> Bool {
    file.path.lowercased().contains("/tests/") || file.path.contains("/Apps/Guides/")
  }

  @Test func `comments that sound translated become fewer`() throws {
    var (count, sentences, told) = (0, 0, [String]())
    for path in try StyleTests.files() {
      let isScript = [".py", ".sh"].contains(where: path.hasSuffix)
      guard
        isScript || [".swift", ".js", ".mjs", ".ts", ".c", ".h"].contains(where: path.hasSuffix)
      else { continue }
      let text = try TidyTests.read(path)
      let found = Self.sentences(
        of: isScript ? Self.scriptComments(of: text) : Self.comments(of: text))
      for words in found {
        let marks = Self.marks(in: words)
        if marks > 0 { told.append("\(path): \(words.joined(separator: " "))") }
        count += marks
      }
      sentences += found.count
    }
    print("marks of translated English: \(count) in \(sentences) sentences")
    #expect(sentences > 15_000)
    #expect(count == 0, "\(told)")
  }

  @Test(arguments: [
    "Who joins gets a number.", "Whose changes are sent alone.",
    "Of whom it is known nothing is asked.", "It ends after so many bytes.",
    "It takes that which came first.", "It is nil where there is none.", "nil where it has one.",
    "It goes on behind the comma.", "It begins behind that.", "Has the store be closed.",
  ])
  func `each mark is seen (negative control)`(sentence: String) {
    for comment in [
      "/// Fine. \(sentence)", "/** Fine. \(sentence) */", "/**\n * Fine. \(sentence)\n */",
    ] {
      let found = Self.sentences(of: Self.comments(of: "let a = 1\n  \(comment)\nlet who = 1"))
      #expect(found.count == 2 && found.map(Self.marks(in:)) == [0, 1])
    }
    for comment in [
      "# Fine. \(sentence)", "\"\"\"Fine. \(sentence)\"\"\"",
      "\"\"\"Fine.\n\n  \(sentence)\n  \"\"\"",
    ] {
      let code = "run(\"\"\"\nWho is it.\n# Who is it.\n\"\"\")\n"
      let found = Self.sentences(of: Self.scriptComments(of: code + "  \(comment)\nwho = 1"))
      #expect(found.count == 2 && found.map(Self.marks(in:)) == [0, 1])
    }
    let sound = "// A device that joins has so many that it has to be asked, and may be gone.\n"
    #expect(Self.sentences(of: Self.comments(of: sound)).map(Self.marks(in:)) == [0])
  }

  /// A function of a file: its name, its lines, and how many parameters it has.
  static func functions(in text: String) -> [(name: String, lines: Int, parameters: Int)] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    var found: [(String, Int, Int)] = []
    for (index, line) in lines.enumerated() {
      let code = line.drop { $0 == " " }
      guard line.contains("func ") || line.contains("init"), !code.hasPrefix("//"),
        let match = code.firstMatch(of: #/^(?:[\w@]+ )*(?:func (\w+)|(init)\??)[<(]/#)
      else { continue }
      // As `swift format` leaves it, a function ends where its beginning is indented to.
      let end = String(repeating: " ", count: line.count - code.count) + "}"
      let rest = lines[index...]
      // What a protocol asks for has no body.
      let signature = rest.prefix { !$0.isEmpty && !$0.contains("///") }
      guard signature.contains(where: { $0.hasSuffix("{") }) || code.hasSuffix("}") else {
        continue
      }
      let last = code.hasSuffix("}") ? index : rest.firstIndex { $0 == end } ?? index
      let name = String(match.1 ?? match.2 ?? "")
      found.append(
        (name, last - index + 1, parameters(of: rest.prefix(40).joined(separator: "\n"))))
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
    for file in ["Sources", "Commands", "Apps", "Changelog/Sources"].flatMap({
      TidyTests.swiftFiles(in: $0)
    }) where !Self.isTest(file) {
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
    for file in ["Sources", "Commands"].flatMap({ TidyTests.swiftFiles(in: $0) }) {
      let path = file.path.split(separator: "/")
      guard let at = path.lastIndex(where: { ["Sources", "Commands"].contains($0) }) else {
        continue
      }
      for line in try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      where !line.hasPrefix(" ") && !line.hasPrefix("/") && !line.hasPrefix("}") {
        let pattern =
          #/^(?:@\w+ )?(?:(?:public|package|final|indirect) )*(?:struct|class|enum|protocol|actor) (\w+)/#
        guard let match = line.firstMatch(of: pattern) else { continue }
        modules[String(match.1), default: []].insert(String(path[at + 1]))
      }
    }
    let shared = modules.filter { $0.value.count > 1 }.keys.sorted()
    #expect(shared.isEmpty, "\(shared)")
  }
}
