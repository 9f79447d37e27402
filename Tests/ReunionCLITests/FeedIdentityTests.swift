import Foundation
import ReunionCore
import ReunionStore
import ReunionTools
import Testing

/// What is another entry, and what is the same file: neither a shared id nor a path says so.
@Suite struct FeedIdentityTests {
  let folder = FileManager.default.temporaryDirectory.appending(path: "identity-\(UUID())")

  var store: String { folder.appending(path: "store").path }

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  /// Writes a file and imports it; what the import counted.
  func take(_ text: String, _ name: String) throws -> [String: Int] {
    let file = folder.appending(path: name)
    try Data(text.utf8).write(to: file)
    return try take(name)
  }

  func take(_ name: String) throws -> [String: Int] {
    let run = try Command.run(
      "import", "feed", folder.appending(path: name).path, store, "--json")
    #expect(run.status == 0, "\(run.errors)")
    return run.last.compactMapValues { $0 as? Int }
  }

  func move(_ from: String, _ to: String) throws {
    try FileManager.default.moveItem(
      at: folder.appending(path: from), to: folder.appending(path: to))
  }

  func titles() throws -> [String] {
    try Store.sql("SELECT title FROM reunion_feedEntry ORDER BY title", inFolder: store)
      .map { $0.values[0].description }
  }

  static func notices(_ titles: [String]) -> String {
    "<rss><channel><title>Notices</title>"
      + titles.map { "<item><title>\($0)</title><link>https://a.example/notices</link></item>" }
      .joined() + "</channel></rss>"
  }

  static func layers(_ names: [String]) -> String {
    "<kml><Document>"
      + names.enumerated().map { index, name in
        "<Placemark id=\"ID_\(index % 2)\"><name>\(name)</name><Point><coordinates>\(index),48</coordinates></Point></Placemark>"
      }.joined() + "</Document></kml>"
  }

  static func way(_ titles: [String]) -> String {
    "<gpx>"
      + titles.map {
        "<trk><name>\($0)</name><trkseg><trkpt lat=\"47.5\" lon=\"11.5\"/><trkpt lat=\"47.6\" lon=\"11.5\"/></trkseg></trk>"
      }.joined() + "</gpx>"
  }

  @Test func `keeps all entries that share an id, says so, and changes nothing the next time`()
    throws
  {
    defer { remove() }
    let first = try take(Self.notices(["A", "B", "C"]), "notices.rss")
    #expect(first["new"] == 3 && first["entries"] == 3)
    #expect(first["renamed"] == 2 && first["repeated"] == 0)
    #expect(try titles() == ["A", "B", "C"])
    let again = try take("notices.rss")
    #expect(again["unchanged"] == 3 && again["new"] == 0 && again["changed"] == 0)
    let run = try Command.run(
      "import", "feed", folder.appending(path: "notices.rss").path, store)
    #expect(
      run.output
        == "Imported 3 entries: 0 new, 0 changed, 3 as before; 2 with the id of another.\n")
    // A later version: nothing of the one before is lost.
    #expect(try take(Self.notices(["D", "A", "B", "C", "B"]), "notices.rss")["repeated"] == 1)
    #expect(try titles() == ["A", "B", "C", "D"])
  }

  @Test func `keeps the places of all layers of a map whose ids begin anew in each`() throws {
    defer { remove() }
    let first = try take(Self.layers(["A", "B", "C", "D"]), "layers.kml")
    #expect(first["new"] == 4 && first["renamed"] == 2)
    // Where the id is honest, a later version is written over the one before.
    let second = try take(Self.layers(["A", "B2", "C", "D"]), "layers.kml")
    #expect(second["changed"] == 1 && second["unchanged"] == 3 && second["new"] == 0)
    #expect(try titles() == ["A", "B2", "C", "D"])
  }

  @Test(arguments: ["way.gpx", "layers.kml", "notices.rss"])
  func `knows a file again that was moved, and follows its later versions`(name: String) throws {
    defer { remove() }
    func text(_ titles: [String]) -> String {
      name == "way.gpx"
        ? Self.way(titles) : name == "layers.kml" ? Self.layers(titles) : Self.notices(titles)
    }
    #expect(try take(text(["A", "B", "C"]), name)["new"] == 3)
    try move(name, "moved.xml")
    for _ in 0..<2 {
      let moved = try take("moved.xml")
      #expect(moved["unchanged"] == 3 && moved["new"] == 0 && moved["changed"] == 0)
    }
    #expect(try titles() == ["A", "B", "C"])
    _ = try take(text(["A", "B", "C", "E"]), "moved.xml")
    #expect(try titles() == ["A", "B", "C", "E"])
    let feeds = try Store.sql("SELECT source FROM reunion_feed", inFolder: store)
    #expect(
      feeds.map { $0.values[0].description } == [folder.appending(path: "moved.xml").path])
    // Another file where the first one was is a feed of its own.
    #expect(try take(text(["X", "Y"]), name)["new"] == 2)
    #expect(try titles() == ["A", "B", "C", "E", "X", "Y"])
    #expect(try take(name)["unchanged"] == 2)
    #expect(try take("moved.xml")["unchanged"] == 4)
  }

  @Test func `files that are others stay apart, though their ids are the same (control)`() throws {
    defer { remove() }
    #expect(try take(Self.layers(["A", "B"]), "one.kml")["new"] == 2)
    #expect(try take(Self.layers(["C", "D"]), "two.kml")["new"] == 2)
    #expect(try titles() == ["A", "B", "C", "D"])
    // What was deleted here stays deleted where its file was moved.
    let replica = try Store.open(existing: store)
    let space = try #require(try replica.spaces.first)
    for row in try Store.sql(
      "SELECT hex(id) FROM reunion_feedEntry WHERE title IN ('C', 'D')", inFolder: store)
    {
      let id = try #require(RecordID(row.values[0].description.lowercased()))
      try replica.write(in: space) { try $0.delete(Entry.self, id) }
    }
    try replica.close()
    try move("two.kml", "three.kml")
    #expect(try take("three.kml")["deleted"] == 2)
    #expect(try titles() == ["A", "B"])
  }

  private struct Entry: Entity {
    let id: RecordID
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Entry>(16_777_204, "reunion_feedEntry", [])
  }
}
