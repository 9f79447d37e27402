import CFeedHandler
import Foundation
import FoundationXML
import ReunionFeeds

/// The ways through the file. Each makes the same entries.
enum Route: String, CaseIterable {
  /// Our push parser, with a handler that makes quakes of texts.
  case push
  /// The same, with each text made a string.
  case strings
  /// Our typed entries: more fields, and dates that are read.
  case entries
  /// The handler in C over libxml2.
  case c
  /// Foundation's XMLParser over a stream.
  case foundation

  func run(isHashing: Bool = false) throws -> Tally {
    switch self {
    case .push: try PushRoute.Texts().run(isHashing: isHashing)
    case .strings: try PushRoute.Strings().run(isHashing: isHashing)
    case .entries: try EntriesRoute.run(isHashing)
    case .c: CRoute.run(isHashing)
    case .foundation: FoundationRoute.run(isHashing)
    }
  }
}

/// Our push parser and a handler; a class of each kind of text, since classes are not specialized.
class PushRoute: XMLPushHandler {
  fileprivate let words = QuakeWord.vocabulary
  fileprivate var tally = Tally()

  final class Texts: PushRoute {
    override func collected(_ element: ParsedElement) {
      tally.add(Quake<XMLText>(element, words))
    }
  }

  final class Strings: PushRoute {
    override func collected(_ element: ParsedElement) {
      tally.add(Quake<String>(element, words))
    }
  }

  func run(isHashing: Bool) throws -> Tally {
    tally.isHashing = isHashing
    let parser = XMLPushParser(handler: self)
    try QuakeFeed.read { try parser.push($0) }
    try parser.finish()
    return tally
  }

  func interest(in tag: ParsedElement) -> XMLInterest {
    switch words[tag] {
    case .feed: .enter
    case .entry: .collect
    default: .skip
    }
  }

  func collected(_ element: ParsedElement) {}
}

private enum QuakeWord: String {
  case feed, entry, id, title, updated, summary, link, category
  case point = "georss:point"
  case elev = "georss:elev"

  static var vocabulary: XMLVocabulary<QuakeWord> {
    XMLVocabulary(prefixes: [
      "http://www.w3.org/2005/Atom": "", "http://www.georss.org/georss": "georss",
    ])
  }
}

extension Quake {
  @inline(__always)
  fileprivate init(_ entry: ParsedElement, _ words: XMLVocabulary<QuakeWord>) {
    categories.reserveCapacity(4)
    entry.forEachChild { child in
      switch words[child] {
      case .id: id = Text(child.text)
      case .title: title = Text(child.text)
      case .updated: updated = Text(child.text)
      case .summary: summary = Text(child.text)
      case .link: link = Text(child.attribute("href") ?? "")
      case .category: categories.append(Text(child.attribute("term") ?? ""))
      case .point:
        latitude = child.text.number(at: 0) ?? 0
        longitude = child.text.number(at: 1) ?? 0
      case .elev: elevation = child.text.number ?? 0
      default: break
      }
    }
  }
}

enum EntriesRoute {
  static func run(_ isHashing: Bool) throws -> Tally {
    var tally = Tally()
    tally.isHashing = isHashing
    let parser = FeedParser()
    try QuakeFeed.read { bytes in try parser.push(bytes) { add($0, to: &tally) } }
    try parser.finish { add($0, to: &tally) }
    return tally
  }

  private static func add(_ entry: FeedEntry, to tally: inout Tally) {
    tally.add(entry.id)
    tally.add(entry.title)
    // As text it was three bytes and a date: the other routes have it as it stands.
    tally.bytes += entry.updated == nil ? 0 : 24
    tally.add(entry.link ?? "")
    tally.add(entry.summary?.text ?? "")
    for category in entry.categories { tally.add(category.term) }
    guard let place = entry.location else { return }
    tally.add(place.latitude, place.longitude, place.elevation ?? 0)
  }
}

enum CRoute {
  static func run(_ isHashing: Bool) -> Tally {
    var tally = Tally()
    tally.isHashing = isHashing
    withUnsafeMutablePointer(to: &tally) { pointer in
      let reader = feed_reader_new(
        { context, entry in
          guard let context, let entry = entry?.pointee else { return }
          let tally = context.assumingMemoryBound(to: Tally.self)
          for text in [entry.id, entry.title, entry.updated, entry.link, entry.summary] {
            CRoute.add(text, tally)
          }
          for index in 0..<entry.category_count { CRoute.add(entry.categories[index], tally) }
          tally.pointee.add(entry.latitude, entry.longitude, entry.elevation)
        }, pointer)
      QuakeFeed.read { bytes in
        let status = bytes.withMemoryRebound(to: CChar.self) {
          feed_reader_push(reader, $0.baseAddress, Int32($0.count))
        }
        guard status == 0 else { fatalError("the route in C failed: \(status)") }
      }
      guard feed_reader_finish(reader) == 0 else { fatalError("the route in C failed") }
      feed_reader_free(reader)
    }
    return tally
  }

  @inline(__always)
  private static func add(_ text: feed_text, _ tally: UnsafeMutablePointer<Tally>) {
    text.bytes.withMemoryRebound(to: UInt8.self, capacity: text.count) {
      tally.pointee.add(UnsafeBufferPointer(start: $0, count: text.count))
    }
  }
}

final class FoundationRoute: NSObject, XMLParserDelegate {
  private var tally = Tally()
  private var quake: Quake<String>?
  private var text = ""

  static func run(_ isHashing: Bool) -> Tally {
    let route = FoundationRoute()
    route.tally.isHashing = isHashing
    guard let stream = InputStream(fileAtPath: QuakeFeed.path) else {
      fatalError("\(QuakeFeed.path) cannot be read")
    }
    let parser = XMLParser(stream: stream)
    parser.shouldProcessNamespaces = true
    parser.delegate = route
    guard parser.parse() else {
      fatalError("Foundation: \(String(describing: parser.parserError))")
    }
    return route.tally
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?,
    qualifiedName: String?, attributes: [String: String]
  ) {
    text = ""
    switch name {
    case "entry": quake = Quake()
    case "link": quake?.link = attributes["href"] ?? ""
    case "category": quake?.categories.append(attributes["term"] ?? "")
    default: break
    }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

  func parser(_ parser: XMLParser, foundCDATA block: Data) {
    text += String(decoding: block, as: UTF8.self)
  }

  func parser(
    _ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?
  ) {
    switch name {
    case "id": quake?.id = text
    case "title": quake?.title = text
    case "updated": quake?.updated = text
    case "summary": quake?.summary = text
    case "point":
      let numbers = text.withUTF8 { Numbers.read($0) }
      quake?.latitude = numbers.0
      quake?.longitude = numbers.1
    case "elev": quake?.elevation = text.withUTF8 { Numbers.read($0).0 }
    case "entry":
      if let quake { tally.add(quake) }
      quake = nil
    default: break
    }
  }
}

enum Numbers {
  /// The first two numbers of a text, or one and zero.
  static func read(_ text: UnsafeBufferPointer<UInt8>) -> (Double, Double) {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { copy in
      let count = min(text.count, 63)
      for index in 0..<count { copy[index] = CChar(bitPattern: text[index]) }
      copy[count] = 0
      guard let start = copy.baseAddress else { return (0, 0) }
      var rest: UnsafeMutablePointer<CChar>?
      let first = strtod(start, &rest)
      return (first, rest.map { strtod($0, nil) } ?? 0)
    }
  }
}
