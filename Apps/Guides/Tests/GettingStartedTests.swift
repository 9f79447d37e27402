import Foundation
import Testing

/// The program of docs/getting-started.md, on two devices and without the server.
@Suite struct GettingStartedTests {
  let folder = FileManager.default.temporaryDirectory.appending(path: "started-\(UUID())")

  private func device(_ name: String, _ link: String, _ errand: String) throws -> Talker {
    try Talker(
      [folder.appending(path: name).path, link, errand], program: "getting-started-example")
  }

  @Test func `two devices show the same errands, and each goes on without the server`() async throws
  {
    defer { try? FileManager.default.removeItem(at: folder) }
    let place = folder.appending(path: "server").path
    let server = try Served(place)
    let port = try #require(await server.port())
    let link = try server.invite("edit")
    let phone = try device("phone", link, "Milk")
    let laptop = try device("laptop", link, "Bread")
    #expect(await phone.prints("Bread, Milk"))
    #expect(await laptop.prints("Bread, Milk"))
    server.kill()
    phone.kill()
    let again = try device("phone", link, "Stamps")
    #expect(await again.prints("Bread, Milk, Stamps"))
    let later = try Served(place, port: port)
    #expect(await laptop.prints("Bread, Milk, Stamps"))
    again.kill()
    laptop.kill()
    later.kill()
  }
}
