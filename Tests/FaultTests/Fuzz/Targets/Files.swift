import Foundation
import ReunionCore
import ReunionFeeds
import ReunionStore
import ReunionTesting
import ReunionTools

/// Files that somebody gave: feeds, archives, backups.
extension FuzzTarget {
  private static let atom = """
    <?xml version="1.0" encoding="UTF-8"?>
    <feed xmlns="http://www.w3.org/2005/Atom" xmlns:georss="http://www.georss.org/georss">
    <title>Quakes</title><updated>2026-11-21T18:04:11Z</updated><id>urn:feed</id>
    <entry><id>urn:1</id><title type="html">M 4.6 &amp;deg; &#128674;</title>
    <updated>2026-11-21T17:58:20.040-01:30</updated><link rel="alternate" href="/x?a=1&amp;b=2"/>
    <summary type="html"><![CDATA[<dl><dt>Depth</dt><dd>32.40 km</dd></dl>]]></summary>
    <georss:point>54.9351 -159.7934</georss:point><georss:elev>-32400</georss:elev>
    <category label="Age" term="Past Hour"/></entry></feed>
    """
  private static let rss = """
    <?xml version="1.0"?><!DOCTYPE rss><rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/">
    <channel><title>Trail</title><item><title>Bridge</title><guid isPermaLink="false">12</guid>
    <description>&lt;p&gt;gone&lt;/p&gt;</description><pubDate>Sat, 07 Mar 2026 08:00:00 GMT</pubDate>
    <enclosure url="a.mp3" length="12" type="audio/mpeg"/></item></channel></rss>
    """
  private static let gpx = """
    <gpx version="1.1" creator="me"><wpt lat="54.1" lon="-8"><ele>12.5</ele><name>A</name></wpt>
    <trk><name>T</name><trkseg><trkpt lat="1" lon="2"><time>2026-03-01T12:00:00Z</time></trkpt>
    <trkpt lat="90" lon="180"/></trkseg></trk></gpx>
    """
  private static let kml = """
    <kml xmlns="http://www.opengis.net/kml/2.2"><Document><Placemark id="p"><name>A</name>
    <Point><coordinates>-8.5,54.1,12</coordinates></Point></Placemark><Placemark><LineString>
    <coordinates>1,2 3,4,5</coordinates></LineString></Placemark></Document></kml>
    """

  static let feeds = FuzzTarget(
    name: "feeds", inputsInFull: 100_000, bytesMax: 16 << 10,
    words: [
      "<", ">", "</", "/>", "<!--", "-->", "<![CDATA[", "]]>", "&#x", "&amp;", "&x;", "<?", "?>",
      "<!DOCTYPE", "<!ENTITY", "<entry>", "</entry>", "<item>", "<trkpt", "xmlns=\"", "\u{0}",
      "UTF-16", "ISO-8859-1", "\u{fffd}", "9999-12-31T23:59:60Z", "-",
    ],
    samples: { [atom, rss, gpx, kml].map { [UInt8]($0) } }
  ) {
    { bytes in
      let parser = FeedParser()
      var rest = bytes[...]
      while !rest.isEmpty {
        try parser.push(Array(rest.prefix(500))) { _ in }
        rest = rest.dropFirst(500)
      }
      try parser.finish { _ in }
    }
  }

  /// A folder whose files are inputs, each with its place before it; a store is made of it.
  private struct Bundle: Sendable {
    let folder: URL
    let names: [String]

    init(_ folder: URL) throws {
      self.folder = folder
      names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted().filter {
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(
          atPath: folder.appending(path: $0).path, isDirectory: &isFolder)
        return !isFolder.boolValue
      }
    }

    var samples: [[UInt8]] {
      get throws {
        try names.enumerated().map { number, name in
          [UInt8(number)] + (try Data(contentsOf: folder.appending(path: name)))
        }
      }
    }

    /// Reads the folder with one file replaced, and puts that back.
    func with(
      _ input: [UInt8], mend: (URL, String, [UInt8]) throws -> Void = { _, _, _ in },
      _ body: () throws -> Void
    ) throws {
      guard let number = input.first, !names.isEmpty else { return }
      let name = names[Int(number & 127) % names.count]
      let mended = ["SHA256SUMS", "archive.json"].filter(names.contains)
      let before = try (mended + [name]).map {
        ($0, try Data(contentsOf: folder.appending(path: $0)))
      }
      defer {
        for (name, bytes) in before { try? bytes.write(to: folder.appending(path: name)) }
      }
      try Data(input.dropFirst()).write(to: folder.appending(path: name))
      if number > 127 { try mend(folder, name, Array(input.dropFirst())) }
      try body()
    }
  }

  /// A store with a record of each kind and a blob, in a folder of its own.
  private static func store() throws -> URL {
    let folder = Scratch.folder().appending(path: "store")
    let store = try Store.open(folder: folder.path, model: model)
    let file = try store.blobs.add([UInt8](0...99))
    for number in 0..<6 {
      try store.write(in: space) { transaction in
        _ = try transaction.create(Doc.self) {
          $0.text = "Doc \(number) é"
          $0.number = number
          $0.bytes = [1, 2, 3]
          $0.file = file
        }
      }
    }
    try store.close()
    return folder
  }

  private static let archive = Result {
    let store = try FuzzTarget.store()
    let folder = store.deletingLastPathComponent().appending(path: "archive")
    _ = try Archive.export(store.path, to: folder.path)
    return try Bundle(folder)
  }

  /// Of half of the inputs the sums are those of the changed file: somebody who means harm writes them anew.
  private static func mendSums(_ folder: URL, _ name: String, _ bytes: [UInt8]) throws {
    let sums = folder.appending(path: "SHA256SUMS")
    let header = folder.appending(path: "archive.json")
    func hash(_ bytes: some Sequence<UInt8>) -> String { BlobHash(of: Array(bytes)).description }
    var text = try String(contentsOf: sums, encoding: .utf8)
    let old = hash(Array(text.utf8))
    let lines = text.split(separator: "\n").map { line in
      line.hasSuffix("  \(name)") ? "\(hash(bytes))  \(name)" : String(line)
    }
    if name != "SHA256SUMS" { text = lines.joined(separator: "\n") + "\n" }
    try Data(text.utf8).write(to: sums)
    let told = try String(contentsOf: header, encoding: .utf8)
    try Data(told.replacing(old, with: hash(Array(text.utf8))).utf8).write(to: header)
  }

  static let archives = FuzzTarget(
    name: "archives", inputsInFull: 12_000, inputsPerReader: 100,
    words: [
      "\"", "{", "}", "[", "]", ",", ":", "null", "-1", "1e999", "18446744073709551616",
      "../../etc/passwd", "\\u0000", "\n", "spaces/", "blobs/", "true", "\"seq\":", "\"site\":",
    ],
    samples: {
      let samples = try archive.get().samples
      return samples + samples.map { [$0[0] | 128] + $0.dropFirst() }
    }
  ) {
    let bundle = try archive.get()
    let target = Scratch.folder().appending(path: "made")
    return { input in
      defer { try? FileManager.default.removeItem(at: target) }
      try bundle.with(input, mend: mendSums) {
        _ = try Archive.import(bundle.folder.path, to: target.path)
        try look(into: target)
      }
    }
  }

  /// What was made must be a store that can be read whole.
  private static func look(into folder: URL) throws {
    let made = try Store.open(folder: folder.path, model: model)
    for doc in try made.fetch(Query<Doc>(in: space)) { _ = doc.text.count }
    _ = try made.digest(of: space)
    try made.close()
  }

  private static let backup = Result {
    let store = try FuzzTarget.store()
    let folder = store.deletingLastPathComponent().appending(path: "backup")
    _ = try Backup.make(of: store.path, in: folder.path)
    return try Bundle(folder)
  }

  static let backups = FuzzTarget(
    name: "backups", inputsInFull: 8_000, inputsPerReader: 100, bytesMax: 1 << 20,
    samples: { try backup.get().samples }
  ) {
    let bundle = try backup.get()
    let target = Scratch.folder().appending(path: "made")
    return { input in
      defer { try? FileManager.default.removeItem(at: target) }
      try bundle.with(input) {
        _ = try Verification(folder: bundle.folder.path)
        _ = try Backup.restore(bundle.folder.path, to: target.path)
        try look(into: target)
      }
    }
  }
}
