import Foundation
import Measuring

/// A feed of earthquakes of 100 MB, or of FEED_MB, as USGS writes them; the same on every run.
enum QuakeFeed {
  static let megabytes = ProcessInfo.processInfo.environment["FEED_MB"].flatMap { Int($0) } ?? 100
  static let bytes = megabytes << 20
  static let path = ".build/bench/quakes-\(megabytes).atom"

  /// Writes the file where it is not there yet, and returns its size.
  static func make() throws -> Int {
    let folder = URL(filePath: path).deletingLastPathComponent()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
    if let size, size >= bytes { return size }
    guard let file = fopen(path, "w") else { fatalError("\(path) cannot be written") }
    defer { fclose(file) }
    var written = write(head, to: file)
    var number: UInt64 = 0
    while written < bytes {
      written += write(entry(number), to: file)
      number += 1
    }
    return written + write("</feed>\n", to: file)
  }

  private static func write(_ text: String, to file: UnsafeMutablePointer<FILE>) -> Int {
    let bytes = Array(text.utf8)
    return fwrite(bytes, 1, bytes.count, file)
  }

  private static let head = """
    <?xml version="1.0" encoding="UTF-8"?>
    <feed xmlns="http://www.w3.org/2005/Atom" xmlns:georss="http://www.georss.org/georss">\
    <title>Earthquakes</title><updated>2026-11-21T18:04:11Z</updated><id>urn:quakes</id>

    """

  private static let places = [
    "Guánica, Puerto Rico", "Sand Point, Alaska", "Ōfunato, Japan", "The Geysers, CA",
    "Ñuñoa, Chile", "宮城県沖",
  ]

  private static func entry(_ number: UInt64) -> String {
    func part(_ salt: UInt64, _ below: UInt64) -> UInt64 {
      let mixed = (number &+ salt) &* 0x9E37_79B9_7F4A_7C15
      return (mixed ^ mixed >> 29) % below
    }
    func two(_ number: UInt64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let magnitude = "\(part(1, 8)).\(part(2, 10))"
    let place = places[Int(part(3, 6))]
    let time =
      "2026-\(two(1 + part(4, 12)))-\(two(1 + part(5, 28)))T\(two(part(6, 24))):\(two(part(7, 60))):\(two(part(8, 60))).\(100 + part(9, 900))Z"
    let address = "https://earthquake.example/eventpage/us\(7_000_000 + number)"
    let depth = part(10, 70_000)
    return """
      <entry><id>urn:earthquake:us:\(7_000_000 + number)</id><title>M \(magnitude) - \(part(11, 90)) km SE of \(place)</title>\
      <updated>\(time)</updated><link rel="alternate" type="text/html" href="\(address)"/>\
      <summary type="html"><![CDATA[<dl><dt>Time</dt><dd>\(time)</dd><dt>Location</dt><dd>\(place) &deg;</dd><dt>Depth</dt><dd>\(depth / 1000) km</dd></dl>]]></summary>\
      <georss:point>\(Int64(part(12, 160)) - 80).\(1000 + part(13, 9000)) \(Int64(part(14, 340)) - 170).\(1000 + part(15, 9000))</georss:point>\
      <georss:elev>-\(depth)</georss:elev><category label="Age" term="Past Day"/><category label="Magnitude" term="Magnitude \(part(1, 8))"/></entry>

      """
  }

  /// Reads the file in pieces of 64 KiB.
  static func read(_ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { fatalError("\(path) cannot be read") }
    defer { close(descriptor) }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
    defer { buffer.deallocate() }
    while case let count = Foundation.read(descriptor, buffer.baseAddress, buffer.count), count > 0
    {
      try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]).bindMemory(to: UInt8.self))
    }
  }
}
