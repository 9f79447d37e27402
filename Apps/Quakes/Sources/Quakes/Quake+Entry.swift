import Foundation
import Reunion
import ReunionFeeds

extension Quake {
  /// What an entry of a feed tells; nil where it names no place on earth, or no time.
  init?(_ entry: FeedEntry, feed: String) {
    guard let location = entry.location, abs(location.latitude) <= 90,
      abs(location.longitude) <= 180,
      let at = Self.time(in: entry.summary?.text ?? "") ?? entry.published ?? entry.updated
    else { return nil }
    self.init(id: Self.id(of: entry.id))
    self.at = Self.toTheMillisecond(at)
    (kind, magnitude, place) = Self.parts(of: entry.title)
    event = entry.id
    updatedAt = entry.updated.map(Self.toTheMillisecond)
    latitude = location.latitude
    longitude = location.longitude
    depth = location.elevation.map { -$0 / 1000 }
    // A link of a feed is somebody else's word: only a page of the web is shown as one.
    page =
      entry.link.flatMap { $0.hasPrefix("https://") || $0.hasPrefix("http://") ? $0 : nil } ?? ""
    self.feed = feed
  }

  /// As a store keeps dates: a quake that is read again equals the one that is stored.
  private static func toTheMillisecond(_ date: Date) -> Date {
    Date(timeIntervalSince1970: (date.timeIntervalSince1970 * 1000).rounded() / 1000)
  }

  /// Takes "M 4.6 - 63 km SE of Hihifo" and "M ? Quarry Blast - 5 km N of Butte" apart. A title of
  /// another form is the place as it stands.
  static func parts(of title: String) -> (kind: String, magnitude: Double?, place: String) {
    guard title.hasPrefix("M "), let dash = title.range(of: " - ") else {
      return ("Earthquake", nil, title)
    }
    let words = title[..<dash.lowerBound].split(separator: " ").dropFirst()
    let kind = words.dropFirst().joined(separator: " ")
    let magnitude = words.first.flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
    return (kind.isEmpty ? "Earthquake" : kind, magnitude, String(title[dash.upperBound...]))
  }

  /// The first "2026-08-06 10:41:12 UTC" of a summary; nil for a day or an hour that there is not.
  static func time(in summary: String) -> Date? {
    guard let zone = summary.range(of: " UTC") else { return nil }
    let stamp = String(summary[..<zone.lowerBound].suffix(19)).replacing(" ", with: "T") + "Z"
    guard let date = try? Date(stamp, strategy: .iso8601),
      Date.ISO8601FormatStyle().format(date) == stamp
    else { return nil }
    return date
  }
}
