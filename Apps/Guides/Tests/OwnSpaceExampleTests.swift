import Foundation
import Testing

/// The program of the guide own-space.md, started on two devices beside `reunion serve`.
@Suite struct OwnSpaceExampleTests {
  let folder = FileManager.default.temporaryDirectory.appending(path: "own-space-\(UUID())")

  private func talker(_ name: String, _ link: String? = nil) throws -> Talker {
    try Talker(
      [folder.appending(path: name).path, name] + (link.map { [$0] } ?? []),
      program: "own-space-example")
  }

  @Test func `a second device is paired by what the first prints, and both count one counter`()
    async throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    let server = try Served(folder.appending(path: "server").path)
    _ = try #require(await server.port())
    let phone = try talker("Phone", try server.invite("view"))
    #expect(await phone.prints("Theme: light"))
    try phone.say("dark")
    #expect(await phone.prints("Changes: 1"))
    try phone.say("pair")
    let link = try #require(await phone.line { $0.contains("/#pair=") })
    let laptop = try talker("Laptop", link)
    #expect(await laptop.prints("Theme: dark"))
    try laptop.say("sepia")
    #expect(await phone.prints("Theme: sepia"))
    #expect(await phone.prints("Changes: 2"))
    try phone.say("devices")
    #expect(await phone.prints("Phone (this one)"))
    #expect(await phone.prints("Laptop"))

    // A stranger with the same name and an invitation has a space that is empty.
    let eve = try talker("Eve", try server.invite("edit"))
    try eve.say("pair")
    #expect(await eve.line { $0.contains("/#pair=") } != nil)
    try eve.say("devices")
    #expect(await eve.prints("Eve (this one)"))
    #expect(eve.lines.contains("Theme: light") && !eve.lines.contains("Theme: sepia"))

    // Another start needs no link.
    #expect(try laptop.end() == 0)
    try phone.say("blue")
    let again = try talker("Laptop")
    #expect(await again.prints("Theme: blue"))
    #expect(await again.prints("Changes: 3"))
    for each in [again, phone, eve] { #expect(try each.end() == 0) }
    server.kill()
  }

  @Test func `the page is the example, block by block`() throws {
    let blocks = try Page("own-space", of: "Reunion").blocks("swift")
    #expect(blocks.count == 3)
    let example = try Page.guide("OwnSpace")
    #expect(blocks.joined(separator: "\n\n") == example)
  }
}
