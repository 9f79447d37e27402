/// Reads a feed from bytes as they arrive, be it Atom, RSS, GPX or KML.
///
/// The pieces may be cut anywhere. It keeps one entry in memory, whatever the feed's size, and
/// leaves out invalid dates, numbers and places. Malformed XML ends the feed with an error, after
/// the entries before it.
///
/// ```swift
/// let parser = FeedParser()
/// for try await chunk in chunks {
///   try parser.push(chunk) { entry in print(entry.title) }
/// }
/// try parser.finish { entry in print(entry.title) }
/// ```
///
/// *Thread*: one at a time. *Source*: RFC 4287, RSS 2.0 and 1.0, GeoRSS, GPX 1.1, KML 2.2.
public final class FeedParser {
  private let reader: FeedReader
  private let parser: XMLPushParser

  /// Creates a parser for one feed.
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
  /// - Throws: ``FeedError``, or what the closure threw. Either ends the feed, and every later push
  ///   throws it again.
  public func push(
    _ bytes: some Collection<UInt8>, _ each: (FeedEntry) throws -> Void
  ) throws {
    try handing(to: each) { try parser.push(bytes) }
  }

  /// Tells the parser that the feed is over.
  ///
  /// - Throws: ``FeedError`` if the feed is not whole, or what the closure threw.
  public func finish(_ each: (FeedEntry) throws -> Void = { _ in }) throws {
    try handing(to: each) { try parser.finish() }
  }

  /// The entries of a feed that is already here whole.
  ///
  /// - Throws: ``FeedError``.
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
