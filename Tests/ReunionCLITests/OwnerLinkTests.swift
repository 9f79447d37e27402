import Foundation
import ReunionStore
import Testing

/// `reunion owner-link`; that its links open is shown by `AccessTests` and the journeys.
@Suite struct OwnerLinkTests {
  let folder = FileManager.default.temporaryDirectory.appending(path: "owner-\(UUID())").path

  @Test
  func `leaves a file that only its owner reads, and prints the link with the server's address`()
    throws
  {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let none = try Command.run("owner-link", folder)
    #expect(none.status == 1 && none.errors.contains("Name its folder"))
    // The server has it open meanwhile.
    let store = try Store.open(folder: folder, model: Model(entities: []))
    let unserved = try Command.run("owner-link", folder)
    #expect(unserved.status == 1 && unserved.errors.contains("--at"))
    try Data("http://album.lan:8080\n".utf8).write(to: URL(filePath: folder + "/address"))
    let run = try Command.run("owner-link", folder)
    #expect(run.status == 0 && run.output.hasPrefix("http://album.lan:8080/#join="))
    let given = try Command.run("owner-link", folder, "--at", "https://album.example/", "--json")
    let url = try #require(given.last["url"] as? String)
    #expect(url.hasPrefix("https://album.example/#join=") && given.last["hours"] as? Int == 24)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder)
      .filter { $0.hasPrefix("invitation.") }
    #expect(files.count == 2)
    for name in files {
      let about = try FileManager.default.attributesOfItem(atPath: "\(folder)/\(name)")
      #expect(about[.posixPermissions] as? Int == 0o600)
      #expect(!url.contains(name.split(separator: ".")[1]))
    }
    try store.close()
  }

  @Test(arguments: [
    ["owner-link"], ["owner-link", "x", "--at", "album.example"], ["owner-link", "x", "--at"],
  ])
  func `what is no folder and no address is not understood`(_ words: [String]) throws {
    #expect(try Command.run(words).status == 2)
  }
}
