import Foundation
import Testing

/// `reunion adopt`, after SQLite's own shell.
@Suite struct AdoptCommandTests {
  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "reunion-adopt-\(UInt64.random(in: 0 ... .max))")

  private func path(_ name: String) -> String { folder.appending(path: name).path }

  private func shell(_ sql: String) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["sqlite3", "-bail", path("store/store.sqlite"), sql]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  @Test func `takes over a store that the sqlite3 shell wrote to, and says what it came to`() throws
  {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(FeedImportTests.feed(0..<50)).write(to: folder.appending(path: "feed.xml"))
    #expect(try Command.run("import", "feed", path("feed.xml"), path("store")).status == 0)
    let before = try Command.run("verify", path("store"), "--json")
    #expect(try shell("INSERT INTO reunion_name VALUES(9999, 0, 'by hand')") == 0)

    let refused = try Command.run("verify", path("store"))
    #expect(refused.status == 1)
    for word in ["sqlite3", "damaged", "reunion adopt", "reunion salvage"] {
      #expect(refused.errors.contains(word), "\(refused.errors)")
    }
    let adopted = try Command.run("adopt", path("store"), "--json")
    #expect(adopted.status == 0, "\(adopted.errors)")
    #expect(adopted.last["state"] as? String == "adopted")
    #expect((adopted.last["sha256"] as? String)?.count == 64)
    #expect(FileManager.default.fileExists(atPath: path("store/store.sqlite.foreign")))
    let after = try Command.run("verify", path("store"), "--json")
    #expect(after.status == 0, "\(after.errors)")
    #expect(after.last["records"] as? Int == before.last["records"] as? Int)
    #expect(adopted.last["records"] as? Int == after.last["records"] as? Int)
  }

  @Test func `names what it needs`() throws {
    #expect(try Command.run("adopt").status == 2)
    let none = try Command.run("adopt", path("none"))
    #expect(none.status == 1 && none.errors.contains("There is no store in"))
  }
}
