import ReunionFeeds
import Testing

/// Within one document an id that two entries with other contents have is none.
@Suite struct IdentityTests {
  static func read(_ text: String) throws -> (entries: [FeedEntry], shared: Int) {
    let parser = FeedParser()
    var entries: [FeedEntry] = []
    for byte in text.utf8 { try parser.push([byte]) { entries.append($0) } }
    try parser.finish { entries.append($0) }
    return (entries, parser.sharedIDCount)
  }

  static func rss(_ items: [String]) -> String {
    "<rss><channel><link>https://a.example/</link>\(items.joined())</channel></rss>"
  }

  static func item(_ title: String, _ link: String = "https://a.example/notices") -> String {
    "<item><title>\(title)</title><link>\(link)</link></item>"
  }

  static func isHash(_ entry: FeedEntry) -> Bool { entry.id.hasPrefix("sha256:") }

  @Test func `items of RSS that share a link are entries of their own, the same each time`() throws
  {
    let text = Self.rss(["Fog", "Bridge", "Divers"].map { Self.item($0) })
    let (entries, shared) = try Self.read(text)
    #expect(Set(entries.map(\.id)).count == 3)
    #expect(entries[0].id == "https://a.example/notices" && shared == 2)
    #expect(entries[1...].allSatisfy(Self.isHash))
    #expect(try Self.read(text).entries == entries)
    // What is new on top leaves the ids of the others.
    let later = try Self.read(Self.rss(["New", "Bridge", "Divers"].map { Self.item($0) })).entries
    #expect(later[1...].map(\.id) == entries[1...].map(\.id))
  }

  @Test func `the feed's own address is the name of no entry`() throws {
    let titles = ["Fog", "Bridge"]
    let (entries, shared) = try Self.read(
      Self.rss(titles.map { Self.item($0, "https://a.example/") }))
    #expect(entries.allSatisfy(Self.isHash) && shared == 0)
    let later = try Self.read(
      Self.rss((["New"] + titles).map { Self.item($0, "https://a.example/") }))
    #expect(later.entries[1...].map(\.id) == entries.map(\.id))
  }

  @Test func `a link that one entry has names it, whatever its text becomes (control)`() throws {
    let one = try Self.read(Self.rss([Self.item("Fog"), Self.item("Ice", "https://a.example/2")]))
    let two = try Self.read(
      Self.rss([Self.item("Fog!"), Self.item("Ice!", "https://a.example/2")]))
    #expect(one.entries.map(\.id) == two.entries.map(\.id))
    #expect(one.entries.map(\.id) == ["https://a.example/notices", "https://a.example/2"])
    #expect(one.shared == 0 && two.shared == 0)
  }

  @Test func `an entry that comes again as it was is the same entry`() throws {
    let (entries, shared) = try Self.read(Self.rss(["Fog", "Bridge", "Fog"].map { Self.item($0) }))
    #expect(entries[0].id == entries[2].id && entries[0].id != entries[1].id && shared == 1)
    let (more, _) = try Self.read(
      Self.rss(["Fog", "Bridge", "Bridge"].map { Self.item($0) }))
    #expect(more[1].id == more[2].id)
  }

  @Test(arguments: [
    "<title>A</title>", "<summary>A</summary>", "<link href=\"https://a.example/a\"/>",
    "<content>A</content>", "<published>2026-05-03T06:11:00Z</published>",
    "<link rel=\"enclosure\" href=\"https://a.example/a.mp3\"/>",
    "<p:point xmlns:p=\"http://www.georss.org/georss\">1 2</p:point>",
  ]) func `entries of Atom with one id differ by any of their contents`(part: String) throws {
    func read(_ inside: String) throws -> (entries: [FeedEntry], shared: Int) {
      try Self.read(
        "<feed xmlns=\"http://www.w3.org/2005/Atom\"><entry><id>x</id></entry>"
          + "<entry><id>x</id>\(inside)</entry></feed>")
    }
    let (entries, shared) = try read(part)
    #expect(entries.map(\.id).contains("x") && entries[0].id != entries[1].id && shared == 1)
    // Control: without that part, or with a time of change alone, it is the same once more.
    for same in ["", "<updated>2026-05-03T06:11:00Z</updated>"] {
      let (entries, shared) = try read(same)
      #expect(entries[0].id == entries[1].id && shared == 0)
    }
  }

  @Test func `placemarks whose ids begin anew in each layer are places of their own`() throws {
    func layer(_ name: String, _ longitudes: [Double]) -> String {
      "<Folder><name>\(name)</name>"
        + longitudes.enumerated().map { index, longitude in
          "<Placemark id=\"ID_\(index)\"><Point><coordinates>\(longitude),48,0</coordinates></Point></Placemark>"
        }.joined() + "</Folder>"
    }
    let (entries, shared) = try Self.read(
      "<kml><Document>\(layer("Wells", [11, 12]))\(layer("Pumps", [13, 14]))</Document></kml>")
    #expect(Set(entries.map(\.id)).count == 4 && shared == 2)
    #expect(entries.map(\.location?.longitude) == [11, 12, 13, 14])
    #expect(entries[..<2].map(\.id) == ["ID_0", "ID_1"])
  }

  @Test func `ids are counted, and too many of them end the document`() throws {
    var limits = FeedLimits()
    limits.idsMax = 10
    func items(_ count: Int) -> String {
      Self.rss((0..<count).map { Self.item("\($0)", "https://a.example/\($0)") })
    }
    #expect(try FeedParser.entries(of: items(10).utf8, limits: limits).count == 10)
    let error = #expect(throws: FeedError.self) {
      try FeedParser.entries(of: items(11).utf8, limits: limits)
    }
    #expect(error?.code == .limit)
  }
}
