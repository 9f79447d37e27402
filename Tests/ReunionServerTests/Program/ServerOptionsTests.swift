import Foundation
import Testing

@testable import ReunionServer

/// The options that every server has, beside those of an app.
@Suite struct ServerOptionsTests {
  /// Reads a line with an app's options `--title TEXT` and `--days N`.
  static func read(_ line: String) throws -> (ServerOptions, title: String, days: Int) {
    var title = "none"
    var days = 1
    var options = ServerOptions(line.split(separator: " ").map(String.init), folder: "./notes")
    while let option = try options.next() {
      switch option {
      case "--title": title = try options.value()
      case "--days": days = try options.number(in: 1...30)
      default: throw options.unknown()
      }
    }
    return (options, title, days)
  }

  @Test func `reads its own options and gives the app the others, in any order`() throws {
    let (options, title, days) = try Self.read(
      "--title Quakes --port 0 --page a --days 7 --page b --data /tmp/x --host map.lan:80 --library l"
    )
    #expect((title, days) == ("Quakes", 7))
    #expect((options.port, options.folder, options.host) == (0, "/tmp/x", "map.lan:80"))
    #expect((options.pages, options.library) == (["a", "b"], "l"))
    let (plain, _, _) = try Self.read("")
    #expect((plain.port, plain.folder, plain.address) == (8080, "./notes", "0.0.0.0"))
    #expect(ServerOptions.help(folder: "./notes").contains("(default ./notes)"))
  }

  @Test(arguments: [
    ("--port", "--port needs a value. See --help."),
    ("--port web", "--port takes a number from 0 to 65535, not web."),
    ("--port 65536", "--port takes a number from 0 to 65535, not 65536."),
    ("--days 31", "--days takes a number from 1 to 30, not 31."),
    ("--title", "--title needs a value. See --help."),
    (
      "--public-url map.example",
      "--public-url takes the address that people open, such as https://notes.example, not map.example."
    ),
    (
      "--proxy here",
      "--proxy takes the address of the proxy, such as 10.0.0.2 or 172.18.0.0/16, not here."
    ),
    ("--prot 1", "--prot is not an option. See --help."),
  ])
  func `refuses what makes no sense with the way out`(_ line: String, _ sentence: String) {
    let refused = #expect(throws: ServerError.self) { try Self.read(line) }
    #expect(refused?.code == .invalidOption && refused?.description == sentence)
  }

  @Test func `links name the machine as they were told to, with the port where it has none`() {
    var options = ServerOptions([], folder: "")
    options.host = "map.lan"
    #expect(options.shared(port: 8080).description == "http://map.lan:8080")
    options.host = "map.lan:80"
    #expect(options.shared(port: 8080).description == "http://map.lan")
    options.host = nil
    #expect(options.shared(port: 8080) == Origin(.thisMachine.with(defaultPort: 8080)))
  }

  @Test func `behind a proxy it listens to this machine alone, and links say the public address`()
    throws
  {
    let (options, _, _) = try Self.read("--host map.lan --public-url https://map.example")
    #expect(options.address == "127.0.0.1")
    #expect(options.shared(port: 8080).description == "https://map.example")
    let (open, _, _) = try Self.read("--public-url https://map.example --address 0.0.0.0")
    #expect(open.address == "0.0.0.0")
  }

  @Test func `a folder of pages that is not there is refused in one plain sentence`() {
    var pages = Pages()
    let error = #expect(throws: ServerError.self) { try pages.add(folder: "/nope", at: "/") }
    #expect(error?.code == .noPages)
    #expect(
      error?.description
        == "The pages in /nope cannot be read. Name the folder that has them.")
  }
}
