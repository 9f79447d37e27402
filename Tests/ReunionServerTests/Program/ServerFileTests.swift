import Foundation
import ReunionStore
import Testing

@testable import ReunionServer

/// The file that wires a server: what it says, and what is said where it is broken.
@Suite struct ServerFileTests {
  /// A folder with a file `reunion.json5` in it.
  private final class Setup {
    let folder = "\(NSTemporaryDirectory())/wired-\(UUID())"
    var file: String { folder + "/reunion.json5" }

    init(_ text: String) throws {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try Data(text.utf8).write(to: URL(filePath: file))
    }

    func options(_ arguments: [String] = []) throws -> ServeOptions {
      try ServeOptions(["--config", file] + arguments)
    }

    deinit { try? FileManager.default.removeItem(atPath: folder) }
  }

  private static let whole = """
    // A server for the family.
    {
      listen: { host: '127.0.0.1', port: 0x1F90, },
      publicURL: "https://notes.example",
      hostName: "notes.lan",
      proxies: ["10.0.0.2", "172.18.0.0/16",],
      storage: { folder: "data" },
      pages: { folders: ["page"], library: "/srv/reunion" },
      limits: { guestDailyMegabytes: 5, guestDailyUploads: 7, uploadMegabytes: 2, silentDays: 30 },
    }
    """

  @Test func `says what the options say, with comments and commas at ends, from its own folder`()
    throws
  {
    let setup = try Setup(Self.whole)
    let options = try setup.options()
    let server = options.server
    #expect((server.address, server.port, server.host) == ("127.0.0.1", 8080, "notes.lan"))
    #expect(server.publicOrigin?.description == "https://notes.example")
    #expect(server.folder == setup.folder.replacing("//", with: "/") + "/data")
    #expect(server.pages == [setup.folder.replacing("//", with: "/") + "/page"])
    #expect(server.library == "/srv/reunion")
    #expect(server.guestAllowance.bytesPerDay == 5_000_000)
    #expect((server.guestAllowance.uploadsPerDay, options.uploadBytesMax) == (7, 2_000_000))
    #expect(server.silentDays == 30)
  }

  @Test func `an app's list of texts gives its option once for each`() throws {
    let setup = try Setup("{ words: { lists: [\"one\", \"two\"], } }")
    let keys: [ServerKey] = [.texts("words.lists", "--words")]
    for (own, wanted) in [([], ["one", "two"]), (["--words", "three"], ["three"])] {
      var server = ServerOptions(["--config", setup.file] + own, folder: "data", keys: keys)
      var lists: [String] = []
      while try server.next() != nil { lists.append(try server.value()) }
      #expect(lists == wanted)
    }
  }

  @Test func `the command's options win, and a list of theirs replaces the file's`() throws {
    let setup = try Setup(Self.whole)
    for front in [true, false] {
      let own = ["--port", "9", "--page", "other", "/elsewhere"]
      let file = ["--config", setup.file]
      let server = try ServeOptions(front ? own + file : file + own).server
      #expect((server.port, server.pages, server.folder) == (9, ["other"], "/elsewhere"))
      #expect(server.address == "127.0.0.1")
    }
  }

  @Test func `secrets come from the environment or a file`() throws {
    let setup = try Setup(
      "{ hostName: { environment: 'NAME' }, publicURL: { file: 'url' }, storage: { folder: 'd' } }")
    try Data("https://kept.example\n".utf8).write(to: URL(filePath: setup.folder + "/url"))
    var options = ServerOptions(
      ["--config", setup.file], folder: "", environment: ["NAME": "secret.lan"])
    while try options.next() != nil {}
    #expect(options.host == "secret.lan")
    #expect(options.publicOrigin?.description == "https://kept.example")
  }

  /// What is broken, and the sentence; FILE and HERE stand for the file and its folder.
  static let broken: [(String, String)] = [
    ("{ listen: { port: 8080 }", "FILE is not JSON5. Look for a missing comma, quote or brace."),
    ("", "FILE is not JSON5. Look for a missing comma, quote or brace."),
    ("[]", "FILE must begin with a brace: { listen: { port: 8080 } }."),
    ("{ lisen: { port: 1 } }", "lisen is not a key of FILE. The nearest is listen.host."),
    ("{ listen: { prot: 1 } }", "listen.prot is not a key of FILE. The nearest is listen.port."),
    ("{ publicUrl: 'x' }", "publicUrl is not a key of FILE. The nearest is publicURL."),
    ("{ listen: 8080 }", "listen in FILE has keys of its own, such as listen.host."),
    (
      "{ listen: { port: '8080' } }", "listen.port in FILE takes a number, not a text."
    ),
    (
      "{ listen: { port: 80800 } }",
      "listen.port in FILE takes a number from 0 to 65535, not 80800."
    ),
    (
      "{ listen: { port: 80.5 } }",
      "listen.port in FILE takes a number from 0 to 65535, not 80.5."
    ),
    (
      "{ pages: { folders: 'page' } }",
      "pages.folders in FILE takes a list of texts, such as [\"…\"], not a text."
    ),
    (
      "{ publicURL: 'notes.example' }",
      "publicURL in FILE takes the address that people open, such as https://notes.example, not"
        + " notes.example."
    ),
    (
      "{ proxies: ['here'] }",
      "proxies in FILE takes the address of the proxy, such as 10.0.0.2 or 172.18.0.0/16, not"
        + " here."
    ),
    (
      "{ hostName: { environment: 'REUNION_NONE' } }",
      "hostName in FILE needs the environment variable REUNION_NONE, which is not set. Set it."
    ),
    (
      "{ hostName: { file: 'gone' } }",
      "hostName in FILE needs the file HERE/gone, which cannot be read. Make it readable."
    ),
    (
      "{ hostName: { secret: 'x' } }",
      "hostName in FILE takes a text, { environment: \"NAME\" } or { file: \"PATH\" }."
    ),
    (
      "{ listen: { port: 0 } }",
      "Say in which folder the data is: reunion serve FOLDER, or storage.folder in a file."
    ),
    (
      "{ storage: { folder: 'reunion.json5' }, listen: { port: 0 } }",
      "FILE is a file. Name a folder for the server's data."
    ),
    (
      "{ storage: { folder: '/proc/none' }, listen: { port: 0 } }",
      "The folder /proc/none cannot be written (No such file or directory). Choose one that this"
        + " account owns."
    ),
    (
      "{ storage: { folder: '.' }, listen: { port: 0 } }",
      "HERE holds other files (reunion.json5) and no data of ours: choose a new or an empty folder."
    ),
    (
      "{ storage: { folder: 'd' }, listen: { host: 'notes.lan' } }",
      "notes.lan is not a numeric address. Use one such as 127.0.0.1."
    ),
    (
      "{ storage: { folder: 'd' }, listen: { host: '203.0.113.7', port: 0 } }",
      "203.0.113.7 is not an address of this machine."
    ),
    (
      "{ storage: { folder: 'd' }, listen: { port: 0 }, pages: { folders: ['nope'] } }",
      "The pages in HERE/nope cannot be read. Name the folder that has them."
    ),
  ]

  @Test(arguments: broken)
  func `a file that is broken is refused with one sentence, and nothing is made`(
    text: String, sentence: String
  ) throws {
    let setup = try Setup(text)
    let said = #expect(throws: (any Error).self) {
      try SpaceService.check(ServeOptions(["--check", setup.file]))
    }
    let folder = setup.folder.replacing("//", with: "/")
    let wanted = sentence.replacing("FILE", with: setup.file).replacing("HERE", with: folder)
    #expect(
      "\(said.map { "\($0)" } ?? "")".replacing(setup.folder, with: folder)
        == wanted.replacing(setup.folder, with: folder))
    #expect(try FileManager.default.contentsOfDirectory(atPath: setup.folder) == ["reunion.json5"])
  }

  @Test func `a port in use, a file that is not there and a folder in its place are told`() throws {
    let socket = try ListeningSocket(address: "127.0.0.1", port: 0)
    let setup = try Setup("{ storage: { folder: 'd' }, listen: { port: \(socket.port) } }")
    let taken = #expect(throws: ServerError.self) { try SpaceService.check(setup.options()) }
    #expect(
      taken?.description
        == "Port \(socket.port) is in use. Stop the other program, or choose another port.")
    let gone = #expect(throws: ServerError.self) { try ServeOptions(["--check", "/nope.json5"]) }
    #expect(gone?.code == .badFile)
    #expect(
      gone?.description == "There is no file /nope.json5. Name an existing one with --config.")
    let folder = #expect(throws: ServerError.self) { try ServeOptions(["--config", setup.folder]) }
    #expect(
      folder?.description == "\(setup.folder) is a folder. Name the file in it with --config.")
  }

  @Test func `a file that is well is said to be, and changes nothing`() throws {
    let setup = try Setup("{ storage: { folder: 'd' }, listen: { port: 0 } }")
    let said = try SpaceService.check(setup.options())
    #expect(said.hasPrefix("All is well: the server would listen on 127.0.0.1, port "))
    #expect(try FileManager.default.contentsOfDirectory(atPath: setup.folder) == ["reunion.json5"])
    // Of a folder as well.
    #expect(try ServeOptions(["--check", setup.folder]).isCheck)
  }

  @Test func `the nearest name is the one with the fewest letters to change`() {
    #expect(ServerFile.distance("kitten", "sitting") == 3)
    #expect(ServerFile.distance("", "abc") == 3 && ServerFile.distance("abc", "ABC") == 0)
    #expect(ServerFile.nearest(to: "porxies", among: ["pages", "proxies", "port"]) == "proxies")
  }
}
