import Foundation
import Reunion
import ReunionCore

/// An earthquake, or another event that shook the ground, as a feed tells of it.
struct Quake: Entity, Equatable {
  let id: RecordID
  /// What the feed calls it, "urn:earthquake-usgs-gov:us:6000tij5".
  var event = ""
  /// Where, in words: "63 km SE of Hihifo, Tonga".
  var place = ""
  /// "Earthquake", or what else it was: "Explosion", "Quarry Blast".
  var kind = "Earthquake"
  /// None where it is not known yet.
  var magnitude: Double?
  /// When the ground shook.
  var at = Date(timeIntervalSince1970: 0)
  /// When the feed last changed what it says of it.
  var updatedAt: Date?
  /// Degrees north, WGS 84.
  var latitude = 0.0
  /// Degrees east, -180 to 180.
  var longitude = 0.0
  /// Kilometres below sea level; a few are above, and then it is negative.
  var depth: Double?
  /// A page about it.
  var page = ""
  /// Which feed names it: a hash of the feed's address.
  var feed = ""

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Quake>(
    2, "quake",
    [
      .field(1, "event", \.event), .field(2, "place", \.place), .field(3, "kind", \.kind),
      .field(4, "magnitude", \.magnitude), .field(5, "at", \.at),
      .field(6, "updatedAt", \.updatedAt), .field(7, "latitude", \.latitude),
      .field(8, "longitude", \.longitude), .field(9, "depth", \.depth), .field(10, "page", \.page),
      .field(11, "feed", \.feed),
    ])

  /// The record of an event: the same name always makes the same id, so that a quake that the feed
  /// tells of again is updated in place.
  static func id(of event: String) -> RecordID {
    let hash = SHA256.hash(Array("quake \(event)".utf8))
    return RecordID(bytes: Array(hash[..<16])) ?? RecordID(high: 0, low: 0)
  }
}
