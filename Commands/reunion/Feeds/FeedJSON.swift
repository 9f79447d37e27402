import Foundation
import Reunion
import ReunionFeeds

/// What an entry has several of, as JSON in a text field: `json_each` of `reunion sql` reads it.
enum FeedJSON {
  static func links(_ links: [FeedLink]) -> String {
    text(
      links.map { link in
        [
          "address": link.address, "relation": link.relation, "mediaType": link.mediaType,
          "title": link.title, "byteCount": link.byteCount,
        ]
      })
  }

  static func people(_ people: [FeedPerson]) -> String {
    text(people.map { ["name": $0.name, "email": $0.email, "address": $0.address] })
  }

  static func categories(_ categories: [FeedCategory]) -> String {
    text(categories.map { ["term": $0.term, "scheme": $0.scheme, "label": $0.label] })
  }

  /// A feature of GeoJSON, RFC 7946, with the times beside its coordinates.
  static func track(_ track: FeedTrack) -> [UInt8] {
    var properties: [String: Any] = [:]
    if track.segments.contains(where: { $0.contains { $0.time != nil } }) {
      properties["coordTimes"] = track.segments.map { segment in
        segment.map { point -> Any in
          point.time.map { $0.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)) }
            ?? NSNull()
        }
      }
    }
    let lines = track.segments.map { segment in
      segment.map { point in
        [point.location.longitude, point.location.latitude]
          + (point.location.elevation.map { [$0] } ?? [])
      }
    }
    return Array(
      data([
        "type": "Feature", "properties": properties,
        "geometry": ["type": "MultiLineString", "coordinates": lines],
      ]))
  }

  /// Empty for an empty list, so that most records have nothing there.
  private static func text(_ objects: [[String: Any?]]) -> String {
    guard !objects.isEmpty else { return "" }
    var held = objects.map { $0.compactMapValues { $0 } }
    var text = String(decoding: data(held), as: UTF8.self)
    // Half a list would be none: what does not fit goes from its end.
    while text.utf8.count > Value.bytesMax {
      held.removeLast((held.count + 1) / 2)
      text = String(decoding: data(held), as: UTF8.self)
    }
    return text
  }

  private static func data(_ object: Any) -> Data {
    (try? JSONSerialization.data(
      withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])) ?? Data()
  }
}
