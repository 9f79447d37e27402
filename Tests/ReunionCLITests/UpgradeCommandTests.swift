import Foundation
import Testing

/// `reunion upgrade`: what it would do, what it did and verified, and back again.
@Suite struct UpgradeCommandTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "upgrade-\(UUID())")
  private var store: String { folder.appending(path: "store").path }
  private static let fixture = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures/Versions/0.1.0/store")

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: Self.fixture.path, toPath: store)
  }

  private func remove() { try? FileManager.default.removeItem(at: folder) }

  @Test func `a store of 0.1.0 is upgraded, reported and rolled back`() throws {
    defer { remove() }
    let plan = """
      - change the file from version 1 to 3
      """
    let dry = try Command.run("upgrade", store, "--dry-run")
    #expect(dry.status == 0 && dry.output.hasPrefix(plan))
    #expect(dry.output.contains("a snapshot is kept"))
    #expect(!FileManager.default.fileExists(atPath: store + "/upgrade"))
    let done = try Command.run("upgrade", store)
    #expect(done.status == 0 && done.output.hasPrefix(plan), "\(done)")
    #expect(done.output.contains(" values are as they were. 0 blobs lost (7 verified)."))
    #expect(
      done.output.contains("The store of before is kept in \(store)/upgrade/before-1.sqlite."))
    #expect(
      try Command.run("upgrade", store).output
        == "Nothing was to be done: \(store) has this model already.\n")
    // It was never sent the photo that a record names.
    #expect(try Command.run("verify", store).status == 5)
    let back = try Command.run("upgrade", store, "--rollback", "--json")
    let fields = try #require(
      try JSONSerialization.jsonObject(with: Data(back.output.utf8)) as? [String: Any])
    #expect(back.status == 0 && fields["state"] as? String == "rolled back")
    #expect(fields["written"] as? Int == 0 && fields["equal"] as? Bool == true)
    #expect(try Command.run("verify", store).status == 5)
    #expect(try Command.run("upgrade", store, "--dry-run").output == dry.output)
    #expect(try Command.run("upgrade", store, "--rollback").status == 1)
  }

  @Test func `a model in a file is what it is upgraded to`() throws {
    defer { remove() }
    let model = folder.appending(path: "Notes.reunionmodel").path
    try FileManager.default.createDirectory(atPath: model, withIntermediateDirectories: true)
    let text = """
      import ReunionStore

      entity errand @6
        field name @1 text searchable
        field starts @2 counter
        field due @5 date?

      entity unknown @9
        field text @1 text

      """
    try Data(text.utf8).write(to: URL(filePath: model + "/v1.model"))
    let dry = try Command.run("upgrade", store, "--model", model, "--dry-run", "--json")
    let fields = try #require(
      try JSONSerialization.jsonObject(with: Data(dry.output.utf8)) as? [String: Any])
    #expect(fields["guarded"] as? Bool == true && fields["state"] as? String == "planned")
    let done = try Command.run("upgrade", "--model", model, store)
    #expect(done.status == 0, "\(done)")
    for line in [
      "- add the field errand.due (6.5, date)", "- rename errand.title to errand.name (6.1)",
      "- take in what was unknown of unknown: 12 records", "- hide the entity photo (3);",
    ] { #expect(done.output.contains(line), "\(line)") }
    #expect(try Command.run("sql", store, "SELECT name FROM errand").output.contains("Buy bread"))
  }

  @Test func `what is only looked at is not upgraded`() throws {
    defer { remove() }
    let look = try Command.run("collect", store, "--dry-run")
    #expect(look.status == 0 && look.output.hasPrefix("Would remove "), "\(look)")
    #expect(!FileManager.default.fileExists(atPath: store + "/upgrade"))
    #expect(
      try Command.run("upgrade", store, "--dry-run").output
        .hasPrefix("- change the file from version 1 to 3"))
  }

  @Test func `says what it does not understand`() throws {
    defer { remove() }
    #expect(try Command.run("upgrade").status == 2)
    #expect(try Command.run("upgrade", store, "--rollback", "--dry-run").status == 2)
    #expect(try Command.run("upgrade", folder.path + "/none").status == 1)
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/none"))
  }
}
