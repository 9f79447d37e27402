import Foundation
import Testing

/// Folders are rooms: what a folder names of others in its target leads one way, so that each can be
/// understood with what is below it alone.
@Suite struct RoomTests {
  /// The targets whose folders form no circle.
  static let targets = [
    "ReunionCore", "ReunionFlow", "ReunionDisk", "ReunionStore", "ReunionTools", "ReunionSync",
    "ReunionSockets",
    "Reunion", "ReunionServer",
    "ReunionMedia", "ReunionFeeds", "ReunionBluetooth", "ReunionNearby",
    "ReunionKeys", "ReunionModel",
    "ReunionTesting", "ReunionCLI", "ReunionChangelog", "ReunionChangelogPostgres",
  ]

  @Test(arguments: targets)
  func `the folders of a target form no circle`(target: String) throws {
    let rooms = try Rooms(of: target)
    let circle = rooms.circle()
    #expect(
      circle == nil,
      """
      Folders of \(target) form a circle: \(circle ?? ""). Move what the lower folder names down to it, \
      or what names it up to the one that it belongs to.
      """)
  }

  @Test func `a circle is seen, and what closes it (negative control)`() {
    var files = [
      "A/One.swift": "struct One {\n  let two: Two\n  // Three\n}",
      "B/Two.swift": "struct Two { }\nextension Two {\n  func settleWhole() {}\n}",
      "C/Three.swift": "enum Three {\n  static func run(_ two: Two) { two.settleWhole() }\n}",
      "B/Text.swift": "let text = \"Three\"",
    ]
    #expect(Rooms(files, ambiguous: []).circle() == nil)
    files["B/Back.swift"] = "extension Two {\n  func back() { Three.run(self) }\n}"
    #expect(
      Rooms(files, ambiguous: []).circle()
        == "B → C (Back.swift names Three) → B (Three.swift names Two)")
  }
}

/// What the folders of a target name of each other: types, and functions whose name nothing else has
/// and is of two words or more.
struct Rooms {
  /// By folder and folder: a file of the one, and what it names of the other.
  private var edges: [String: [String: (file: String, name: String)]] = [:]

  /// The names of all files, read once for all targets.
  private static let shipped = Result {
    try ["Sources", "Commands", "Changelog/Sources"].flatMap { TidyTests.swiftFiles(in: $0) }
      .map { ($0.path, Names(in: try String(contentsOf: $0, encoding: .utf8))) }
  }

  /// The folders of a target; a function of the same name in another target says nothing.
  init(of target: String) throws {
    var files: [String: Names] = [:]
    var others: Set<String> = []
    let folder = TidyTests.root.appending(path: TidyTests.folder(of: target)).path + "/"
    for (path, names) in try Self.shipped.get() {
      if path.hasPrefix(folder) {
        files[String(path.dropFirst(folder.count))] = names
      } else {
        others.formUnion(names.functions)
      }
    }
    self.init(files, ambiguous: others)
  }

  init(_ files: [String: String], ambiguous: Set<String>) {
    self.init(files.mapValues(Names.init(in:)), ambiguous: ambiguous)
  }

  private init(_ names: [String: Names], ambiguous: Set<String>) {
    var homes: [String: Set<String>] = [:]
    // What the standard library has under the same name is more likely that.
    var taken = ambiguous.union(["hasPrefix"])
    for (path, names) in names {
      for name in names.types.union(names.functions) {
        homes[name, default: []].insert(folder(path))
      }
      taken.formUnion(names.values)
    }
    for (path, names) in names.sorted(by: { $0.key < $1.key }) {
      let own = folder(path)
      for name in names.words.sorted() {
        guard let home = homes[name], home.count == 1, let other = home.first, other != own,
          name.first?.isUppercase == true || !taken.contains(name),
          edges[own]?[other] == nil
        else { continue }
        edges[own, default: [:]][other] = (String(path.split(separator: "/").last ?? ""), name)
      }
    }
  }

  /// One circle, if there is any: its folders, and a file and a name for each step.
  func circle() -> String? {
    var done: Set<String> = []
    for start in edges.keys.sorted() {
      if let path = circle(from: start, [], &done) { return path }
    }
    return nil
  }

  private func circle(from folder: String, _ path: [String], _ done: inout Set<String>) -> String? {
    if let start = path.firstIndex(of: folder) {
      let circle = path[start...] + [folder]
      let steps = zip(circle, circle.dropFirst()).map { one, other in
        let (file, name) = edges[one]?[other] ?? ("", "")
        return " → \(other) (\(file) names \(name))"
      }
      return folder + steps.joined()
    }
    guard done.insert(folder).inserted else { return nil }
    for next in edges[folder]?.keys.sorted() ?? [] {
      if let found = circle(from: next, path + [folder], &done) { return found }
    }
    return nil
  }
}

private func folder(_ path: String) -> String {
  path.contains("/") ? String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]) : "."
}

/// The names in a file: what it declares, and every word of its code.
private struct Names {
  /// Types that others can name by one word.
  private(set) var types: Set<String> = []
  private(set) var functions: Set<String> = []
  /// Values, cases, parameters and labels.
  private(set) var values: Set<String> = []
  private(set) var words: Set<String> = []

  init(in text: String) {
    var isText = false
    for line in text.split(separator: "\n") {
      let quotes = line.contains("\"\"\"")
      defer { if quotes { isText.toggle() } }
      if isText || quotes || line.contains("import ") { continue }
      add(line)
    }
  }

  private mutating func add(_ line: Substring) {
    var code = Substring(line)
    if let comment = code.firstRange(of: "//") { code = code[..<comment.lowerBound] }
    // Text names nothing, but what is put into it.
    let bare = code.replacing(#/"[^"\\]*"/#, with: "\"\"")
    code = bare[...]
    var last = ""
    var rest = code.utf8[...]
    while let start = rest.firstIndex(where: Self.isWord) {
      let end = rest[start...].firstIndex { !Self.isWord($0) } ?? rest.endIndex
      let word = String(rest[start..<end]) ?? ""
      words.insert(word)
      switch last {
      case "struct", "class", "enum", "protocol", "actor":
        if code.first != " ", word.count > 1 { types.insert(word) }
      case "func":
        // One of a single word is as likely that of some other type; an operator has none.
        if word.dropFirst().contains(where: \.isUppercase) { functions.insert(word) }
      case "let", "var", "case", "inout": values.insert(word)
      default: break
      }
      if end < rest.endIndex, rest[end] == UInt8(ascii: ":") { values.insert(word) }
      last = word
      rest = rest[end...]
    }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: byte >= 0x80
    }
  }
}
