import Foundation
import Reunion
import ReunionCore
import ReunionFeeds

/// A feed that was imported: where it comes from, and how far it is held.
struct FeedRecord: Entity, Equatable {
  let id: RecordID
  /// The address or the path, as it was given last.
  var source = ""
  /// What the feed calls itself for ever; empty where its format has no such thing.
  var feedID = ""
  var title = ""
  var subtitle = ""
  var link = ""
  var format = ""
  var updated: Date?
  /// What the server said when all of it had been imported, to ask with the next time.
  var entityTag = ""
  var lastModified = ""
  /// What its id and those of its entries are derived from, where that is not its source: a file that
  /// was moved, or that took the place of one.
  var origin = ""

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<FeedRecord>(
    16_777_203, "reunion_feed",
    [
      .field(1, "source", \.source), .field(2, "feedID", \.feedID), .field(3, "title", \.title),
      .field(4, "subtitle", \.subtitle), .field(5, "link", \.link), .field(6, "format", \.format),
      .field(7, "updated", \.updated), .field(8, "entityTag", \.entityTag),
      .field(9, "lastModified", \.lastModified), .field(10, "origin", \.origin),
    ])

  /// The record of the feed at a source; its id is derived from that, or from another origin.
  init(source: String, origin: String = "") {
    self.init(id: .derived(from: ["feed", origin.isEmpty ? source : origin]))
    (self.source, self.origin) = (source, origin)
  }

  /// What the ids of its entries are derived from.
  var root: String { origin.isEmpty ? source : origin }

  var isFile: Bool { !source.contains("://") }

  var validators: FeedValidators {
    get {
      FeedValidators(
        entityTag: entityTag.isEmpty ? nil : entityTag,
        lastModified: lastModified.isEmpty ? nil : lastModified)
    }
    set {
      entityTag = newValue.entityTag ?? ""
      lastModified = newValue.lastModified ?? ""
    }
  }

  /// Takes what the feed says of itself.
  mutating func take(_ feed: Feed) {
    feedID = feed.id.fitting
    title = feed.title.fitting
    subtitle = feed.subtitle.fitting
    link =
      (feed.links.first { $0.relation == "alternate" } ?? feed.links.first)?.address.fitting ?? ""
    format = feed.format.rawValue
    updated = feed.updated?.inMilliseconds
  }
}

extension RecordID {
  /// The id that names the same thing on every device: the first half of a SHA-256.
  static func derived(from parts: [String]) -> RecordID {
    let bytes = SHA256.hash(Array(parts.joined(separator: "\0").utf8))
    return RecordID(bytes: Array(bytes.prefix(16))) ?? RecordID(high: 0, low: 0)
  }
}

extension String {
  /// As much of it as a field holds, 512 KiB.
  var fitting: String {
    utf8.count <= Value.bytesMax
      ? self : String(decoding: utf8.prefix(Value.bytesMax - 3), as: UTF8.self)
  }
}

extension Date {
  /// As a field keeps it.
  var inMilliseconds: Date {
    Date(timeIntervalSince1970: (timeIntervalSince1970 * 1000).rounded() / 1000)
  }
}
