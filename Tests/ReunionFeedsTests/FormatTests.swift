import FoundationEssentials
import ReunionFeeds
import Testing

@Suite struct FormatTests {
  static func read(_ text: String) throws -> (feed: Feed?, entries: [FeedEntry]) {
    let parser = FeedParser()
    var entries: [FeedEntry] = []
    try parser.push(text.utf8) { entries.append($0) }
    try parser.finish { entries.append($0) }
    return (parser.feed, entries)
  }

  static func date(_ secondsSince1970: Double) -> Date {
    Date(timeIntervalSince1970: secondsSince1970)
  }

  @Test func `reads the earthquakes of USGS`() throws {
    let (feed, entries) = try Self.read(Samples.quakes)
    #expect(feed?.format == .atom)
    #expect(feed?.title == "USGS Magnitude 2.5+ Earthquakes, Past Day")
    #expect(feed?.links.first?.relation == "self")
    #expect(feed?.updated == Self.date(1_795_284_251))
    #expect(
      entries.map(\.id) == [
        "urn:earthquake-usgs-gov:us:7000test", "urn:earthquake-usgs-gov:pr:71test",
      ])
    let quake = entries[0]
    #expect(quake.title == "M 4.6 - 63 km SE of Sand Point, Alaska")
    #expect(quake.link == "https://earthquake.usgs.gov/earthquakes/eventpage/us7000test")
    #expect(quake.summary?.kind == .html)
    #expect(quake.summary?.text.hasSuffix("<dd>32.40 km (20.13 mi)</dd></dl>") == true)
    #expect(quake.summary?.text.contains("54.935&deg;N") == true)
    #expect(
      quake.location
        == FeedLocation(latitude: 54.9351, longitude: -159.7934, elevation: -32_400))
    #expect(quake.updated == Self.date(1_795_283_900.040))
    #expect(quake.categories.map(\.term) == ["Past Hour", "Magnitude 4", "us"])
    #expect(quake.categories.map(\.label) == ["Age", "Magnitude", "Contributor"])
    #expect(entries[1].title == "M 2.9 - 8 km S of Guánica, Puerto Rico")
  }

  @Test func `reads Atom with a prefix, XHTML, references and enclosures`() throws {
    let (feed, entries) = try Self.read(Samples.atom)
    #expect(feed?.title == "Tide & Weather")
    #expect(feed?.id == "tag:harbour.example,2026:feed")
    let entry = entries[0]
    #expect(entry.title == "Spring tide <3.4 m> 🚢")
    #expect(entry.links == [FeedLink("/tides?day=1&month=3")])
    #expect(
      entry.enclosures == [
        FeedLink(
          "https://harbour.example/1.mp3", relation: "enclosure", mediaType: "audio/mpeg",
          title: "Spoken", byteCount: 123_456)
      ])
    #expect(
      entry.authors == [FeedPerson(name: "Harbour Office", email: "office@harbour.example")])
    #expect(entry.published == Self.date(1_772_326_800))
    #expect(entry.updated == Self.date(1_772_326_800.5))
    #expect(entry.summary == FeedText(.plain, "Water   above the quay."))
    #expect(
      entry.content
        == FeedText(.xhtml, "<p>High <b>water</b> at 5\u{A0}a.m. &amp; 5 p.m.</p><br/>"))
    #expect(
      entry.categories == [
        FeedCategory("tide", scheme: "https://harbour.example/terms", label: "Tides")
      ])
    #expect(entries[1].title == "Fog in 宮城")
    #expect(
      entries[1].links == [
        FeedLink(
          "https://harbour.example/fog.pdf", relation: "content", mediaType: "application/pdf")
      ])
    #expect(entries[1].content == nil)
  }

  @Test func `reads RSS 2.0 with its usual modules`() throws {
    let (feed, entries) = try Self.read(Samples.rss)
    #expect(feed?.format == .rss)
    #expect(feed?.title == "Trail Reports")
    #expect(
      feed?.links.map(\.address) == ["https://trails.example/", "https://trails.example/rss"])
    #expect(feed?.updated == Self.date(1_772_870_400))
    #expect(entries.count == 3)
    let item = entries[0]
    #expect(item.id == "trail-12")
    #expect(item.link == "https://trails.example/12")
    #expect(item.summary == FeedText(.html, "<p>The bridge is <b>gone</b>.</p>"))
    #expect(item.content == FeedText(.html, "<p>The bridge is <b>gone</b>: use the ford.]]></p>"))
    #expect(
      item.authors == [
        FeedPerson(name: "Trail Desk", email: "desk@trails.example"),
        FeedPerson(name: "Ranger Station"),
      ])
    #expect(
      item.categories == [
        FeedCategory("closure", scheme: "https://trails.example/kinds"), FeedCategory("bridge"),
      ])
    #expect(item.enclosures.map(\.byteCount) == [48_213, 9])
    #expect(item.published == Self.date(1_772_841_900))
    #expect(
      item.location
        == FeedLocation(latitude: 46.8523, longitude: -121.7603, elevation: 1640.5))
    #expect(entries[1].id == "https://trails.example/13")
    #expect(entries[1].published == nil)
    #expect(entries[1].location == FeedLocation(latitude: 46.9, longitude: -121.5))
    #expect(entries[2].id.hasPrefix("sha256:"))
    #expect(entries[2].track?.segments.first?.count == 3)
    // The same again, so that an entry without an id is found again.
    #expect(try Self.read(Samples.rss).entries[2].id == entries[2].id)
  }

  @Test func `reads RSS 1.0`() throws {
    let (feed, entries) = try Self.read(Samples.rdf)
    #expect(feed?.format == .rdf)
    #expect(feed?.title == "New in the library")
    #expect(entries.map(\.id) == ["https://library.example/b/1"])
    #expect(entries[0].updated == Self.date(1_768_435_200))
    #expect(entries[0].categories == [FeedCategory("maps")])
  }

  @Test func `reads waypoints, tracks and routes of GPX`() throws {
    let (feed, entries) = try Self.read(Samples.gpx)
    #expect(feed?.title == "Sunday")
    #expect(feed?.subtitle == "Around the lake")
    #expect(entries.map(\.title) == ["Pier", "Lap", "Way back"])
    let pier = entries[0]
    #expect(pier.id == "https://lake.example/pier")
    #expect(
      pier.location == FeedLocation(latitude: 47.6062, longitude: -122.3321, elevation: 4.5))
    #expect(pier.links.first?.title == "The pier")
    #expect(pier.categories == [FeedCategory("Landmark")])
    // The empty segment and the point that is nowhere are left out.
    #expect(entries[1].track?.segments.map(\.count) == [2, 1])
    #expect(entries[1].categories == [FeedCategory("running")])
    #expect(
      entries[1].track?.segments[0][1]
        == FeedTrack.Point(
          FeedLocation(latitude: 47.61, longitude: -122.34, elevation: 6.25),
          time: Self.date(1_777_788_720)))
    #expect(entries[2].track?.segments.map(\.count) == [2])
    #expect(Set(entries.map(\.id)).count == 3)
  }

  @Test func `reads placemarks, lines and tracks of KML`() throws {
    let (feed, entries) = try Self.read(Samples.kml)
    #expect(feed?.title == "Lake")
    #expect(entries.map(\.id) == ["pier", "shore", "lap"])
    #expect(
      entries[0].location
        == FeedLocation(latitude: 47.6062, longitude: -122.3321, elevation: 4.5))
    #expect(entries[0].summary == FeedText(.html, "<b>Start</b>"))
    #expect(entries[1].track?.segments.map(\.count) == [2, 2])
    #expect(entries[1].published == Self.date(1_777_593_600))
    let lap = try #require(entries[2].track?.segments.first)
    let gpx = try #require(try Self.read(Samples.gpx).entries[1].track?.segments.first)
    #expect(lap == gpx)
  }

  @Test func `takes GPX and KML that name no namespace`() throws {
    let bare = Samples.gpx.replacing(" xmlns=\"http://www.topografix.com/GPX/1/1\"", with: "")
    #expect(bare != Samples.gpx)
    #expect(try Self.read(bare).entries == (try Self.read(Samples.gpx).entries))
  }

  static func kml(_ inside: String) throws -> [FeedEntry] {
    try FeedParser.entries(
      of: """
        <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
        <Document>\(inside)</Document></kml>
        """.utf8)
  }

  @Test(arguments: [
    "-76.0624,39.4493,0", " -76.0624, 39.4493, 0 ", "-76.0624, 39.4493,0", "-76.0624 ,39.4493 , 0",
    "-76.0624,\n39.4493,\n0",
  ]) func `reads a point of KML also with spaces beside its commas`(text: String) throws {
    let entries = try Self.kml(
      "<Placemark><Point><coordinates>\(text)</coordinates></Point></Placemark>"
        + "<Placemark><LineString><coordinates>\(text)\n-75.9896, 39.5462,0</coordinates>"
        + "</LineString></Placemark>")
    let place = FeedLocation(latitude: 39.4493, longitude: -76.0624, elevation: 0)
    #expect(entries[0].location == place)
    #expect(
      entries[1].track?.segments.map { $0.map(\.location) } == [
        [place, FeedLocation(latitude: 39.5462, longitude: -75.9896, elevation: 0)]
      ])
  }

  /// What was guessed before: a wrong place is worse than none.
  @Test(arguments: [
    "-76.0624 39.4493", "-76.0624", "-76.0624,39.4493,0,", ",-76.0624,39.4493", "-76.0624,,39.4493",
    "-76,0624,39,4493", "-76,0624;39,4493", "-76.0624,39.4493,0,1", "-76.0624,39.4493, 0, 5",
    "39.4493,-96.0624", "200,39", "-76.0624W,39.4493N", "-76.0624,39.4493 39.5", "",
    "-76.0624,39.4493,high",
  ]) func `takes a tuple of KML that means something else for no place`(text: String) throws {
    for line in [text, "1.5,2.5 \(text)", "\(text) 1.5,2.5"] where !text.isEmpty {
      let entries = try Self.kml(
        "<Placemark><LineString><coordinates>\(line)</coordinates></LineString></Placemark>")
      #expect(entries[0].track == nil, "\(line)")
    }
    let entries = try Self.kml(
      "<Placemark><Point><coordinates>\(text)</coordinates></Point></Placemark>"
        + "<Placemark><Point><coordinates>1.5,2.5 3.5,4.5</coordinates></Point></Placemark>")
    #expect(entries.map(\.location) == [nil, nil])
  }

  @Test func `takes a coordinate of gx for what it says, and times where each place has one`()
    throws
  {
    func points(_ track: String) throws -> [FeedTrack.Point] {
      try Self.kml("<Placemark><gx:Track>\(track)</gx:Track></Placemark>")[0]
        .track?.segments.first ?? []
    }
    let times = "<when>2026-05-03T06:11:00Z</when><when>2026-05-03T06:12:00Z</when>"
    let place = FeedLocation(latitude: 47.6, longitude: -122.33)
    let one = "<gx:coord>-122.33 47.6</gx:coord>"
    #expect(try points(times + one + one).map(\.time).contains(nil) == false)
    // The second place has no time, or the first: nobody knows.
    #expect(try points(times + one + one + one) == .init(repeating: .init(place), count: 3))
    #expect(try points(times + one + "<gx:coord/>").map(\.location) == [place])
    for text in ["-122,33 47,6", "-122,33 47", "-122.33", "-122.33 47.6 5 6", "-122.33 97.6"] {
      #expect(try points("<gx:coord>\(text)</gx:coord>").isEmpty, "\(text)")
    }
  }

  @Test(arguments: [
    ("47,6", "-122,33"), ("97.6", "-122.33"), ("47.6", "-182.33"), ("47.6°", "-122.33"), ("", "1"),
    ("47.6", ""), ("nan", "1"), ("47.6N", "122.33W"),
  ]) func `leaves out a point of GPX that is nowhere`(latitude: String, longitude: String) throws {
    let at = "lat=\"\(latitude)\" lon=\"\(longitude)\""
    let entries = try FeedParser.entries(
      of: """
        <gpx><wpt \(at)><name>x</name></wpt>
        <trk><trkseg><trkpt \(at)/><trkpt lat="1.5" lon="2.5"/></trkseg></trk></gpx>
        """.utf8)
    #expect(entries[0].location == nil)
    #expect(entries[1].track?.segments.map(\.count) == [1])
  }

  @Test(arguments: [
    ("<georss:point>45.256 -71.92</georss:point>", true),
    ("<georss:point>45.256, -71.92</georss:point>", true),
    ("<georss:point> 45.256 , -71.92 </georss:point>", true),
    ("<georss:point>45,256 -71,92</georss:point>", false),
    ("<georss:point>45,256 -71</georss:point>", false),
    ("<georss:point>95.256 -71.92</georss:point>", false),
    ("<georss:point>45.256 -71.92 5 6</georss:point>", false),
    ("<georss:point>45.256</georss:point>", false),
    ("<georss:where><gml:Point><gml:pos>45.256 -71.92</gml:pos></gml:Point></georss:where>", true),
    (
      "<georss:where><gml:Point srsName=\"urn:ogc:def:crs:EPSG::4326\"><gml:pos>45.256 -71.92"
        + "</gml:pos></gml:Point></georss:where>", true
    ),
    (
      "<georss:where><gml:Point srsName=\"urn:ogc:def:crs:OGC:1.3:CRS84\"><gml:pos>45.256 -71.92"
        + "</gml:pos></gml:Point></georss:where>", false
    ),
    ("<georss:line>45.256 -71.92 46.46 -79.48</georss:line>", true),
    ("<georss:line>45.256,-71.92 46.46,-79.48</georss:line>", true),
    ("<georss:line>45.256 -71.92 46.46</georss:line>", false),
    ("<georss:line>45,25 71,92 46,46 79,48</georss:line>", false),
    ("<georss:line>45.256 -71.92 96.46 -79.48</georss:line>", false),
  ]) func `reads GeoRSS, or takes it for no place`(inside: String, isRead: Bool) throws {
    let entry = try #require(
      try FeedParser.entries(
        of: """
          <feed xmlns="http://www.w3.org/2005/Atom" xmlns:georss="http://www.georss.org/georss"
          xmlns:gml="http://www.opengis.net/gml"><entry><id>1</id>\(inside)</entry></feed>
          """.utf8
      ).first)
    let place = entry.location ?? entry.track?.segments.first?.first?.location
    #expect(place == (isRead ? FeedLocation(latitude: 45.256, longitude: -71.92) : nil))
    #expect(entry.track == nil || entry.track?.segments.first?.count == 2)
  }

  @Test func `a count of bytes is not below zero`() throws {
    let entries = try FeedParser.entries(
      of: "<rss><channel><item><enclosure url=\"u\" length=\"-1\"/></item></channel></rss>".utf8)
    #expect(entries[0].enclosures.map(\.byteCount) == [nil])
  }

  @Test func `says what is no feed`() throws {
    let page = "<html xmlns=\"http://www.w3.org/1999/xhtml\"><head/></html>"
    let error = #expect(throws: FeedError.self) { try FeedParser.entries(of: page.utf8) }
    #expect(error?.code == .notAFeed)
    #expect(error?.description.contains("web page") == true)
  }
}
