import Foundation
import Testing

/// The blocks of the guide are one program, which runs and prints what the guide says.
@Suite struct GuideTests {
  @Test func `the guide to one source of truth is its example, block by block`() throws {
    let blocks = try Page("one-source-of-truth", of: "ReunionFlow").blocks("swift")
    #expect(blocks.count == 5)
    let example = try Page.guide("OneSourceOfTruth")
    #expect(blocks.joined(separator: "\n\n") == example)
  }

  @Test func `getting started is its example, block by block`() throws {
    let blocks = try Page("docs/getting-started.md").blocks("swift")
    #expect(blocks.count == 4)
    let example = try Page.guide("GettingStarted")
    #expect(blocks.joined(separator: "\n\n") == example)
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
      (try FileManager.default.subpathsOfDirectory(
        atPath: Page.root.appending(path: "Apps/Guides").path
      )
      .filter { $0.hasSuffix(".swift") && !$0.hasPrefix("Tests/") }
      .map { Page.root.appending(path: "Apps/Guides/\($0)").path })
      + (["README.md"]
      + ["Albums", "Quakes", "Sudoku", "Words", "ScreenTime"].map { "Apps/\($0)/README.md" }).map {
        Page.root.appending(path: $0).path
      }
      + (try FileManager.default.contentsOfDirectory(
        atPath: Page.root.appending(path: "docs").path
      )
      .filter { $0.hasSuffix(".md") }
      .map { Page.root.appending(path: "docs/\($0)").path })
      + (try FileManager.default.subpathsOfDirectory(
        atPath: Page.root.appending(path: "Sources").path
      )
      .filter { $0.hasSuffix(".md") }
      .map { Page.root.appending(path: "Sources/\($0)").path })
    #expect(files.count > 60)
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
    ("data", "Reunion", "Data"), ("settings", "Reunion", "Settings"),
    ("queries", "Reunion", "Queries"), ("evolution", "Reunion", "Evolution"),
    ("offline", "ReunionStore", "Offline"), ("machines", "ReunionFlow", "Machines"),
    ("images", "ReunionMedia", "Images"), ("feeds", "ReunionFeeds", "Feeds"),
    ("hostile-world", "ReunionTesting", "HostileWorld"), ("nearby", "ReunionNearby", "Nearby"),
  ])
  func `a page's blocks are its example, which prints what the page says`(
    page: String, product: String, example: String
  ) throws {
    let text = try Page(page, of: product)
    let program = try Page.guide(example)
    let blocks = text.blocks("swift")
    #expect(blocks.count >= 3)
    #expect(blocks.joined(separator: "\n\n") == program)
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(page)-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let run = try Program.run("\(page)-example", [folder.path])
    #expect(run.status == 0, "\(run.errors)")
    #expect([run.output.trimmingCharacters(in: .newlines)] == text.blocks("text"))
  }

  @Test func `the first connection over Bluetooth is an example that is built`() throws {
    let blocks = try Page("bluetooth-le", of: "ReunionBluetooth").blocks("swift")
    let example = try Page.guide("Bluetooth")
    #expect(blocks == [example])
    #expect(
      FileManager.default.fileExists(atPath: try Program.path("bluetooth-example").path))
  }

  @Test func `an app that stays offline links SQLite and no library of a network`() throws {
    func links(_ program: String, _ library: String) throws -> Bool {
      try Data(contentsOf: Program.path(program)).range(of: Data("\(library).so".utf8))
        != nil
    }
    #expect(try links("offline-example", "libsqlite3"))
    for library in ["libwebsockets", "libuv", "libssl", "libcrypto", "libxml2", "libvips"] {
      #expect(try !links("offline-example", library), "The program of offline.md links it.")
    }
    #expect(try links("notes-example", "libwebsockets"))
  }

  @Test func `the page on testing is its tests, block by block`() throws {
    let blocks = try Page("testing", of: "ReunionTesting").blocks("swift")
    #expect(blocks.count == 4)
    let tests = try Page.guide("Testing", "ErrandTests.swift")
    #expect(blocks.joined(separator: "\n\n") == tests)
  }

  @Test func `what the page on SwiftUI shows is parsed, as it says`() throws {
    let blocks = try Page("swiftui", of: "Reunion").blocks("swift")
    #expect(blocks.count == 5)
    let file = FileManager.default.temporaryDirectory.appending(path: "swiftui-\(UUID()).swift")
    defer { try? FileManager.default.removeItem(at: file) }
    func parse(_ text: String) throws -> Int32 {
      try Data(text.utf8).write(to: file)
      return try Program.run(
        URL(filePath: "/usr/bin/env"), ["swiftc", "-parse", file.path]
      ).status
    }
    #expect(try parse(blocks.joined(separator: "\n")) == 0)
    #expect(try parse(blocks.joined(separator: "\n") + "\nstruct {") != 0)
  }

  @Test func `the page on barcodes is its example, which prints what the page says`() throws {
    let page = try Page("barcodes", of: "ReunionMedia")
    let blocks = page.blocks("swift")
    #expect(blocks.count == 2)
    let example = try Page.guide("Barcodes")
    #expect(blocks.joined(separator: "\n\n") == example)
    let folder = FileManager.default.temporaryDirectory.appending(path: "barcodes-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let run = try Program.run("barcodes-example", [folder.path])
    #expect(run.status == 0, "\(run.errors)")
    #expect([run.output.trimmingCharacters(in: .newlines)] == page.blocks("text"))
    let scan = try Program.run("reunion", ["scan", "\(folder.path)/ticket.png", "--json"])
    #expect(scan.status == 0 && scan.output.contains("\"text\":\"https://example.org/t/4711\""))
    #expect(try Program.run("reunion", ["scan", "\(folder.path)/none.png"]).status == 1)
    #expect(try Program.run("reunion", ["barcode", "ean13", "12"]).status == 2)
  }

  @Test func `the page on models is its example, which the plugin builds`() throws {
    let page = try Page("models", of: "Reunion")
    let folder = "Apps/Guides/Models/Errands.reunionmodel"
    let sources = try ["main.swift", "Errand.swift"].map { try Page.guide("Models", $0) }
    #expect(page.blocks("swift") == sources)
    let versions = try ["v1.model", "v2.model"].map {
      try Page.read("\(folder)/\($0)").trimmingCharacters(in: .newlines)
    }
    #expect(page.blocks("model") == versions)
    let store = FileManager.default.temporaryDirectory.appending(path: "models-\(UUID())")
    defer { try? FileManager.default.removeItem(at: store) }
    let run = try Program.run("models-example", [store.path])
    #expect(run.status == 0, "\(run.errors)")
    #expect([run.output.trimmingCharacters(in: .newlines)] == page.blocks("text"))
    let commands = page.blocks("console")
    #expect(commands.count == 2)
    for block in commands {
      let line = block.prefix { $0 != "\n" }
      let words = line.dropFirst("$ reunion ".count)
        .replacing("Errands.reunionmodel", with: Page.root.appending(path: folder).path)
      let output = try Program.run("reunion", words.split(separator: " ").map(String.init))
        .output
      #expect(block == "\(line)\n\(output)".trimmingCharacters(in: .newlines))
    }
    // What the file says is what was made of it, down to the indexes and lenses that the store keeps.
    let model = Page.root.appending(path: folder).path
    let plan = try Program.run("reunion", ["model", "plan", model, store.path]).output
    #expect(plan.hasSuffix("The store in \(store.path), to version 2:\nNothing is to be done.\n"))
  }

  @Test func `the server of the page on your own server is its example`() throws {
    let blocks = try Page("docs/serve.md").blocks("swift")
    let example = try Page.guide("Server")
    #expect(blocks == [example])
    let help = try Program.run("server-example", ["--help"]).output
    #expect(help.contains("reunion serve FOLDER"))
  }

  @Test func `the page on keys is its example, whose program does not hold them`() throws {
    let page = try Page("keys", of: "ReunionKeys")
    let example = try Page.guide("Keys")
    #expect(page.blocks("swift") == [example])
    let run = try Program.run("keys-example", [])
    #expect([run.output.trimmingCharacters(in: .newlines)] == page.blocks("text"))
    let program = try Data(contentsOf: Program.path("keys-example"))
    let list = try Page.guide("Keys", ".keys")
    let key = try #require(list.firstMatch(of: #/weather = (.+)/#)?.1)
    #expect(key.count >= 16)
    // A part of it, so that no compiler's way to lay out a text hides it.
    #expect(program.range(of: Data(key.utf8.prefix(8))) == nil)
    // What is written in the source is found there (negative control).
    #expect(program.range(of: Data("whose SHA-256 begins with".utf8)) != nil)
    let source = try Program.run(
      "reunion",
      ["obfuscate", Page.root.appending(path: "Apps/Guides/Keys/.keys").path, "--type", "Mine"])
    #expect(source.status == 0 && source.output.contains("enum Mine"))
    #expect(!source.output.contains(key))
    #expect(try Program.run("reunion", ["obfuscate", "/nowhere"]).status == 1)
  }

  @Test func `the guide's program prints what the guide says`() throws {
    let output = try Page("one-source-of-truth", of: "ReunionFlow").blocks("text")
    let run = try Program.run("one-source-of-truth-example", [])
    #expect(run.status == 0)
    #expect([run.output.trimmingCharacters(in: .newlines)] == output)
  }

  @Test func `the page on SQL is its example, and says what that prints`() throws {
    let page = try Page("sql", of: "ReunionTools")
    let blocks = page.blocks("swift")
    #expect(blocks.count == 2)
    let example = try Page.guide("SQL")
    #expect(
      blocks.reversed().joined(separator: "\n\n")
        == example)
    let folder = FileManager.default.temporaryDirectory.appending(path: "sql-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let run = try Program.run("sql-example", [folder.path])
    #expect(run.status == 0, "\(run.errors)")
    #expect([run.output.trimmingCharacters(in: .newlines)] == page.blocks("text"))
    let select = "SELECT title, tags FROM book"
    let command = try Program.run("reunion", ["sql", folder.path, select, "--json"])
    #expect(command.output == "{\"tags\":\"[\\\"sea\\\",\\\"wind\\\"]\",\"title\":\"Harbour\"}\n")
    #expect(
      try Program.run("reunion", ["sql", folder.path]).output
        == "book: id, space, creator, title, pages, tags\n")
    #expect(try Program.run("reunion", ["sql", folder.path, "DROP VIEW book"]).status == 2)
    #expect(try Program.run("reunion", ["sql", folder.path + "-none", select]).status == 1)
  }

  @Test func `the program of README and catalogue is a guide's, in at most 15 lines`() throws {
    let block = try #require(try Page("README.md").blocks("swift").first)
    let example = try Page.guide("Notes")
    #expect(block == example)
    #expect(block.split(separator: "\n").count <= 15)
    #expect(try Page("Reunion", of: "Reunion").blocks("swift") == [example])
  }

  @Test func `the README's program runs, and finds its notes again`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "notes-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(
      try Program.run("notes-example", [folder.path]).output
        == "0 notes\n1 notes\nWorks offline.\n")
    let again = try Program.run("notes-example", [folder.path]).output
    #expect(again == "1 notes\n2 notes\nWorks offline.\nWorks offline.\n")
  }
}
