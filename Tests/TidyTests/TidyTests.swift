import Foundation
import Testing

/// What the repository promises about itself: arrows that point down, files of a sensible size.
@Suite struct TidyTests {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  /// What each target may import of ours. Arrows point down only.
  static let arrows: [String: Set<String>] = [
    "ReunionCore": [],
    "ReunionFlow": [],
    "ReunionDisk": ["ReunionCore", "ReunionFlow", "CSQLite"],
    "ReunionStore": ["ReunionCore", "ReunionFlow", "ReunionDisk", "CSQLite", "CDeflate"],
    "ReunionTools": ["ReunionCore", "ReunionDisk", "ReunionStore", "CSQLite"],
    "ReunionSync": ["ReunionCore", "ReunionFlow", "ReunionStore"],
    "ReunionSockets": ["ReunionCore", "ReunionFlow", "ReunionSync", "CWebSockets"],
    "Reunion": [
      "ReunionCore", "ReunionFlow", "ReunionDisk", "ReunionStore", "ReunionSync", "ReunionSockets",
    ],
    "ReunionServer": [
      "ReunionCore", "ReunionFlow", "ReunionStore", "ReunionSync", "ReunionSockets",
      "ReunionCommandLine", "CWebSockets", "CCrypto", "CScheduling",
    ],
    "ReunionMedia": ["ReunionCore", "CVips", "CBarcodes", "CSandbox", "CScheduling"],
    "ReunionFeeds": ["ReunionCore", "CXML"],
    "ReunionCommandLine": ["ReunionCore"],
    "ReunionBluetooth": ["ReunionCore", "ReunionFlow", "ReunionDesktop", "CCrypto"],
    "ReunionBluetoothCommand": [
      "ReunionBluetooth", "ReunionNearby", "Reunion", "ReunionFlow", "ReunionCore",
      "ReunionCommandLine",
    ],
    "ReunionDesktop": ["ReunionFlow", "CSystemBus"],
    "ReunionNearby": [
      "ReunionCore", "ReunionFlow", "ReunionDisk", "ReunionStore", "ReunionSync", "Reunion",
      "ReunionBluetooth", "CCrypto",
    ],
    "ReunionTesting": [
      "ReunionCore", "ReunionFlow", "ReunionDisk", "ReunionStore", "ReunionSync", "Reunion",
    ],
    "ReunionKeys": ["CKeys"],
    "ReunionModel": ["ReunionCore"],
    "ReunionServe": ["ReunionServer"],
    "ReunionCLI": [
      "ReunionCore", "Reunion", "ReunionTools", "ReunionMedia", "ReunionFeeds", "ReunionKeys",
      "ReunionModel", "ReunionCommandLine",
    ],
  ]

  static func read(_ path: String) throws -> String {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  static func files(in folder: String) -> [URL] {
    let base = root.appending(path: folder)
    let paths = FileManager.default.enumerator(atPath: base.path)
    return (paths?.allObjects as? [String] ?? []).filter { !$0.contains(".build/") }
      .sorted().map { base.appending(path: $0) }
  }

  static func swiftFiles(in folder: String) -> [URL] {
    files(in: folder).filter { $0.pathExtension == "swift" }
  }

  static func imports(of text: String) -> [String] {
    text.split(separator: "\n").compactMap { line in
      let words = line.split(separator: " ").filter { !$0.hasPrefix("@") }
      // An example in a comment imports nothing.
      guard let at = words.firstIndex(of: "import"), at <= 1, at + 1 < words.count,
        !words[0].hasPrefix("//")
      else { return nil }
      return String(words[at + 1])
    }
  }

  @Test func `arrows point down only`() throws {
    let ours = Set(Self.arrows.keys).union([
      "CSQLite", "CDeflate", "CWebSockets", "CCrypto", "CVips", "CBarcodes", "CSandbox", "CKeys",
      "CXML",
      "CSystemBus", "CScheduling",
    ])
    for (target, allowed) in Self.arrows {
      let files = Self.swiftFiles(in: Self.folder(of: target))
      #expect(!files.isEmpty, "\(target) has no sources")
      for file in files {
        let text = try String(contentsOf: file, encoding: .utf8)
        for name in Self.imports(of: text) where ours.contains(name) {
          #expect(allowed.contains(name), "\(file.lastPathComponent) imports \(name)")
        }
      }
    }
  }

  @Test func `the check of arrows sees a wrong one (negative control)`() {
    let names = Self.imports(
      of: "import Foundation\n/// import Y\npublic import ReunionServer\n@testable import X")
    #expect(names == ["Foundation", "ReunionServer", "X"])
    #expect(Self.arrows["ReunionStore"]?.contains("ReunionServer") == false)
  }

  @Test func `the core needs neither Foundation nor any other module`() throws {
    for file in Self.swiftFiles(in: "Sources/ReunionCore") {
      let text = try String(contentsOf: file, encoding: .utf8)
      #expect(Self.imports(of: text).isEmpty, "\(file.lastPathComponent)")
    }
  }

  /// What an app on Apple's platforms links, and what Linux alone has.
  static let portable = [
    "ReunionCore", "ReunionFlow", "ReunionDisk", "ReunionStore", "ReunionTools", "ReunionSync",
    "Reunion", "ReunionKeys",
  ]
  static let ofLinux: Set<String> = ["Glibc", "FoundationNetworking", "ReunionSockets"]

  /// The modules of Linux that a text imports outside of a condition.
  static func unconditional(in text: String) -> [String] {
    var depth = 0
    return text.split(separator: "\n").flatMap { line -> [String] in
      let words = line.drop { $0 == " " }
      if words.hasPrefix("#if") { depth += 1 }
      if words.hasPrefix("#endif") { depth -= 1 }
      return depth > 0 ? [] : imports(of: String(words)).filter(ofLinux.contains)
    }
  }

  @Test func `what is portable imports nothing of Linux without a condition`() throws {
    for file in Self.portable.flatMap({ Self.swiftFiles(in: "Sources/\($0)") }) {
      let found = Self.unconditional(in: try String(contentsOf: file, encoding: .utf8))
      #expect(
        found.isEmpty,
        """
        \(file.lastPathComponent) imports \(found), which Apple's platforms lack. Put it between \
        #if canImport(Glibc) and #endif, with Darwin beside it.
        """)
    }
    let condition = "#if canImport(Glibc)\n  import Glibc\n#endif\n"
    #expect(Self.unconditional(in: condition).isEmpty)
    #expect(Self.unconditional(in: condition + "package import Glibc") == ["Glibc"])
  }

  /// Where the sources of a target are: a library's, or a command's of another name.
  static func folder(of target: String) -> String {
    let commands = [
      "ReunionCLI": "reunion", "ReunionServe": "reunion-serve",
      "ReunionBluetoothCommand": "reunion-bluetooth",
    ]
    let home = target.hasPrefix("ReunionChangelog") ? "Changelog/Sources" : "Sources"
    return commands[target].map { "Commands/\($0)" } ?? "\(home)/\(target)"
  }

  static let appSources = [
    "Apps/Albums/Sources", "Apps/Quakes/Sources", "Apps/Sudoku/Sources",
    "Apps/Words/Sources", "Apps/ScreenTime/Sources", "Apps/Shared/Entrance",
  ]

  @Test func `the apps import products alone`() throws {
    let products = Set([
      "Reunion", "ReunionCore", "ReunionServer", "ReunionMedia", "ReunionFeeds", "ReunionFlow",
      "ReunionDesktop",
    ])
    for file in Self.appSources.flatMap({ Self.swiftFiles(in: $0) }) {
      let text = try String(contentsOf: file, encoding: .utf8)
      let names = Self.imports(of: text).filter { $0.hasPrefix("Reunion") }
      #expect(Set(names).isSubset(of: products), "\(file.lastPathComponent)")
      #expect(!text.contains("@testable"))
    }
  }

  /// The words of the album that a text says, wherever they stand.
  static func wordsOfAlbum(in text: String) -> [String] {
    let text = text.lowercased()
    return ["photo", "album", "caption"].filter(text.contains)
  }

  @Test func `the server and the browser's library know no album`() throws {
    let scripts = Self.files(in: "Web").filter {
      $0.pathExtension == "js" && !$0.path.contains("/Web/tests/")
    }
    let sources = Self.swiftFiles(in: "Sources/ReunionServer")
    #expect(scripts.count > 10 && sources.count > 50)
    for file in scripts + sources {
      let words = Self.wordsOfAlbum(in: try String(contentsOf: file, encoding: .utf8))
      #expect(
        words.isEmpty,
        "\(file.lastPathComponent) says \(words). Say it in a general word, or move it to the app.")
    }
  }

  @Test func `the look for words of the album sees them (negative control)`() {
    #expect(Self.wordsOfAlbum(in: "/// Photos of guests") == ["photo"])
    #expect(Self.wordsOfAlbum(in: "case isCaption, inAlbum") == ["album", "caption"])
    #expect(Self.wordsOfAlbum(in: "A file, a record and a space").isEmpty)
  }

  @Test func `files are short enough to live in`() throws {
    for folder in ["Sources", "Commands", "Tests", "Apps", "Changelog"] {
      for file in Self.swiftFiles(in: folder) {
        let lines = try String(contentsOf: file, encoding: .utf8).split(
          separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 450, "\(file.lastPathComponent) has \(lines.count) lines")
      }
    }
  }

  @Test func `no file holds what a merge left`() throws {
    let paths = FileManager.default.enumerator(atPath: Self.root.path)
    for case let path as String in paths ?? .init() where !path.contains(".build/") {
      guard
        [".md", ".swift", ".js", ".mjs", ".ts", ".py", ".sh", ".css", ".html"].contains(
          where: path.hasSuffix),
        let text = try? String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
      else { continue }
      for mark in ["<<<<<<< ", ">>>>>>> "] {
        #expect(!text.hasPrefix(mark) && !text.contains("\n" + mark), "\(path)")
      }
    }
  }

  /// Whether a line opens the file of a database, other than by SQLite: closing it would end the
  /// locks that SQLite has on it.
  static func opensDatabase(_ line: Substring) -> Bool {
    let files = ["store.sqlite", "database.path", "connection.path"]
    let ways = [
      ".open(", " open(", "fopen(", "SystemFile(", "FileHandle(", "contentsOf", "contents(at",
      "InputStream(", "readfile",
    ]
    return files.contains { line.contains($0) && !line.contains($0 + "-wal") }
      && ways.contains { line.contains($0) }
  }

  @Test func `nothing but SQLite opens the file of a database`() throws {
    for folder in ["Sources", "Commands", "Apps/Guides", "Changelog/Sources"] + Self.appSources {
      for file in Self.swiftFiles(in: folder) {
        let text = try String(contentsOf: file, encoding: .utf8)
        let found = text.split(separator: "\n").filter(Self.opensDatabase)
        // The seeded bug that does it.
        let allowed = file.lastPathComponent == "Identity.swift" ? 1 : 0
        #expect(found.count == allowed, "\(file.lastPathComponent): \(found)")
      }
    }
  }

  @Test func `the look for opened databases sees one (negative control)`() {
    for line in [
      "let number = try options.disk.open(connection.path, .reading).number()",
      "try disk.open(folder + \"/store.sqlite\", .reading)",
      "let bytes = try Data(contentsOf: URL(filePath: path + \"/store.sqlite\"))",
    ] {
      #expect(Self.opensDatabase(line[...]))
    }
    #expect(!Self.opensDatabase("guard try disk.exists(folder + \"/store.sqlite\") else {"))
  }

  @Test func `nothing is forced in the sources`() throws {
    for folder in ["Sources", "Commands", "Changelog/Sources"] + Self.appSources {
      for file in Self.swiftFiles(in: folder) {
        let text = try String(contentsOf: file, encoding: .utf8)
        for word in ["try!", "fatalError(", "as! ", "TODO", "FIXME"] {
          #expect(!text.contains(word), "\(file.lastPathComponent) has \(word)")
        }
      }
    }
  }
}
