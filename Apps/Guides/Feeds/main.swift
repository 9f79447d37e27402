import Foundation
import ReunionFeeds

let quakes = """
  <feed xmlns="http://www.w3.org/2005/Atom" xmlns:georss="http://www.georss.org/georss">
    <title>Earthquakes</title>
    <entry><id>urn:quake:1</id><title>M 4.6 - 63 km SE of Sand Point, Alaska</title>
      <updated>2026-11-21T17:58:20.040Z</updated>
      <georss:point>54.9351 -159.7934</georss:point><georss:elev>-32400</georss:elev></entry>
    <entry><id>urn:quake:2</id><title>M 2.9 - 8 km S of Guánica, Puerto Rico</title>
      <georss:point>17.894 -66.911</georss:point></entry>
  </feed>
  """

for entry in try FeedParser.entries(of: quakes.utf8) {
  print(entry.title, "at", entry.location?.latitude ?? 0)
}

let parser = FeedParser()
for piece in [quakes.utf8.prefix(400), quakes.utf8.dropFirst(400)] {
  try parser.push(piece) { print("whole after \(parser.byteCount) bytes: \($0.id)") }
}
try parser.finish()
print(parser.feed?.title ?? "", parser.feed?.format.rawValue ?? "")

func newEntries(at address: URL, _ validators: inout FeedValidators) async throws -> [FeedEntry] {
  guard let download = try await FeedDownload.start(address, unless: validators) else { return [] }
  var entries: [FeedEntry] = []
  for try await entry in download.feedEntries() { entries.append(entry) }
  validators = download.validators
  return entries
}

do {
  let broken = quakes.replacingOccurrences(of: "M 2.9 - 8 km", with: "M 2.9 & 8 km")
  let parser = FeedParser()
  try parser.push(broken.utf8) { print("kept \($0.id)") }
  try parser.finish()
} catch let error as FeedError {
  print(error.code, "in line", error.line)
}

let way = """
  <gpx xmlns="http://www.topografix.com/GPX/1/1"><trk><name>Lap</name><trkseg>
    <trkpt lat="47.60" lon="-122.33"><ele>5</ele><time>2026-05-03T06:11:00Z</time></trkpt>
    <trkpt lat="47.61" lon="-122.34"><ele>6.25</ele><time>2026-05-03T06:12:00Z</time></trkpt>
  </trkseg></trk></gpx>
  """
for entry in try FeedParser.entries(of: way.utf8) {
  let points = entry.track?.segments.joined().map(\.location) ?? []
  print(entry.title, points.map { "\($0.latitude), \($0.longitude)" })
}

let books = """
  <list><book isbn="1"><title>Charts</title></book><book isbn="2"><title>Tides</title></book></list>
  """
let reader = XMLPushParser(collecting: "book") { book in
  print(book.attribute("isbn") ?? "", book.first("title")?.text ?? "")
}
try reader.push(books.utf8)
try reader.finish()
