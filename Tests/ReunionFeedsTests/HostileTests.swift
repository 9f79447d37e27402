import ReunionFeeds
import Testing

/// Documents that are made to hurt: each ends with a typed error, or as what it says. What they
/// take of memory is in ``MemoryTests``.
@Suite struct HostileTests {
  static func feed(_ inside: String, declaration: String = "") -> String {
    "<?xml version=\"1.0\"?>\(declaration)<feed xmlns=\"http://www.w3.org/2005/Atom\">"
      + "<entry><id>before</id></entry>\(inside)</feed>"
  }

  /// The error of a document, and the ids that came before it.
  static func outcome(
    _ text: some Collection<UInt8>, limits: FeedLimits = FeedLimits(), piece: Int = 4_096
  ) -> (error: FeedError?, ids: [String]) {
    let parser = FeedParser(limits: limits)
    var ids: [String] = []
    do {
      var rest = text[...]
      while !rest.isEmpty {
        try parser.push(Array(rest.prefix(piece))) { ids.append($0.id) }
        rest = rest.dropFirst(piece)
      }
      try parser.finish { ids.append($0.id) }
      return (nil, ids)
    } catch {
      return (error as? FeedError, ids)
    }
  }

  @Test func `expands no entities: a billion laughs are none`() {
    var lines = ["<!ENTITY a0 \"lol\">"]
    for index in 1...9 {
      lines.append(
        "<!ENTITY a\(index) \"\(String(repeating: "&a\(index - 1);", count: 10))\">")
    }
    let text = Self.feed(
      "<entry><id>&a9;</id></entry>", declaration: "<!DOCTYPE feed [\(lines.joined())]>")
    let (error, ids) = Self.outcome(text.utf8)
    #expect(error?.code == .forbidden)
    #expect(error?.message.contains("declares an entity") == true)
    #expect(ids.isEmpty)
  }

  @Test func `expands no entities: no quadratic blow-up either`() {
    let long = String(repeating: "x", count: 100_000)
    let text = Self.feed(
      "<entry><id>\(String(repeating: "&a;", count: 5_000))</id></entry>",
      declaration: "<!DOCTYPE feed [<!ENTITY a \"\(long)\">]>")
    #expect(Self.outcome(text.utf8).error?.code == .forbidden)
  }

  @Test func `takes no attributes from declarations, which would grow as well`() {
    let text = Self.feed(
      String(repeating: "<entry/>", count: 100),
      declaration:
        "<!DOCTYPE feed [<!ATTLIST entry big CDATA \"\(String(repeating: "x", count: 100_000))\">]>"
    )
    #expect(Self.outcome(text.utf8).error?.code == .forbidden)
  }

  @Test(arguments: [
    "<!DOCTYPE feed [<!ENTITY x SYSTEM \"file:///etc/hostname\">]>",
    "<!DOCTYPE feed [<!ENTITY % x SYSTEM \"file:///etc/hostname\"> %x;]>",
    "<!DOCTYPE feed [<!ENTITY x PUBLIC \"p\" \"http://127.0.0.1:1/x\">]>",
    "<!DOCTYPE feed [<!NOTATION n SYSTEM \"n\"><!ENTITY x SYSTEM \"file:///etc/hostname\" NDATA n>]>",
  ]) func `reads no file and no address`(declaration: String) {
    let text = Self.feed("<entry><id>[&x;]</id></entry>", declaration: declaration)
    let (error, ids) = Self.outcome(text.utf8)
    #expect(error?.code == .forbidden)
    #expect(ids.isEmpty)
  }

  @Test(arguments: [
    "<!DOCTYPE feed SYSTEM \"file:///etc/hostname\">",
    "<!DOCTYPE feed PUBLIC \"p\" \"http://127.0.0.1:1/feed.dtd\">",
  ]) func `passes over a declaration that is elsewhere, and takes no entity of it`(
    declaration: String
  ) {
    let good = Self.feed("<entry><id>2</id></entry>", declaration: declaration)
    #expect(Self.outcome(good.utf8).error == nil)
    #expect(Self.outcome(good.utf8).ids == ["before", "2"])
    // Never text with a hole where the entity was.
    let bad = Self.feed("<entry><id>[&x;]</id></entry>", declaration: declaration)
    let (error, ids) = Self.outcome(bad.utf8)
    #expect(error?.code == .malformed)
    #expect(error?.message.contains("XML has no entity &x;") == true)
    #expect(ids == ["before"])
    let attribute = Self.feed("<entry><link href=\"&x;\"/></entry>", declaration: declaration)
    #expect(Self.outcome(attribute.utf8).error?.code == .malformed)
  }

  @Test(arguments: ["entry", "other"]) func `refuses 300,000 elements inside of each other`(
    name: String
  ) {
    let text = Self.feed(String(repeating: "<\(name)>", count: 300_000))
    let (error, ids) = Self.outcome(text.utf8)
    #expect(error?.code == .limit)
    #expect(error?.line == 1)
    #expect(ids == ["before"])
  }

  @Test func `takes as many elements inside of each other as the limit says, and no more`() {
    var limits = FeedLimits()
    limits.depthMax = 10
    for (count, code) in [(8, nil), (9, FeedError.Code.limit)] {
      let text = Self.feed(
        "<entry>" + String(repeating: "<x>", count: count) + String(repeating: "</x>", count: count)
          + "</entry>")
      #expect(Self.outcome(text.utf8, limits: limits).error?.code == code)
    }
  }

  @Test func `takes as many names of elements and attributes as the limit says, and no more`() {
    var limits = FeedLimits()
    limits.namesMax = 20
    for (count, code) in [(10, nil), (30, FeedError.Code.limit)] {
      let text = Self.feed("<entry>" + (0..<count).map { "<x\($0)/>" }.joined() + "</entry>")
      #expect(Self.outcome(text.utf8, limits: limits).error?.code == code)
    }
  }

  @Test func `refuses an attribute, a text, an entry and a document that are too long`() {
    var limits = FeedLimits()
    limits.fieldBytesMax = 10_000
    limits.elementBytesMax = 100_000
    limits.documentBytesMax = 1_000_000
    func text(_ count: Int) -> String { String(repeating: "x", count: count) }
    let cases: [(String, Bool)] = [
      ("<entry><title>\(text(9_900))</title></entry>", true),
      ("<entry><title>\(text(10_001))</title></entry>", false),
      ("<entry><title>\(text(5_000))<b/>\(text(5_001))</title></entry>", false),
      ("<entry><title><![CDATA[\(text(10_001))]]></title></entry>", false),
      ("<entry><link href=\"\(text(10_000))\"/></entry>", true),
      ("<entry><link href=\"\(text(10_001))\"/></entry>", false),
      ("<link href=\"\(text(10_001))\"/>", false),
      ("<entry>\(String(repeating: "<a/>", count: 4_000))</entry>", true),
      ("<entry>\(String(repeating: "<a/>", count: 5_000))</entry>", false),
      (String(repeating: "<entry/>", count: 124_000), true),
      (String(repeating: "<entry/>", count: 126_000), false),
      ("<!--\(text(999_000))-->", true), ("<!--\(text(1_000_000))-->", false),
      ("<other>\(text(999_000))</other>", true),
    ]
    for (index, (inside, isTaken)) in cases.enumerated() {
      let (error, ids) = Self.outcome(Self.feed(inside).utf8, limits: limits)
      #expect(error?.code == (isTaken ? nil : .limit), "case \(index): \(error as Any)")
      #expect(ids.first == "before")
    }
  }

  @Test func `refuses names without end`() {
    let names = (0..<20_000).map { "<n\($0)/>" }.joined()
    #expect(Self.outcome(Self.feed("<entry>\(names)</entry>").utf8).error?.code == .limit)
    let attributes = (0..<20_000).map { " a\($0)=''" }.joined()
    #expect(Self.outcome(Self.feed("<entry><x\(attributes)/></entry>").utf8).error?.code == .limit)
  }

  @Test func `refuses a track without end`() {
    var limits = FeedLimits()
    limits.trackPointsMax = 1_000
    func gpx(_ count: Int) -> String {
      "<gpx><trk><trkseg>" + String(repeating: "<trkpt lat='1' lon='2'/>", count: count)
        + "</trkseg></trk></gpx>"
    }
    #expect(Self.outcome(gpx(1_000).utf8, limits: limits).error == nil)
    #expect(Self.outcome(gpx(1_001).utf8, limits: limits).error?.code == .limit)
  }

  @Test(arguments: [
    ("<entry><id>x</title></entry>", 21, "The tag <id> is open here, and </title>"),
    ("<entry><id>&nbsp;</id></entry>", 18, "XML has no entity &nbsp;"),
    ("<entry><id>a &b c</id></entry>", 16, "write it as &amp;"),
    ("<entry><id>1 < 2</id></entry>", 15, "A name is missing here"),
    ("<entry><id>&#xZ;</id></entry>", 15, "The number after &#"),
    ("<entry><link href/></entry>", 18, "The attribute href has no value."),
    ("<entry><link href=x/></entry>", 19, "not between quotes"),
    ("<entry><link href=\"x/></entry>", 23, "a quote may be missing before"),
    ("<entry a=\"1\" a=\"2\"/>", 19, "The attribute a appears twice"),
    ("<entry><id>\u{1}</id></entry>", 12, "XML does not allow this character"),
    ("<entry>]]></entry>", 8, "A ]]> here ends nothing"),
    ("<!-- a -- b -->", 8, "A comment has --"),
    ("<?xml version='1.0'?>", 6, "the first thing in a document"),
    ("</feed><feed>", 8, "follows the last closing tag"),
    ("<!ENTITY x 'y'>", 1, "The XML is malformed here."),
  ])
  func `says what is malformed in words of its own, and where`(
    text: String, column: Int, says: String
  ) {
    let (error, ids) = Self.outcome(Self.feed("\n" + text).utf8)
    #expect(error?.code == .malformed)
    #expect(error?.message.contains(says) == true, "\(error as Any)")
    #expect(error?.line == 2)
    #expect(error?.column == column)
    #expect(ids == ["before"])
  }

  /// Bytes turned, dropped, doubled: an error or a feed, never a trap.
  @Test func `survives damage anywhere`() {
    var errors = 0
    for (index, sample) in Samples.all.values.sorted().enumerated() {
      for seed in 0..<400 {
        var random = Seeded(UInt64(index * 10_000 + seed))
        var bytes = Array(sample.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let place = Int.random(in: 0..<bytes.count, using: &random)
          switch Int.random(in: 0..<4, using: &random) {
          case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
          case 1: bytes.remove(at: place)
          case 2: bytes.insert(contentsOf: bytes[place...].prefix(50), at: place)
          default: bytes.removeSubrange(place..<min(bytes.count, place + 50))
          }
        }
        if Self.outcome(bytes, piece: 50).error != nil { errors += 1 }
      }
    }
    #expect(errors > 500)
  }
}
