import Foundation
import ReunionStore
import Testing

/// `reunion invite`; that its links open is shown by `ServedSpacesTests` and the journeys.
@Suite struct InviteTests {
  let folder = FileManager.default.temporaryDirectory.appending(path: "invite-\(UUID())").path

  @Test func `prints a link and its QR code, and leaves what it opens in the folder`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // The server has it open meanwhile.
    let store = try Store.open(folder: folder, model: Model(entities: []))
    try Data("http://notes.lan:8080\n".utf8).write(to: URL(filePath: folder + "/address"))
    let run = try Command.run("invite", folder, "--role", "add", "--space", "Our notes")
    #expect(run.status == 0)
    let lines = run.output.split(separator: "\n")
    let link = try #require(lines.first { $0.hasPrefix("http://notes.lan:8080/#join=") })
    #expect(lines.last?.hasPrefix("For add in Our notes, until 2") == true)
    #expect(lines.count > 15 && lines[0].contains { "▀▄█ ".contains($0) })
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasPrefix("invitation.") }
    let name = try #require(names.first)
    let bytes = try #require(FileManager.default.contents(atPath: "\(folder)/\(name)"))
    let left = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
    #expect(left["space"] as? String == "Our notes" && left["role"] as? String == "add")
    let week = try #require(left["expires"] as? Double) - Date().timeIntervalSince1970
    #expect(week > 7 * 86_400 - 600 && week <= 7 * 86_400)
    #expect(!String(decoding: bytes, as: UTF8.self).contains(link.suffix(20)))
    let about = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
    #expect(about[.posixPermissions] as? Int == 0o600)
    let other = try Command.run(
      "invite", folder, "--role", "view", "--for", "ever", "--uses", "2", "--json", "--at",
      "https://notes.example")
    #expect((other.last["url"] as? String)?.hasPrefix("https://notes.example/#join=") == true)
    #expect(other.last["expires"] == nil && other.last["uses"] as? Int == 2)
    try store.close()
  }

  @Test(arguments: [
    ["x"], ["x", "--role", "owner"], ["--role", "add"], ["x", "--role", "add", "--for", "soon"],
    ["x", "--role", "add", "--for", "0d"], ["x", "--role", "add", "--uses", "0"],
    ["x", "--role", "admin", "--for", "2d"], ["x", "--role", "admin", "--for", "ever"],
    ["x", "--role", "add", "--space", ""], ["x", "--role", "add", "--space", "a\nb"],
  ])
  func `what makes no sense is not understood`(_ words: [String]) throws {
    #expect(try Command.run(["invite"] + words).status == 2)
  }

  @Test func `a folder without a server's data is told`() throws {
    let run = try Command.run("invite", folder, "--role", "add")
    #expect(run.status == 1 && run.errors.contains("There is no server's data in"))
  }
}
