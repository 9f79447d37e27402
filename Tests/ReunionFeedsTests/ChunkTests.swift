import ReunionFeeds
import Testing

/// However a document is cut, what comes out is the same: entries, and the error with its place.
@Suite struct ChunkTests {
  struct Outcome: Equatable {
    var entries: [FeedEntry] = []
    var feed: Feed?
    var error: FeedError?
  }

  static func outcome(_ bytes: [UInt8], _ sizes: () -> Int) -> Outcome {
    let parser = FeedParser()
    var outcome = Outcome()
    do {
      var index = 0
      while index < bytes.count {
        let end = min(bytes.count, index + sizes())
        try parser.push(bytes[index..<end]) { outcome.entries.append($0) }
        index = end
      }
      try parser.finish { outcome.entries.append($0) }
    } catch {
      outcome.error = error as? FeedError
    }
    outcome.feed = parser.feed
    return outcome
  }

  static var documents: [(name: String, bytes: [UInt8])] {
    var documents = Samples.all.sorted { $0.key < $1.key }.map { ($0.key, Array($0.value.utf8)) }
    let withoutDeclaration = Samples.atom.drop { $0 != "\n" }.dropFirst()
    let little = withoutDeclaration.utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] }
    let big = withoutDeclaration.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
    documents += [
      ("UTF-8 with a mark", [0xEF, 0xBB, 0xBF] + Array(Samples.atom.utf8)),
      ("UTF-16, little-endian", [0xFF, 0xFE] + little), ("UTF-16, big-endian", [0xFE, 0xFF] + big),
      (
        "UTF-16 that is declared",
        [0xFE, 0xFF] + "<?xml version=\"1.0\" encoding=\"UTF-16\"?>".utf8.flatMap { [0, $0] } + big
      ),
      (
        "Latin-1",
        Array("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><rss><channel><item><title>Caf".utf8)
          + [0xE9, 0x20, 0xFC] + Array("</title><guid>1</guid></item></channel></rss>".utf8)
      ),
      ("a blank line", Array(("\n\n" + Samples.atom).utf8)),
      ("a mark and a blank line", [0xEF, 0xBB, 0xBF] + Array(("\r\n \t" + Samples.rss).utf8)),
      ("a blank line and a mark", [10, 0xEF, 0xBB, 0xBF, 10] + Array(Samples.kml.utf8)),
      ("two marks", [0xEF, 0xBB, 0xBF, 0xEF, 0xBB, 0xBF] + Array(Samples.gpx.utf8)),
      ("UTF-16, little-endian, with a blank line", [0xFF, 0xFE, 10, 0, 32, 0] + little),
      ("UTF-16, big-endian, with a blank line", [0xFE, 0xFF, 0, 13, 0, 10] + big),
      ("carriage returns", Array(Samples.rss.replacing("\n", with: "\r\n").utf8)),
      (
        "comments",
        Array("<rss><!-- - > <- & --><channel><item><guid>1</guid></item></channel></rss>".utf8)
      ),
    ]
    return documents
  }

  /// Documents that break: cut off, a wrong tag, a wrong byte, an unknown entity.
  static var broken: [(name: String, bytes: [UInt8])] {
    let quakes = Array(Samples.quakes.utf8)
    let tail = "<entry><id>3</id></entry></feed>"
    func with(_ text: String) -> [UInt8] {
      Array(Samples.quakes.replacing("</feed>", with: text + tail).utf8)
    }
    var documents = [
      ("wrong end tag", with("<entry><id>x</title></entry>")),
      ("unknown entity", with("<entry><title>a &eacute; b</title></entry>")),
      ("bare ampersand", with("<entry><title>a & b</title></entry>")),
      ("bare ampersand in an attribute", with("<link href=\"a&b\"/>")),
      ("attribute twice", with("<link href='a' href='b'/>")),
      ("attribute without quotes", with("<entry><link href=a/></entry>")),
      ("less-than in an attribute", with("<entry><link href='<'/></entry>")),
      ("control character", with("<entry><title>\u{1}</title></entry>")),
      ("zero in a text", with("<entry><title>a\u{0}b</title></entry>")),
      ("zero in a tag", with("<ent\u{0}ry><title>a</title></entry>")),
      ("zero between", with("\u{0}")),
      ("end of CDATA", with("<entry><title>a ]]> b</title></entry>")),
      ("comment", with("<!-- a -- b -->")), ("instruction", with("<?xml version='1.0'?>")),
      ("after the end", Array((Samples.quakes + "<more/>").utf8)),
      ("text after the end", Array((Samples.quakes + "more").utf8)),
      ("text before the declaration", Array(("\n x" + Samples.quakes).utf8)),
      ("half a mark", [10, 0xEF, 0xBB] + quakes), ("a mark alone", [0xEF, 0xBB, 0xBF, 10, 0xEF]),
      ("no XML", Array("Not found, sorry.".utf8)), ("nothing", []), ("one letter", [60]),
      ("spaces", Array("  \n ".utf8)),
      ("JSON", Array("{\"items\": []}".utf8)), ("zeros", [UInt8](repeating: 0, count: 100)),
      ("unknown encoding", Array("<?xml version='1.0' encoding='x-none'?><rss/>".utf8)),
    ]
    // A byte that is no UTF-8, in the title of the second entry.
    let place = quakes.firstRange(of: Array("Puerto".utf8))?.lowerBound ?? 0
    for bytes: [UInt8] in [[0xFF], [0xC3], [0xE5, 0xAE], [0xED, 0xA0, 0x80], [0xC0, 0x80]] {
      documents.append(
        ("bytes \(bytes)", Array(quakes[..<place]) + bytes + Array(quakes[place...])))
    }
    for count in stride(from: 1, to: quakes.count, by: 97) {
      documents.append(("cut at \(count)", Array(quakes[..<count])))
    }
    return documents
  }

  static func check(_ name: String, _ bytes: [UInt8]) -> Outcome {
    let whole = outcome(bytes) { bytes.count }
    for size in [1, 2, 3, 5, 7, 16, 63, 301, 1_000] {
      let cut = outcome(bytes) { size }
      #expect(cut == whole, "\(name) in pieces of \(size)")
    }
    for seed in 1...20 {
      var random = Seeded(UInt64(seed))
      let cut = outcome(bytes) {
        Int.random(in: 1...(1 << Int.random(in: 1...9, using: &random)), using: &random)
      }
      #expect(cut == whole, "\(name), seed \(seed)")
    }
    return whole
  }

  @Test func `gives the same entries however a document is cut`() {
    for (name, bytes) in Self.documents {
      let whole = Self.check(name, bytes)
      #expect(whole.error == nil, "\(name)")
      #expect(!whole.entries.isEmpty, "\(name)")
    }
    let atom = Self.outcome(Array(Samples.atom.utf8)) { 100 }.entries
    for (name, bytes) in Self.documents where name.hasPrefix("UTF") {
      #expect(Self.outcome(bytes) { 1 }.entries == atom, "\(name)")
    }
  }

  @Test func `gives the same error, at the same place, however a document is cut`() {
    for (name, bytes) in Self.broken {
      let whole = Self.check(name, bytes)
      #expect(whole.error != nil, "\(name)")
      if name.hasPrefix("cut") { #expect(whole.error?.code == .truncated, "\(name)") }
    }
  }

  @Test func `keeps the entries before an error, and says where it is`() {
    let (_, bytes) = Self.broken[0]
    let outcome = Self.outcome(bytes) { 10 }
    #expect(outcome.entries.count == 2)
    #expect(outcome.error?.code == .malformed)
    #expect(outcome.error?.line == 10)
    #expect(outcome.error?.column == 21)
    let cut = Self.outcome(Array(Samples.quakes.utf8.dropLast(4))) { 10 }
    #expect(cut.entries.count == 2)
    #expect(cut.error?.code == .truncated)
  }

  @Test func `counts the lines and columns that stood before a document`() {
    let (_, bytes) = Self.broken[0]
    let plain = Self.outcome(bytes) { 10 }.error
    for (before, line, column) in [("\n\n", 2, 0), ("\r\n \t\n", 2, 0), ("\u{FEFF}\n", 1, 0)] {
      let error = Self.outcome(Array(before.utf8) + bytes) { 3 }.error
      #expect(error?.line == (plain?.line ?? 0) + line)
      #expect(error?.column == (plain?.column ?? 0) + column)
    }
    let early = Self.outcome(Array("\n\n  <feed><a></b></feed>".utf8)) { 1 }.error
    let control = Self.outcome(Array("<feed><a></b></feed>".utf8)) { 1 }.error
    #expect(early?.line == 3 && early?.column == (control?.column ?? 0) + 2)
  }

  @Test func `the comparison sees one letter that differs (negative control)`() {
    let other = Samples.quakes.replacing("Guánica", with: "Guanica")
    let (one, two) = (
      Self.outcome(Array(Samples.quakes.utf8)) { 7 }, Self.outcome(Array(other.utf8)) { 7 }
    )
    #expect(one != two)
  }
}

/// Numbers that are the same again from the same seed: SplitMix64.
struct Seeded: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
