import Foundation
import ReunionCore
import ReunionStore
import Testing

/// What all verbs of `reunion` have in common, and what those that read and write files say.
@Suite struct CommandTests {
  let folder = FileManager.default.temporaryDirectory.appending(path: "command-\(UUID())")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appending(path: name).path }

  static let verbs = [
    "backup", "restore", "verify", "salvage", "export", "import archive", "import feed", "sql",
    "collect", "erase", "invite", "owner-link", "log", "clone", "scan", "barcode", "obfuscate",
    "model check", "model plan", "model release", "model generate", "model scaffold", "version",
  ]

  @Test(arguments: verbs)
  func `every verb has help with its exit codes, by help and by --help, and as JSON`(
    verb: String
  ) throws {
    defer { remove() }
    let words = verb.split(separator: " ").map(String.init)
    let help = try Command.run(["help"] + words)
    #expect(help.status == 0)
    #expect(help.output.hasPrefix("Usage: reunion \(verb)"))
    #expect(help.output.contains("Exit codes: 0 "))
    #expect(help.output.contains("2 not understood") || verb == "obfuscate")
    #expect(try Command.run(words + ["--help"]).output == help.output)
    let object = try Command.run(words + ["--help", "--json"])
    #expect("\(object.last["help"] as? String ?? "")\n" == help.output)
    #expect(try Command.run("help").output.contains("\n  \(verb) "))
    #expect(help.output.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test(
    arguments: [
      [], ["frobnicate"], ["help", "nonsense"], ["nonsense", "--help"], ["version", "x"],
      ["import"],
      ["import", "nonsense"], ["backup", "one"], ["verify", "--frob", "x"], ["sql"], ["scan"],
      ["erase", "x", "y"], ["erase", "x", "y", "--for-good"], ["collect", "x", "--grace", "soon"],
      ["barcode", "qr"], ["barcode", "qr", "--frob"], ["barcode", "qr", "x", "--svg"],
      ["barcode", "nonsense", "x"], ["barcode", "ean13", "12"], ["scan", "x", "--kind"],
      ["scan", "x", "--kind", "nonsense"], ["obfuscate"], ["clone"],
      ["clone", "nonsense", "/tmp/none-of-command-tests"],
      ["import", "feed", "", "x"], ["import", "feed", "x", "y", "--space"],
    ] as [[String]])
  func `what is not understood ends with 2, and with an object where JSON is asked for`(
    words: [String]
  ) throws {
    defer { remove() }
    let said = try Command.run(words)
    #expect(said.status == 2)
    #expect(said.output == "")
    #expect(said.errors.hasPrefix("reunion: "))
    let run = try Command.run(words + ["--json"])
    #expect(run.status == 2)
    #expect(run.output == "")
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(run.errors.utf8)) as? [String: Any])
    #expect(object["exitCode"] as? Int == 2)
    #expect((object["error"] as? String)?.contains("Usage:") == false)
  }

  @Test func `help of a word that several verbs begin with lists them all`() throws {
    defer { remove() }
    for words in [["help", "import"], ["import", "--help"]] {
      let help = try Command.run(words)
      #expect(help.status == 0)
      #expect(help.output.contains("import archive ARCHIVE FOLDER"))
      #expect(help.output.contains("import feed SOURCE FOLDER"))
    }
    #expect(try Command.run("help").output.contains("erase FOLDER HASH --for-good"))
  }

  @Test func `says in words of its own what is wrong with a file, and what to do`() throws {
    defer { remove() }
    try Data("weather = x\n".utf8).write(to: folder.appending(path: "keys"))
    #expect(mkfifo(path("pipe"), 0o600) == 0)
    try FileManager.default.createDirectory(
      atPath: path("piped"), withIntermediateDirectories: true)
    #expect(mkfifo(path("piped/store.sqlite"), 0o600) == 0)
    for (words, says) in [
      (["obfuscate", path("pipe")], "is a pipe"), (["scan", path("pipe")], "is a pipe"),
      (["import", "feed", path("pipe"), path("s")], "is a pipe"),
      (["verify", path("piped")], "piped"), (["backup", path("piped"), path("b")], "piped"),
      (["export", path("piped"), path("x")], "piped"), (["adopt", path("piped")], "piped"),
      (["sql", path("piped"), "SELECT 1"], "piped"),
      (["obfuscate", folder.path], "is a folder: name a file."),
      (["obfuscate", path("none")], "none: check the name."),
      (["obfuscate", "/dev/zero"], "has more than 16 MiB"),
      (["obfuscate", path("keys"), "--out", folder.path], "it is a folder"),
      (["obfuscate", path("keys"), "--out", ""], "is empty"),
      (["barcode", "qr", "x", "--svg", path("none/x.svg")], "there is no such folder"),
      (["barcode", "qr", "x", "--png", "/dev/full"], "the disk is full"),
      (["scan", folder.path], "is a folder: name a file."),
      (["scan", path("none.png")], "none.png: check the name."),
      (["scan", "/dev/zero"], "is a device: name a picture."), (["scan", path("keys")], "or GIF"),
      (["import", "feed", folder.path, path("s")], "is a folder: name a file."),
    ] {
      let run = try Command.run(words)
      #expect(run.status == 1, "\(words): \(run.errors)")
      #expect(run.errors.contains(says), "\(words): \(run.errors)")
      #expect(!run.errors.contains("Error Domain") && !run.errors.contains("operation"))
      #expect(run.errors.split(separator: "\n").count == 1, "\(run.errors)")
    }
  }

  @Test
  func `gives the files that it writes the rights that its user gives, and keeps stores private`()
    throws
  {
    defer { remove() }
    func rights(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    try Data("weather = x\n".utf8).write(to: folder.appending(path: "keys"))
    close(open(path("own"), O_CREAT | O_WRONLY, 0o666))
    let own = try rights(path("own"))
    let made = [path("x.svg"), path("x.png"), path("Keys.swift")]
    _ = try Command.run("barcode", "qr", "x", "--svg", made[0], "--png", made[1])
    let masked = try Command.run("obfuscate", path("keys"), "--out", made[2])
    #expect(masked.output.hasSuffix("Keys.swift: 1 key, masked.\n"))
    for file in made { #expect(try rights(file) == own) }
    // What is written over keeps its own.
    #expect(chmod(made[0], 0o640) == 0)
    _ = try Command.run("barcode", "qr", "xx", "--svg", made[0])
    #expect(try rights(made[0]) == 0o640)
    // Through a link, and with no draft left beside.
    try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: made[0])
    _ = try Command.run("barcode", "qr", "xxx", "--svg", path("link"))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path("link")) == made[0])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        == ["Keys.swift", "keys", "link", "own", "x.png", "x.svg"])
    let feed = Data(FeedImportTests.feed(0..<1))
    try feed.write(to: folder.appending(path: "feed.xml"))
    #expect(try Command.run("import", "feed", path("feed.xml"), path("store")).status == 0)
    _ = try Command.run("backup", path("store"), path("copy"))
    for made in ["store", "copy"] { #expect(try rights(path(made)) == 0o700) }
    for made in ["store/store.sqlite", "store/identity", "copy/store.sqlite", "copy/backup"] {
      #expect(try rights(path(made)) == 0o600)
    }
  }

  @Test func `tells the check digit that it added, and writes a source to standard output`() throws
  {
    defer { remove() }
    let drawn = try Command.run("barcode", "ean13", "978014300723", "--json")
    #expect(drawn.last["text"] as? String == "9780143007234")
    let svg = try Command.run("barcode", "ean13", "978014300723", "--svg", "-")
    #expect(svg.output.contains("EAN-13: 9780143007234"))
    let masked = try Command.run(
      ["obfuscate", "-", "--out", "-"], input: Data("one = 1\r\ntwo = 2\r\n".utf8))
    #expect(
      masked.output.contains("static let `one`") && masked.output.contains("static let `two`"))
  }

  @Test func `draws a text that begins with a dash after --, and takes kinds as they are printed`()
    throws
  {
    defer { remove() }
    let file = path("x.png")
    let drawn = try Command.run("barcode", "Code 128", "--png", file, "--", "--json")
    #expect(
      drawn.output
        == "\(file): Code 128, \(try Data(contentsOf: URL(filePath: file)).count) bytes.\n")
    let read = try Command.run("scan", file, "--kind", "code 128", "--kind", "EAN-13")
    #expect(read.output == "Code 128: --json\n", "\(read.errors)")
    let none = try Command.run("scan", file, "--kind", "qr code")
    #expect(none.status == 1 && none.errors.contains("Leave out --kind to look for all kinds."))
    // The same by standard input; and with others of which one cannot be read.
    let picture = try Data(contentsOf: URL(filePath: file))
    #expect(try Command.run(["scan", "-"], input: picture).output == read.output)
    let mixed = try Command.run("scan", file, path("none.png"), "--json")
    #expect(mixed.status == 5)
    #expect(mixed.lines.map { $0["error"] == nil } == [true, false])
    #expect(try Command.run("scan", path("none.png"), path("none.jpg")).status == 1)
  }

  @Test func `with --json everything on standard output is JSON`() throws {
    defer { remove() }
    try Data("weather = x\n".utf8).write(to: folder.appending(path: "keys"))
    for (words, field) in [
      (["obfuscate", path("keys")], "source"), (["barcode", "qr", "x", "--svg", "-"], "svg"),
      (["barcode", "qr", "x", "--png", "-"], "png"), (["barcode", "qr", "x"], "width"),
      (["version"], "version"), (["help"], "help"), (["scan", path("none")], "error"),
    ] {
      let run = try Command.run(words + ["--json"])
      #expect(run.lines.count == 1 && run.output.split(separator: "\n").count == 1, "\(words)")
      #expect(run.last[field] != nil, "\(words): \(run.output)")
    }
  }

  @Test func `writes to no backup, and copies no store into itself`() throws {
    defer { remove() }
    try Data(FeedImportTests.feed(0..<1)).write(to: folder.appending(path: "feed.xml"))
    let (feed, store, copy) = (path("feed.xml"), path("store"), path("copy"))
    #expect(try Command.run("import", "feed", feed, store).status == 0)
    #expect(try Command.run("backup", store, copy).status == 0)
    for words in [
      ["import", "feed", feed, copy], ["collect", copy], ["verify", copy, "--repair"],
      ["clone", "http://127.0.0.1:9/#join=x", copy],
    ] {
      let run = try Command.run(words)
      #expect(run.status == 1, "\(words)")
      #expect(run.errors.contains("is a backup: ") && run.errors.contains("reunion restore"))
    }
    // It is as it was: what reads it does, and it is brought up to date.
    #expect(try Command.run("verify", copy).status == 0)
    let titles = try Command.run("sql", copy, "SELECT title FROM reunion_feedEntry").output
    #expect(titles.contains("Entry 0"))
    #expect(try Command.run("backup", store, copy).status == 0)
    try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: store)
    for target in [store, store + "/sub", path("link") + "/sub/deeper", folder.path] {
      for verb in ["backup", "export", "salvage", "restore"] {
        let run = try Command.run(verb, store, target)
        #expect(run.status == 1, "\(verb) \(target)")
        #expect(run.errors.contains("is inside") || run.errors.contains("itself"), "\(run.errors)")
      }
    }
    #expect(!FileManager.default.fileExists(atPath: store + "/sub"))
    #expect(try Command.run("restore", copy, path("restored")).status == 0)
    #expect(try Command.run("collect", path("restored")).status == 0)
  }
}
