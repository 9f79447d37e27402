public import FoundationEssentials

/// One entry of a feed: an article, an earthquake, a place, a track.
///
/// ```swift
/// let rss = "<rss version='2.0'><channel><item><title>Tides</title></item></channel></rss>"
/// for entry in try FeedParser.entries(of: rss.utf8) {
///   print(entry.id, entry.title, entry.link ?? "no page", entry.published ?? .distantPast)
/// }
/// ```
///
/// Whatever its format, an entry has the same fields; what a feed does not say is nil or empty. All
/// of it comes from a stranger: show no text as HTML before it was cleaned, and follow no address
/// unasked.
public struct FeedEntry: Sendable, Hashable {
  /// A permanent name for the entry; never empty.
  ///
  /// Atom's id, RSS' guid or `rdf:about`, KML's id. If an entry has none, it is the address of its
  /// first link, unless that is the feed's own, or else `sha256:` and a hash of its title, text,
  /// times and places. It is such a hash, too, if an entry with other contents had the id before it
  /// in the document.
  public var id = ""
  /// The title as plain text; empty for none.
  public var title = ""
  /// Addresses, as the document has them: relative ones are not resolved.
  public var links: [FeedLink] = []
  /// Atom's summary, RSS' description, GPX' and KML's description.
  public var summary: FeedText?
  /// The whole text, if the feed has it: Atom's content, `content:encoded`.
  public var content: FeedText?
  /// The people who wrote it.
  public var authors: [FeedPerson] = []
  /// When it first came out: Atom's published, RSS' pubDate, the time of a waypoint.
  public var published: Date?
  /// When it last changed: Atom's updated, `dc:date`.
  public var updated: Date?
  /// What it is about.
  public var categories: [FeedCategory] = []
  /// Files that belong to it, such as an episode.
  public var enclosures: [FeedLink] = []
  /// Where it is: GeoRSS, W3C geo, a GML point, a waypoint, a placemark.
  public var location: FeedLocation?
  /// The path that it describes: GPX tracks and routes, KML lines and tracks.
  public var track: FeedTrack?

  /// Creates an entry with nothing but an id.
  public init(id: String = "") { self.id = id }

  /// The address of the page about the entry: the alternate link, or else the first one.
  public var link: String? {
    (links.first { $0.relation == "alternate" } ?? links.first)?.address
  }
}
