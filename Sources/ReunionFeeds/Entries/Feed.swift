public import FoundationEssentials

/// What a feed says about itself.
public struct Feed: Sendable, Hashable {
  /// A format that the parser reads.
  public enum Format: String, Sendable, Hashable {
    /// Atom, RFC 4287.
    case atom
    /// RSS 0.91 to 2.0.
    case rss
    /// RSS 1.0 and 0.90, which are RDF.
    case rdf
    /// GPX 1.0 and 1.1: waypoints, routes and tracks of a receiver.
    case gpx
    /// KML 2.x: placemarks.
    case kml
  }

  /// What it is written in.
  public var format: Format
  /// A permanent name for the feed; empty if the format has no such thing.
  public var id = ""
  /// The title as plain text; empty for none.
  public var title = ""
  /// What it is about; empty for none.
  public var subtitle = ""
  /// Addresses, as the document has them.
  public var links: [FeedLink] = []
  /// When anything in it last changed.
  public var updated: Date?

  /// Creates a feed with nothing but its format.
  public init(_ format: Format) { self.format = format }
}
