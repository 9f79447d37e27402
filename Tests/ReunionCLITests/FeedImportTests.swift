import FeedServer
import Foundation
import ReunionCore
import ReunionStore
import ReunionTools
import Testing
import Waiting

/// `reunion import feed`, from a real server and from files, into a store that SQL looks into.
@Suite struct FeedImportTests {
  let folder = FileManager.default.temporaryDirectory.appending(path: "feed-\(UUID())")

  var store: String { folder.appending(path: "store").path }

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  static func entry(_ number: Int, title: String? = nil) -> String {
    "<entry><id>urn:\(number)</id><title>\(title ?? "Entry \(number)")</title>"
      + "<updated>2026-11-21T17:58:20.040Z</updated><link href=\"https://feed.example/\(number)\"/>"
      + "<summary>About \(number)</summary><content type=\"html\">&lt;p&gt;\(number)&lt;/p&gt;</content>"
      + "<category term=\"odd\"/><p:point xmlns:p=\"http://www.georss.org/georss\">1.5 \(number % 90)</p:point></entry>\n"
  }

  static func feed(
    _ numbers: Range<Int>, _ inside: String = "", titles: [Int: String] = [:]
  ) -> [UInt8] {
    Array(
      ("<feed xmlns=\"http://www.w3.org/2005/Atom\"><title>Numbers</title><id>urn:feed</id>\n"
        + numbers.map { entry($0, title: titles[$0]) }.joined() + inside + "</feed>\n").utf8)
  }

  /// One column, of all rows.
  func sql(_ text: String) throws -> [String] {
    try Store.sql(text, inFolder: store).map { $0.values[0].description }
  }

  @Test func `makes records of a feed, asks with what the server said, and writes what differs`()
    throws
  {
    defer { remove() }
    let version = Counter()
    let server = try FeedServer { request in
      let tag = "\"\(version.value)\""
      if request.fields["if-none-match"] == tag { return .init("304 Not Modified", ["ETag": tag]) }
      let again = Self.entry(7)
      return .init(
        "200 OK", ["ETag": tag, "Last-Modified": "Sat, 21 Nov 2026 18:04:11 GMT"],
        body: version.value == 1
          ? Self.feed(0..<600) : Self.feed(0..<600, again, titles: [2: "Another title"]))
    }
    defer { server.stop() }
    version.value = 1
    let address = server.url("/feed.atom").absoluteString
    let first = try Command.run("import", "feed", address, store, "--json")
    #expect(first.status == 0, "\(first.errors)")
    #expect(first.last["new"] as? Int == 600)
    #expect(first.last["state"] as? String == "done")
    #expect(try sql("SELECT count(*) FROM reunion_feedEntry") == ["600"])
    #expect(
      try sql(
        "SELECT title||latitude||longitude||summary||content||contentKind||link FROM reunion_feedEntry WHERE entryID = 'urn:7'"
      )
        == ["Entry 71.57.0About 7<p>7</p>htmlhttps://feed.example/7"])
    #expect(
      try sql("SELECT title||feedID||entityTag||lastModified FROM reunion_feed")
        == ["Numbersurn:feed\"1\"Sat, 21 Nov 2026 18:04:11 GMT"])
    #expect(
      try sql(
        "SELECT count(*) FROM reunion_feedEntry e, reunion_feed f, json_each(e.categories) c WHERE e.feed = f.id AND c.value->>'term' = 'odd'"
      )
        == ["600"])

    let second = try Command.run("import", "feed", address, store, "--json")
    #expect(second.status == 0)
    #expect(second.last["state"] as? String == "unchanged")
    #expect(server.requests.count == 2)
    #expect(server.requests.last?.fields["if-modified-since"] == "Sat, 21 Nov 2026 18:04:11 GMT")

    version.value = 2
    let before = try arrivals()
    let third = try Command.run("import", "feed", address, store, "--json")
    #expect(third.last["changed"] as? Int == 1)
    #expect(third.last["unchanged"] as? Int == 599)
    #expect(third.last["repeated"] as? Int == 1)
    #expect(third.last["new"] as? Int == 0)
    #expect(
      try sql("SELECT title FROM reunion_feedEntry WHERE entryID = 'urn:2'") == ["Another title"])
    #expect(try sql("SELECT count(*) FROM reunion_feedEntry") == ["600"])
    // One field of one entry, and the tag of the feed: nothing else was written.
    #expect(try arrivals() - before == 2)
  }

  /// How many changes the store has made.
  func arrivals() throws -> UInt64 {
    let store = try Store.open(existing: store)
    defer { try? store.close() }
    let space = try #require(try store.spaces.first)
    return try store.vector(of: space)[store.site]
  }

  @Test func `keeps what came before a feed breaks, says where, and forgets what the server said`()
    throws
  {
    defer { remove() }
    let server = try FeedServer { _ in
      .init("200 OK", ["ETag": "\"1\""], body: Self.feed(0..<300, "<entry><id>x</title></entry>"))
    }
    defer { server.stop() }
    let address = server.url("/").absoluteString
    let run = try Command.run("import", "feed", address, store, "--json")
    #expect(run.status == 5)
    #expect(run.errors.contains("Line 302, column 21"), "\(run.errors)")
    #expect(run.last["state"] as? String == "broken")
    #expect(run.last["line"] as? Int == 302)
    #expect(run.last["column"] as? Int == 21)
    #expect(run.last["new"] as? Int == 300)
    #expect(try sql("SELECT count(*) FROM reunion_feedEntry") == ["300"])
    #expect(try sql("SELECT entityTag FROM reunion_feed") == [""])
    _ = try Command.run("import", "feed", address, store)
    #expect(server.requests.last?.fields["if-none-match"] == nil)
  }

  @Test func `goes on after a download that broke off`() throws {
    defer { remove() }
    let tries = Counter()
    let whole = Self.feed(0..<400)
    let server = try FeedServer { _ in
      tries.value += 1
      var answer = FeedServer.Answer("200 OK", ["ETag": "\"1\""], body: whole)
      if tries.value == 1 {
        answer.pieces = [Array(whole.prefix(whole.count / 2))]
        answer.length = whole.count
      }
      return answer
    }
    defer { server.stop() }
    let address = server.url("/").absoluteString
    let first = try Command.run("import", "feed", address, store, "--json")
    #expect(first.status == 5)
    #expect(
      first.errors.contains("broke off. What came before is kept: run it again to go on."),
      "\(first.errors)")
    let kept = try #require(first.last["new"] as? Int)
    #expect((150..<250).contains(kept))
    #expect(try sql("SELECT count(*) FROM reunion_feedEntry") == ["\(kept)"])
    let second = try Command.run("import", "feed", address, store, "--json")
    #expect(second.status == 0)
    #expect(second.last["new"] as? Int == 400 - kept)
    #expect(second.last["unchanged"] as? Int == kept)
    #expect(try sql("SELECT count(*) FROM reunion_feedEntry") == ["400"])
  }

  @Test func `commits entries while the rest is on its way, and keeps them when it is killed`()
    throws
  {
    defer { remove() }
    let whole = Self.feed(0..<100)
    let gate = DispatchSemaphore(value: 0)
    let server = try FeedServer { _ in
      var answer = FeedServer.Answer("200 OK", ["ETag": "\"1\""])
      answer.pieces = [Array(whole.prefix(whole.count / 2)), Array(whole.suffix(whole.count / 2))]
      answer.length = whole.count
      answer.gate = gate
      return answer
    }
    defer { server.stop() }
    let (process, _, _) = try Command.start([
      "import", "feed", server.url("/").absoluteString, store,
    ])
    var count = 0
    try eventually("40 entries are there, and not \(count)", every: .milliseconds(10)) {
      count = (try? sql("SELECT count(*) FROM reunion_feedEntry").first).flatMap { Int($0) } ?? 0
      return count >= 40 || !process.isRunning
    }
    #expect((40..<60).contains(count))
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    // What had come meanwhile is there as well.
    let kept = try sql("SELECT count(*) FROM reunion_feedEntry").first.flatMap { Int($0) } ?? 0
    #expect((count..<60).contains(kept))
    #expect(try sql("SELECT entityTag FROM reunion_feed") == [""])
    gate.signal()
  }

  @Test func `ends at once when it is asked to, and keeps what came`() throws {
    defer { remove() }
    let whole = Self.feed(0..<100)
    let server = try FeedServer { _ in
      var answer = FeedServer.Answer(body: Array(whole.prefix(whole.count / 2)))
      answer.pieces.append([])
      answer.length = whole.count
      answer.gate = DispatchSemaphore(value: 0)
      return answer
    }
    defer { server.stop() }
    let (process, _, _) = try Command.start([
      "import", "feed", server.url("/").absoluteString, store,
    ])
    func count() -> Int {
      (try? sql("SELECT count(*) FROM reunion_feedEntry").first).flatMap { Int($0) } ?? 0
    }
    try eventually("an entry is there", every: .milliseconds(10)) {
      count() > 0 || !process.isRunning
    }
    process.terminate()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 5)
    #expect(try sql("SELECT count(*) > 0 FROM reunion_feedEntry") == ["1"])
  }

  @Test func `two imports that begin in a new folder share its one space`() throws {
    defer { remove() }
    let whole = Self.feed(0..<3)
    let gate = DispatchSemaphore(value: 0)
    let server = try FeedServer { _ in
      var answer = FeedServer.Answer()
      answer.pieces = [Array(whole.prefix(90)), Array(whole.dropFirst(90))]
      answer.length = whole.count
      answer.gate = gate
      return answer
    }
    defer { server.stop() }
    let address = server.url("/").absoluteString
    let (process, _, _) = try Command.start(["import", "feed", address, store])
    try eventually("the import asks for the feed") {
      !server.requests.isEmpty || !process.isRunning
    }
    // It has looked at the folder, and waits for its first entry.
    #expect(server.requests.count == 1)
    let file = folder.appending(path: "feed.xml")
    try Data(Self.feed(10..<12)).write(to: file)
    #expect(try Command.run("import", "feed", file.path, store).status == 0)
    gate.signal()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(try sql("SELECT count(*) FROM reunion_feedEntry") == ["5"])
    // With two spaces it would ask which one.
    #expect(try Command.run("import", "feed", file.path, store).status == 0)
  }

  @Test func `leaves deleted what was deleted here, also when the feed changes it`() throws {
    defer { remove() }
    let file = folder.appending(path: "feed.xml")
    try Data(Self.feed(0..<3)).write(to: file)
    #expect(try Command.run("import", "feed", file.path, store).status == 0)
    let replica = try Store.open(existing: store)
    let space = try #require(try replica.spaces.first)
    let hex = try sql("SELECT hex(id) FROM reunion_feedEntry WHERE entryID = 'urn:1'")[0]
    let id = try #require(RecordID(hex.lowercased()))
    try replica.write(in: space) { try $0.delete(Entry.self, id) }
    try replica.close()
    #expect(try sql("SELECT count(*) FROM reunion_feedEntry") == ["2"])
    try Data(Self.feed(0..<3, titles: [1: "Changed"])).write(to: file)
    let run = try Command.run("import", "feed", file.path, store, "--json")
    #expect(run.last["deleted"] as? Int == 1)
    #expect(try sql("SELECT count(*) FROM reunion_feedEntry") == ["2"])
    // Negative control: what is not deleted would have changed.
    try Data(Self.feed(0..<3, titles: [2: "Changed"])).write(to: file)
    #expect(
      try Command.run("import", "feed", file.path, store, "--json").last["changed"] as? Int == 1)
  }

  @Test func `takes a track of GPX as GeoJSON, and a text that is longer than a field`() throws {
    defer { remove() }
    let gpx = folder.appending(path: "way.gpx")
    let points = (0..<5_000).map {
      "<trkpt lat=\"47.\($0)\" lon=\"-122.3\"><ele>5</ele><time>2026-05-03T06:11:00Z</time></trkpt>"
    }
    try Data(
      "<gpx xmlns=\"http://www.topografix.com/GPX/1/1\"><trk><name>Lap</name><trkseg>\(points.joined())</trkseg></trk></gpx>"
        .utf8
    ).write(to: gpx)
    #expect(try Command.run("import", "feed", gpx.path, store).status == 0)
    let again = try Command.run("import", "feed", gpx.path, store, "--json")
    #expect(again.last["unchanged"] as? Int == 1)
    let blobs = URL(filePath: store).appending(path: "blobs")
    let tracks = try FileManager.default.subpathsOfDirectory(atPath: blobs.path)
      .compactMap { try? String(contentsOf: blobs.appending(path: $0), encoding: .utf8) }
    #expect(tracks.contains { $0.contains("\"2026-05-03T06:11:00.000Z\"") })
    let long = folder.appending(path: "long.xml")
    try Data(
      "<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry><id>1</id><content>\(String(repeating: "é", count: 400_000))</content></entry></feed>"
        .utf8
    ).write(to: long)
    #expect(try Command.run("import", "feed", long.path, store).status == 0)
    #expect(
      try Command.run("import", "feed", long.path, store, "--json").last["unchanged"] as? Int == 1)
    let isLong = "SELECT length(CAST(content AS BLOB)) > 524000 FROM reunion_feedEntry"
    #expect(try sql("\(isLong) WHERE entryID = '1'") == ["1"])
    #expect(try Command.run("verify", store).output.contains("2 blobs are sound"))
  }

  @Test
  func `imports into an album's store beside what is there, and into the space that is named`()
    throws
  {
    defer { remove() }
    struct Note: Entity {
      let id: RecordID
      var text = ""
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Note>(1, "note", [.field(1, "text", \.text)])
    }
    let held = try Store.open(folder: store, model: Model(Note.schema))
    let (one, two) = (SpaceID(high: 0, low: 1), SpaceID(high: 0, low: 2))
    for space in [one, two] {
      try held.write(in: space) { try $0.create(Note.self) { $0.text = "kept" } }
    }
    try held.close()
    let file = folder.appending(path: "feed.xml")
    try Data(Self.feed(0..<2)).write(to: file)
    let unnamed = try Command.run("import", "feed", file.path, store)
    #expect(unnamed.status == 2)
    #expect(unnamed.errors.contains(two.description))
    #expect(
      try Command.run("import", "feed", file.path, store, "--space", two.description).status == 0)
    #expect(try sql("SELECT count(*) FROM note") == ["2"])
    let ofTwo = "WHERE hex(space) = '\(two.description.uppercased())'"
    #expect(try sql("SELECT count(*) FROM reunion_feedEntry \(ofTwo)") == ["2"])
  }

  @Test func `says what is wrong, with a code`() throws {
    defer { remove() }
    #expect(
      try Command.run("import", "feed", "--help").output.contains("import feed SOURCE FOLDER"))
    #expect(try Command.run("help", "import", "feed").output.contains("import feed SOURCE FOLDER"))
    #expect(try Command.run("--help").output.contains("import feed SOURCE FOLDER"))
    #expect(try Command.run("import", "feed").status == 2)
    try Data("hello".utf8).write(to: folder.appending(path: "text"))
    let server = try FeedServer { request in
      request.path == "/page" ? .init(body: Array("<html/>".utf8)) : .init("404 Not Found")
    }
    defer { server.stop() }
    let address = server.url("/").absoluteString
    let cases: [(source: String, status: Int32, says: String)] = [
      ("ftp://feed.example/x", 2, "is not an http or https address."),
      ("http:///feed", 2, "is not an http or https address."), ("", 2, "Say which feed"),
      (folder.path + "/none.xml", 1, "none.xml: check the name."),
      (folder.path, 1, "is a folder: name a file."), ("/dev/null", 1, "/dev/null is empty."),
      (folder.path + "/text", 1, "text is not well-formed XML. Line 1, column 1: The document"),
      ("http://127.0.0.1:9/feed", 4, "127.0.0.1 cannot be reached: check the address"),
      ("http://feed.invalid/", 4, "feed.invalid "),
      (address, 3, "There is nothing at \(address): check the address (status 404)."),
      (address.replacing("http:", with: "HTTP:"), 3, "There is nothing at \(address)"),
      (
        address + "page", 1,
        "page is not a feed. Line 1, column 6: The document is a web page."
      ),
    ]
    for (source, status, says) in cases {
      let run = try Command.run("import", "feed", source, store)
      #expect(run.status == status, "\(source): \(run.errors)")
      #expect(run.errors.contains(says), "\(run.errors)")
      #expect(!run.errors.contains("again to go on") && !run.errors.contains("Error Domain"))
      #expect(!FileManager.default.fileExists(atPath: store), "\(source) left a store behind")
    }
  }

  @Test func `leaves a store that it refuses, or has nothing for, as it was`() throws {
    defer { remove() }
    struct Note: Entity {
      let id: RecordID
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Note>(1, "note", [])
    }
    let held = try Store.open(folder: store, model: Model(Note.schema))
    for low in [1, 2] as [UInt64] {
      try held.write(in: SpaceID(high: 0, low: low)) { try $0.create(Note(id: held.newID())) }
    }
    try held.close()
    let before = try contents()
    let feed = folder.appending(path: "feed.xml").path
    try Data(Self.feed(0..<2)).write(to: URL(filePath: feed))
    let space = SpaceID(high: 0, low: 1).description
    for (source, space, status) in [
      (feed, [], 2), (feed, ["--space", "12"], 2), (feed + "x", ["--space", space], 1),
      ("/dev/null", ["--space", space], 1),
    ] as [(String, [String], Int32)] {
      #expect(try Command.run(["import", "feed", source, store] + space).status == status)
      #expect(try contents() == before)
    }
    // Negative control: what is taken changes it.
    #expect(try Command.run("import", "feed", feed, store, "--space", space).status == 0)
    #expect(try contents() != before)
  }

  /// The files of the store by their names, but for SQLite's notes of who reads it.
  func contents() throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: store) {
      if name.hasSuffix("-shm") { continue }
      let bytes = FileManager.default.contents(atPath: store + "/" + name)
      if name.hasSuffix("-wal"), bytes?.isEmpty == true { continue }
      files[name] = bytes
    }
    return files
  }

  @Test func `counts an entry that comes twice once`() throws {
    defer { remove() }
    let file = folder.appending(path: "feed.xml")
    try Data(Self.feed(0..<300, Self.entry(1) + Self.entry(299))).write(to: file)
    let first = try Command.run("import", "feed", file.path, store, "--json")
    #expect(first.last["new"] as? Int == 300 && first.last["unchanged"] as? Int == 0)
    #expect(first.last["entries"] as? Int == 300 && first.last["repeated"] as? Int == 2)
    let second = try Command.run("import", "feed", file.path, store)
    #expect(second.output == "Imported 300 entries: 0 new, 0 changed, 300 as before; 2 repeated.\n")
  }

  private struct Entry: Entity {
    let id: RecordID
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Entry>(16_777_204, "reunion_feedEntry", [])
  }
}

/// A number that a server and a test share.
final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var number = 0

  var value: Int {
    get { lock.withLock { number } }
    set { lock.withLock { number = newValue } }
  }
}
