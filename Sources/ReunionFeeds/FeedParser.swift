/// Reads a feed from bytes as they arrive, be it Atom, RSS, GPX or KML.
///
/// The pieces may be cut anywhere. It keeps one entry in memory, whatever the feed's size, and
/// leaves out invalid dates, numbers and places. Malformed XML ends the feed with an error, after
/// the entries before it.
///
/// ```swift
/// let quakes = """
///   <feed xmlns="http://www.w3.org/2005/Atom"><title>Earthquakes</title>
///   <entry><id>urn:quake:1</id><title>M 4.6, Sand Point</title></entry></feed>
///   """
/// let parser = FeedParser()
/// for piece in [quakes.utf8.prefix(80), quakes.utf8.dropFirst(80)] {
///   try parser.push(piece) { entry in print(entry.title) }
/// }
/// try parser.finish { entry in print(entry.title) }
/// ```
///
/// From the network, `FeedDownload` and `feedEntries()` do the same with less to write.
///
/// *Thread*: one at a time. *Source*: RFC 4287, RSS 2.0 and 1.0, GeoRSS, GPX 1.1, KML 2.2.
public final class FeedParser {
  private let reader: FeedReader
  private let parser: XMLPushParser

  /// Creates a parser for one feed; another feed needs another parser.
  public init(limits: FeedLimits = FeedLimits()) {
    reader = FeedReader(limits: limits)
    parser = XMLPushParser(handler: reader, limits: limits)
  }

  /// What the feed has said about itself so far; nil until its first tag.
  public var feed: Feed? { reader.feed }

  /// How many entries so far claimed an id that another entry of the document has, with other
  /// contents. Each has a hash for an id instead.
  public var sharedIDCount: Int { reader.sharedIDCount }

  /// How many bytes were pushed so far.
  public var byteCount: Int { parser.byteCount }

  /// Takes the next bytes, and hands out the entries that they complete.
  ///
  /// - Parameters:
  ///   - bytes: The next bytes, cut anywhere.
  ///   - each: Takes an entry, on this thread, before this returns or throws.
  /// - Throws: ``FeedError``, or what the closure threw. Either ends the feed, and every later push
  ///   throws it again. Entries that were handed out before stay good. A parser that is used in its
  ///   own closure, or after its end, throws `misuse`.
  public func push(
    _ bytes: some Collection<UInt8>, _ each: (FeedEntry) throws -> Void
  ) throws {
    try handing(to: each) { try parser.push(bytes) }
  }

  /// Tells the parser that the feed is over. Without it, a feed that was cut off looks like a short
  /// one.
  ///
  /// - Throws: ``FeedError`` if the feed is not whole: `truncated` if it was cut off, `notAFeed` if
  ///   nothing of a feed came. Or what the closure threw.
  public func finish(_ each: (FeedEntry) throws -> Void = { _ in }) throws {
    try handing(to: each) { try parser.finish() }
  }

  /// The entries of a feed that is already here whole, all of them in memory.
  ///
  /// - Throws: ``FeedError``; then there are none, also of those before the place of the error.
  public static func entries(
    of bytes: some Collection<UInt8>, limits: FeedLimits = FeedLimits()
  ) throws -> [FeedEntry] {
    let parser = FeedParser(limits: limits)
    var entries: [FeedEntry] = []
    try parser.push(bytes) { entries.append($0) }
    try parser.finish { entries.append($0) }
    return entries
  }

  private func handing(
    to each: (FeedEntry) throws -> Void, _ body: () throws -> Void
  ) throws {
    try withoutActuallyEscaping(each) { each in
      reader.receive = each
      defer { reader.receive = nil }
      try body()
    }
  }
}
