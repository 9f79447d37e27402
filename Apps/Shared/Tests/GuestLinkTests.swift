import Foundation
import Entrance
import ReunionServer
import Testing

/// The guests' link, which apps share: what the terminal and the host are shown of it.
@Suite struct GuestLinkTests {
  /// A server of an app, in a folder that goes with it.
  private final class App {
    let folder: String
    let spaces: ServedSpaces
    let guests: GuestLink
    let service: AppService
    let configuration: Server.Configuration

    init(in folder: String? = nil) throws {
      self.folder = folder ?? "\(NSTemporaryDirectory())/entrance-\(UUID())"
      var options = ServerOptions(
        ["--port", "0", "--data", self.folder, "--host", "notes.lan"], folder: "")
      while try options.next() != nil {}
      var configuration = try options.configuration()
      spaces = try ServedSpaces(folder: self.folder)
      guests = try GuestLink(to: spaces.access)
      guests.offer(in: &configuration, title: "QR code of the notes")
      self.configuration = configuration
      service = try AppService(spaces, configuration, options)
    }

    /// The role that a link gives, by its secret; nil where it opens nothing.
    func role(by link: String) -> Role? {
      let secret = String(link.split(separator: "=").last ?? "")
      return try? spaces.access.join(secret: secret).device.role
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }
  }

  @Test func `the owner's link is made at the first start alone, or where the app says so`() throws
  {
    let app = try App()
    defer { app.remove() }
    let links = try app.guests.links(at: app.service)
    let owner = try #require(links.owner)
    #expect(app.role(by: owner) == .admin)
    #expect(app.role(by: links.guests) == .add && app.role(by: links.here) == .add)
    app.service.stop()
    let again = try App(in: app.folder)
    defer { again.service.stop() }
    #expect(try again.guests.links(at: again.service).owner == nil)
    #expect(try again.guests.links(at: again.service, invitesOwner: true).owner != nil)
    // Each start has a link of its own, and those before go on to work.
    #expect(again.guests.secret != app.guests.secret && again.role(by: links.guests) == .add)
  }

  @Test func `a link that the host renews takes the place of all guests' before`() throws {
    let app = try App()
    defer {
      app.service.stop()
      app.remove()
    }
    let origin = app.service.shared
    let first = app.configuration.invitation(origin)
    #expect(first.url == origin.link(app.guests.secret))
    #expect(first.svg.contains("QR code of the notes"))
    let looking = try app.spaces.access.renewInvitations(.view)
    try app.configuration.renewInvitation?()
    let second = app.configuration.invitation(origin)
    #expect(second.url != first.url && second.url == origin.link(app.guests.secret))
    #expect(app.role(by: first.url) == nil && app.role(by: second.url) == .add)
    #expect(app.role(by: looking) == .view)
  }

  @Test func `the terminal shows a heading, a code and the links, the owner's last`() throws {
    let app = try App()
    defer {
      app.service.stop()
      app.remove()
    }
    let links = try app.guests.links(at: app.service)
    let lines = try links.lines("Notes")
    let code = try AppLinks.code(of: links.guests)
    #expect(lines[0] == "  Notes" && lines[2] == code)
    #expect(
      lines.dropFirst(4) == [
        "Guests: \(links.guests)", "Here: \(links.here)", "Owner: \(links.owner ?? "")",
        "  (for a day; reunion owner-link makes another)",
      ])
    #expect(links.guests.hasPrefix("http://notes.lan:"))
    #expect(links.here.hasPrefix("http://localhost:"))
  }
}
