import Foundation
import Reunion
import ReunionFeeds

/// An entry of a feed as a record.
struct FeedEntryRecord: Entity, Equatable {
  let id: RecordID
  var feed: Reference<FeedRecord>?
  /// The id that the feed gives it.
  var entryID = ""
  var title = ""
  var link = ""
  var summary = ""
  /// `plain`, `html`, `xhtml` or a media type; empty for no summary.
  var summaryKind = ""
  var content = ""
  var contentKind = ""
  /// A content of more than 512 KiB, which `content` has the beginning of.
  var longContent: Blob?
  var published: Date?
  var updated: Date?
  /// Degrees north and east, and metres.
  var latitude: Double?
  var longitude: Double?
  var elevation: Double?
  /// Lists of JSON, as the feed has them.
  var links = ""
  var authors = ""
  var categories = ""
  var enclosures = ""
  /// The way as GeoJSON: a feature with a line for each segment, and its times as `coordTimes`.
  var track: Blob?

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<FeedEntryRecord>(
    16_777_204, "reunion_feedEntry",
    [
      .field(1, "feed", \.feed), .field(2, "entryID", \.entryID),
      .field(3, "title", \.title, .searchable), .field(4, "link", \.link),
      .field(5, "summary", \.summary, .searchable), .field(6, "summaryKind", \.summaryKind),
      .field(7, "content", \.content), .field(8, "contentKind", \.contentKind),
      .field(9, "longContent", \.longContent), .field(10, "published", \.published),
      .field(11, "updated", \.updated), .field(12, "latitude", \.latitude),
      .field(13, "longitude", \.longitude), .field(14, "elevation", \.elevation),
      .field(15, "links", \.links), .field(16, "authors", \.authors),
      .field(17, "categories", \.categories), .field(18, "enclosures", \.enclosures),
      .field(19, "track", \.track),
    ])

  /// The record of an entry; its id is derived from the feed's root and the entry's id.
  init(_ entry: FeedEntry, of feed: FeedRecord) {
    self.init(id: .derived(from: ["feed entry", feed.root, entry.id]))
    self.feed = Reference(feed)
    entryID = entry.id.fitting
    title = entry.title.fitting
    link = entry.link?.fitting ?? ""
    summary = entry.summary?.text.fitting ?? ""
    summaryKind = entry.summary?.kind.name ?? ""
    content = entry.content?.text.fitting ?? ""
    contentKind = entry.content?.kind.name ?? ""
    if let text = entry.content?.text, text.utf8.count > Value.bytesMax {
      longContent = Blob(Array(text.utf8))
    }
    published = entry.published?.inMilliseconds
    updated = entry.updated?.inMilliseconds
    latitude = entry.location?.latitude
    longitude = entry.location?.longitude
    elevation = entry.location?.elevation
    links = FeedJSON.links(entry.links)
    authors = FeedJSON.people(entry.authors)
    categories = FeedJSON.categories(entry.categories)
    enclosures = FeedJSON.links(entry.enclosures)
    track = entry.track.map { Blob(FeedJSON.track($0)) }
  }
}

extension FeedText.Kind {
  fileprivate var name: String {
    switch self {
    case .plain: "plain"
    case .html: "html"
    case .xhtml: "xhtml"
    case .media(let type): type
    }
  }
}
