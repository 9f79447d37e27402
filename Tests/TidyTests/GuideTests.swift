import Foundation
import Testing

/// The blocks of the guide are one program, which runs and prints what the guide says.
@Suite struct GuideTests {
  static func blocks(_ language: String, in text: String) -> [String] {
    var blocks: [String] = []
    var rest = text[...]
    while let start = rest.range(of: "```\(language)\n"),
      let end = rest.range(of: "\n```", range: start.upperBound..<rest.endIndex)
    {
      blocks.append(String(rest[start.upperBound..<end.lowerBound]))
      rest = rest[end.upperBound...]
    }
    return blocks
  }

  static func read(_ path: String) throws -> String {
    try String(contentsOf: TidyTests.root.appending(path: path), encoding: .utf8)
  }

  @Test func `the guide to one source of truth is its example, block by block`() throws {
    let blocks = Self.blocks("swift", in: try Self.read("docs/one-source-of-truth.md"))
    #expect(blocks.count == 5)
    let example = try Self.read("Examples/OneSourceOfTruth/main.swift")
    #expect(blocks.joined(separator: "\n\n") == example.trimmingCharacters(in: .newlines))
  }

  @Test func `getting started is its example, block by block`() throws {
    let blocks = Self.blocks("swift", in: try Self.read("docs/getting-started.md"))
    #expect(blocks.count == 4)
    let example = try Self.read("Examples/GettingStarted/main.swift")
    #expect(blocks.joined(separator: "\n\n") == example.trimmingCharacters(in: .newlines))
  }

  /// Whether a text reaches for the store of a replica. A simple boundary, since others do not lie at a
  /// period that letters follow.
  static func reachesStore(_ text: String) -> Bool {
    text.contains(#/\b(?:replica|phone|laptop|server)\.store\b/#.wordBoundaryKind(.simple))
  }

  @Test func `a text that reaches for the store is seen (negative control)`() {
    #expect(Self.reachesStore("try self.replica.store.write(in: space) { _ in }"))
    #expect(!Self.reachesStore("replica.storeName and my replica, store"))
  }

  @Test func `no example and no page reaches for the store behind a replica`() throws {
    let files =
      TidyTests.swiftFiles(in: "Examples").map(\.path)
      + ["README.md"].map { TidyTests.root.appending(path: $0).path }
      + (try FileManager.default.contentsOfDirectory(
        atPath: TidyTests.root.appending(path: "docs").path
      )
      .filter { $0.hasSuffix(".md") }
      .map { TidyTests.root.appending(path: "docs/\($0)").path })
    #expect(files.count > 20)
    // The replicas of a simulated world are a tool: theirs is the store.
    let worlds = ["hostileworld", "testing"]
    for file in files
    where !worlds.contains(where: file.lowercased().replacing("-", with: "").contains) {
      let text = try String(contentsOfFile: file, encoding: .utf8)
      #expect(!Self.reachesStore(text), "\(file)")
      #expect(!text.contains("SpaceID(high: 0"), "\(file)")
    }
  }

  @Test(arguments: [
    ("data", "Data"), ("settings", "Settings"), ("images", "Images"), ("feeds", "Feeds"),
    ("hostile-world", "HostileWorld"), ("queries", "Queries"), ("evolution", "Evolution"),
    ("machines", "Machines"), ("offline", "Offline"), ("nearby", "Nearby"),
  ])
  func `a page's blocks are its example, which prints what the page says`(
    page: String, example: String
  ) throws {
    let text = try Self.read("docs/\(page).md")
    let program = try Self.read("Examples/\(example)/main.swift")
    let blocks = Self.blocks("swift", in: text)
    #expect(blocks.count >= 3)
    #expect(blocks.joined(separator: "\n\n") == program.trimmingCharacters(in: .newlines))
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(page)-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let run = try ReadmeTests.run("\(page)-example", [folder.path])
    #expect(run.status == 0, "\(run.errors)")
    #expect([run.output.trimmingCharacters(in: .newlines)] == Self.blocks("text", in: text))
  }

  @Test func `the first connection over Bluetooth is an example that is built`() throws {
    let blocks = Self.blocks("swift", in: try Self.read("docs/bluetooth.md"))
    let example = try Self.read("Examples/Bluetooth/main.swift")
    #expect(blocks == [example.trimmingCharacters(in: .newlines)])
    #expect(
      FileManager.default.fileExists(atPath: try ReadmeTests.program("bluetooth-example").path))
  }

  @Test func `an app that stays offline links SQLite and no library of a network`() throws {
    func links(_ program: String, _ library: String) throws -> Bool {
      try Data(contentsOf: ReadmeTests.program(program)).range(of: Data("\(library).so".utf8))
        != nil
    }
    #expect(try links("offline-example", "libsqlite3"))
    for library in ["libwebsockets", "libuv", "libssl", "libcrypto", "libxml2", "libvips"] {
      #expect(try !links("offline-example", library), "The program of docs/offline.md links it.")
    }
    #expect(try links("notes-example", "libwebsockets"))
  }

  @Test func `the page on testing is its tests, block by block`() throws {
    let blocks = Self.blocks("swift", in: try Self.read("docs/testing.md"))
    #expect(blocks.count == 4)
    let tests = try Self.read("Examples/Testing/ErrandTests.swift")
    #expect(blocks.joined(separator: "\n\n") == tests.trimmingCharacters(in: .newlines))
  }

  @Test func `what the page on SwiftUI shows is parsed, as it says`() throws {
    let blocks = Self.blocks("swift", in: try Self.read("docs/swiftui.md"))
    #expect(blocks.count == 5)
    let file = FileManager.default.temporaryDirectory.appending(path: "swiftui-\(UUID()).swift")
    defer { try? FileManager.default.removeItem(at: file) }
    func parse(_ text: String) throws -> Int32 {
      try Data(text.utf8).write(to: file)
      return try StyleTests.run("swiftc", ["-parse", file.path]).status
    }
    #expect(try parse(blocks.joined(separator: "\n")) == 0)
    #expect(try parse(blocks.joined(separator: "\n") + "\nstruct {") != 0)
  }

  @Test func `the page on barcodes is its example, which prints what the page says`() throws {
    let page = try Self.read("docs/barcodes.md")
    let blocks = Self.blocks("swift", in: page)
    #expect(blocks.count == 2)
    let example = try Self.read("Examples/Barcodes/main.swift")
    #expect(blocks.joined(separator: "\n\n") == example.trimmingCharacters(in: .newlines))
    let folder = FileManager.default.temporaryDirectory.appending(path: "barcodes-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let run = try ReadmeTests.run("barcodes-example", [folder.path])
    #expect(run.status == 0, "\(run.errors)")
    #expect([run.output.trimmingCharacters(in: .newlines)] == Self.blocks("text", in: page))
    let scan = try ReadmeTests.run("reunion", ["scan", "\(folder.path)/ticket.png", "--json"])
    #expect(scan.status == 0 && scan.output.contains("\"text\":\"https://example.org/t/4711\""))
    #expect(try ReadmeTests.run("reunion", ["scan", "\(folder.path)/none.png"]).status == 1)
    #expect(try ReadmeTests.run("reunion", ["barcode", "ean13", "12"]).status == 2)
  }

  @Test func `the page on models is its example, which the plugin builds`() throws {
    let page = try Self.read("docs/models.md")
    let folder = "Examples/Models/Errands.reunionmodel"
    #expect(
      try Self.blocks("swift", in: page)
        == ["main.swift", "Errand.swift"].map {
          try Self.read("Examples/Models/\($0)").trimmingCharacters(in: .newlines)
        })
    #expect(
      try Self.blocks("model", in: page)
        == ["v1.model", "v2.model"].map {
          try Self.read("\(folder)/\($0)").trimmingCharacters(in: .newlines)
        })
    let store = FileManager.default.temporaryDirectory.appending(path: "models-\(UUID())")
    defer { try? FileManager.default.removeItem(at: store) }
    let run = try ReadmeTests.run("models-example", [store.path])
    #expect(run.status == 0, "\(run.errors)")
    #expect([run.output.trimmingCharacters(in: .newlines)] == Self.blocks("text", in: page))
    let commands = Self.blocks("console", in: page)
    #expect(commands.count == 2)
    for block in commands {
      let line = block.prefix { $0 != "\n" }
      let words = line.dropFirst("$ reunion ".count)
        .replacing("Errands.reunionmodel", with: TidyTests.root.appending(path: folder).path)
      let output = try ReadmeTests.run("reunion", words.split(separator: " ").map(String.init))
        .output
      #expect(block == "\(line)\n\(output)".trimmingCharacters(in: .newlines))
    }
    // What the file says is what was made of it, down to the indexes and lenses that the store keeps.
    let model = TidyTests.root.appending(path: folder).path
    let plan = try ReadmeTests.run("reunion", ["model", "plan", model, store.path]).output
    #expect(plan.hasSuffix("The store in \(store.path), to version 2:\nNothing is to be done.\n"))
  }

  @Test func `the server of the page on your own server is its example`() throws {
    let blocks = Self.blocks("swift", in: try Self.read("docs/serve.md"))
    let example = try Self.read("Examples/Server/main.swift")
    #expect(blocks == [example.trimmingCharacters(in: .newlines)])
    let help = try ReadmeTests.run("server-example", ["--help"]).output
    #expect(help.contains("reunion serve FOLDER"))
  }

  @Test func `the page on keys is its example, whose program does not hold them`() throws {
    let page = try Self.read("docs/keys.md")
    let example = try Self.read("Examples/Keys/main.swift")
    #expect(Self.blocks("swift", in: page) == [example.trimmingCharacters(in: .newlines)])
    let run = try ReadmeTests.run("keys-example", [])
    #expect([run.output.trimmingCharacters(in: .newlines)] == Self.blocks("text", in: page))
    let program = try Data(contentsOf: ReadmeTests.program("keys-example"))
    let list = try Self.read("Examples/Keys/.keys")
    let key = try #require(list.firstMatch(of: #/weather = (.+)/#)?.1)
    #expect(key.count >= 16)
    // A part of it, so that no compiler's way to lay out a text hides it.
    #expect(program.range(of: Data(key.utf8.prefix(8))) == nil)
    // What is written in the source is found there (negative control).
    #expect(program.range(of: Data("whose SHA-256 begins with".utf8)) != nil)
    let source = try ReadmeTests.run(
      "reunion",
      ["obfuscate", TidyTests.root.appending(path: "Examples/Keys/.keys").path, "--type", "Mine"])
    #expect(source.status == 0 && source.output.contains("enum Mine"))
    #expect(!source.output.contains(key))
    #expect(try ReadmeTests.run("reunion", ["obfuscate", "/nowhere"]).status == 1)
  }

  @Test func `the guide's program prints what the guide says`() throws {
    let output = Self.blocks("text", in: try Self.read("docs/one-source-of-truth.md"))
    let run = try ReadmeTests.run("one-source-of-truth-example", [])
    #expect(run.status == 0)
    #expect([run.output.trimmingCharacters(in: .newlines)] == output)
  }

  @Test func `the page on SQL is its example, and says what that prints`() throws {
    let page = try Self.read("docs/sql.md")
    let blocks = Self.blocks("swift", in: page)
    #expect(blocks.count == 2)
    let example = try Self.read("Examples/SQL/main.swift")
    #expect(
      blocks.reversed().joined(separator: "\n\n")
        == example.trimmingCharacters(in: .newlines))
    let folder = FileManager.default.temporaryDirectory.appending(path: "sql-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let run = try ReadmeTests.run("sql-example", [folder.path])
    #expect(run.status == 0, "\(run.errors)")
    #expect([run.output.trimmingCharacters(in: .newlines)] == Self.blocks("text", in: page))
    let select = "SELECT title, tags FROM book"
    let command = try ReadmeTests.run("reunion", ["sql", folder.path, select, "--json"])
    #expect(command.output == "{\"tags\":\"[\\\"sea\\\",\\\"wind\\\"]\",\"title\":\"Harbour\"}\n")
    #expect(
      try ReadmeTests.run("reunion", ["sql", folder.path]).output
        == "book: id, space, creator, title, pages, tags\n")
    #expect(try ReadmeTests.run("reunion", ["sql", folder.path, "DROP VIEW book"]).status == 2)
    #expect(try ReadmeTests.run("reunion", ["sql", folder.path + "-none", select]).status == 1)
  }
}
