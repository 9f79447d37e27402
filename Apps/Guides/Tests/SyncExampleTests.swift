import Foundation
import Testing

/// The program of the guide sync.md, started twice beside `reunion serve`.
@Suite struct SyncExampleTests {
  let folder = FileManager.default.temporaryDirectory.appending(path: "sync-\(UUID())")

  @Test func `two people talk, and what one writes while the server is away arrives later`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    var server = try Served(folder.appending(path: "server").path)
    let port = try #require(await server.port())
    let link = try server.invite("edit")
    let ada = try Talker(
      [folder.appending(path: "ada").path, link, "Ada"], program: "sync-example")
    let bo = try Talker([folder.appending(path: "bo").path, link, "Bo"], program: "sync-example")
    #expect(await ada.prints("(online)"))
    #expect(await bo.prints("(online)"))
    #expect(await ada.prints("(here: Bo)"))
    #expect(await bo.prints("(here: Ada)"))
    try ada.say("Is anybody here?")
    #expect(await bo.prints("Ada: Is anybody here?"))
    try bo.say("I am.")
    #expect(await ada.prints("Bo: I am."))

    server.kill()
    #expect(await ada.prints("(offline)"))
    try ada.say("Hello?")
    #expect(await ada.prints("Ada: Hello?"))
    server = try Served(folder.appending(path: "server").path, port: port)
    #expect(await bo.prints("Ada: Hello?"))
    #expect(await ada.prints("(online)", times: 2))
    let eve = try Talker(
      [folder.appending(path: "eve").path, try server.invite("view"), "Eve"],
      program: "sync-example")
    #expect(await eve.prints("Ada: Hello?"))
    try eve.say("May I?")
    #expect(await eve.prints("(refused: this device may only read)"))
    #expect(try eve.end() == 0)
    #expect(try ada.end() == 0)
    #expect(try bo.end() == 0)
    server.kill()

    // How it stands was waited for above: a busy machine sees the beginning pass, or is offline once more.
    let page = try #require(try Page("sync", of: "Reunion").blocks("text").last)
    let told = ada.lines.filter { !$0.hasPrefix("(") }
    let expected = page.components(separatedBy: "\n").filter { !$0.hasPrefix("(") }
    #expect(told == expected)
  }

  @Test func `the page is the example, block by block`() throws {
    let blocks = try Page("sync", of: "Reunion").blocks("swift")
    #expect(blocks.count == 7)
    let example = try Page.guide("Sync")
    #expect(blocks.joined(separator: "\n\n") == example)
  }
}
