/// Makes entries of what the push parser hands out, in whichever format the root says.
final class FeedReader: XMLPushHandler {
  private(set) var feed: Feed?
  /// What the entries go to; set while bytes are pushed.
  var receive: ((FeedEntry) throws -> Void)?
  private let limits: FeedLimits
  private var words = Vocabulary()
  private var gpx = GPXFormat()
  private var names = EntryNames()
  /// The elements that were entered.
  private var path: [FeedWord] = []

  init(limits: FeedLimits) { self.limits = limits }

  var sharedIDCount: Int { names.sharedCount }

  func interest(in tag: ParsedElement) throws -> XMLInterest {
    guard let format = feed?.format else { return try root(tag) }
    words.learn(tag.tree.storage.pointee.names)
    let word = words[tag.view]
    let interest = Self.interest(word, format)
    if interest == .enter { enter(word) }
    return interest
  }

  func collected(_ element: ParsedElement) throws {
    defer { withExtendedLifetime(element) {} }
    words.learn(element.tree.storage.pointee.names)
    let view = element.view
    switch words[view] {
    case .atomEntry: try hand(out: AtomFormat.entry(view, words))
    case .item: try hand(out: RSSFormat.entry(view, words))
    case .kmlPlacemark: try hand(out: KMLFormat.entry(view, words))
    case .gpxWaypoint: try hand(out: GPXFormat.waypoint(view, words))
    case .gpxTrackPoint, .gpxRoutePoint:
      gpx.append(view, words)
      if gpx.exceeds(limits.trackPointsMax) {
        throw Objection(.limit, "A track has more than \(limits.trackPointsMax) points.")
      }
    default: describe(view)
    }
  }

  func left() throws {
    guard let word = path.popLast(), let entry = gpx.left(word) else { return }
    try hand(out: entry)
  }

  private func root(_ tag: ParsedElement) throws -> XMLInterest {
    if tag.namespace == nil, let prefix = ["feed": "atom", "gpx": "gpx", "kml": "kml"][tag.name] {
      words.plainPrefix = prefix
    }
    words.learn(tag.tree.storage.pointee.names)
    let word = words[tag.view]
    switch word {
    case .atomFeed, .atomEntry: feed = Feed(.atom)
    case .rss: feed = Feed(.rss)
    case .rdf: feed = Feed(.rdf)
    case .gpx: feed = Feed(.gpx)
    case .kml: feed = Feed(.kml)
    default:
      let found = tag.name.lowercased() == "html" ? "is a web page" : "begins with <\(tag.name)>"
      throw Objection(
        .notAFeed, "The document \(found). Give one in Atom, RSS, GPX or KML.")
    }
    if word == .atomEntry { return .collect }
    enter(word)
    return .enter
  }

  private func enter(_ word: FeedWord) {
    path.append(word)
    gpx.entered(word)
  }

  private func describe(_ element: ElementView) {
    guard var feed else { return }
    switch feed.format {
    case .atom: AtomFormat.describe(&feed, element, words)
    case .rss, .rdf: RSSFormat.describe(&feed, element, words)
    case .kml: KMLFormat.describe(&feed, element, words)
    case .gpx:
      if !gpx.describe(element, words) { GPXFormat.describe(&feed, element, words) }
    }
    self.feed = feed
  }

  private func hand(out entry: FeedEntry) throws {
    let named = names.name(entry, of: feed)
    guard names.count <= limits.idsMax else {
      throw Objection(.limit, "The document has more than \(limits.idsMax) ids of entries.")
    }
    try receive?(named)
  }

  private static func interest(_ word: FeedWord, _ format: Feed.Format) -> XMLInterest {
    switch format {
    case .atom: AtomFormat.interest(word)
    case .rss, .rdf: RSSFormat.interest(word)
    case .gpx: GPXFormat.interest(word)
    case .kml: KMLFormat.interest(word)
    }
  }
}
