/// Which word each number of a name in a document stands for.
struct Vocabulary {
  private var words: [FeedWord] = []
  private var attributes: [AttributeWord] = []
  /// What elements without a namespace are taken for: those of RSS have none.
  var plainPrefix = "rss"

  /// Learns the names that are new.
  @inline(__always)
  mutating func learn(_ names: [QualifiedName]) {
    if names.count > words.count { learnMore(names) }
  }

  @inline(__always) subscript(element: ElementView) -> FeedWord { words[element.name] }
  @inline(__always) subscript(attribute number: Int) -> AttributeWord { attributes[number] }

  @inline(never)
  private mutating func learnMore(_ names: [QualifiedName]) {
    for name in names[words.count...] {
      words.append(word(name))
      attributes.append(
        AttributeWord(
          rawValue: name.namespace == Self.rdf ? "rdf:\(name.local)" : name.local) ?? .other)
    }
  }

  private func word(_ name: QualifiedName) -> FeedWord {
    let prefix = name.namespace.map(Self.prefix) ?? plainPrefix
    return prefix.flatMap { FeedWord(rawValue: "\($0):\(name.local)") } ?? .other
  }

  private static let rdf = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"

  private static func prefix(_ namespace: String) -> String? {
    if let known = prefixes[namespace] { return known }
    let families = [
      ("http://www.topografix.com/GPX/", "gpx"), ("http://www.opengis.net/kml/", "kml"),
      ("http://earth.google.com/kml/", "kml"), ("http://www.opengis.net/gml", "gml"),
    ]
    return families.first { namespace.hasPrefix($0.0) }?.1
  }

  private static let prefixes = [
    "http://www.w3.org/2005/Atom": "atom",
    rdf: "rdf",
    "http://purl.org/rss/1.0/": "rss",
    "http://my.netscape.com/rdf/simple/0.9/": "rss",
    "http://backend.userland.com/rss2": "rss",
    "http://purl.org/rss/1.0/modules/content/": "content",
    "http://purl.org/dc/elements/1.1/": "dc",
    "http://search.yahoo.com/mrss/": "media",
    "http://www.georss.org/georss": "georss",
    "http://www.w3.org/2003/01/geo/wgs84_pos#": "geo",
    "http://www.google.com/kml/ext/2.2": "gx",
  ]
}
