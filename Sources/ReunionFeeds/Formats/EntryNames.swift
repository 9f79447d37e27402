/// Which entry has which id within one document: what a second entry claims with other contents is no
/// id there.
///
/// It keeps hashes alone, some 40 bytes an entry.
struct EntryNames {
  /// What the first entry with an id holds.
  private var contents: [Int: Int] = [:]
  /// How many entries claimed the id of another one.
  private(set) var sharedCount = 0

  /// How many ids there are.
  var count: Int { contents.count }

  /// Gives an entry the id by which it is told from all others of its document.
  ///
  /// `feed`: whose own address is no name of one entry.
  mutating func name(_ entry: FeedEntry, of feed: Feed?) -> FeedEntry {
    var named = entry
    if entry.id.isEmpty {
      guard let link = entry.link, feed?.links.contains(where: { $0.address == link }) != true
      else {
        named.id = EntryHash.id(of: entry)
        return named
      }
      named.id = link
    }
    let held = Self.hash(of: entry)
    guard let first = contents.updateValue(held, forKey: named.id.hashValue), first != held else {
      return named
    }
    contents[named.id.hashValue] = first
    sharedCount += 1
    named.id = EntryHash.id(of: entry, insteadOf: named.id)
    return named
  }

  /// A hash of what ``EntryHash`` reads, cheaper and for this process alone.
  private static func hash(of entry: FeedEntry) -> Int {
    var hasher = Hasher()
    for link in entry.links { hasher.combine(link.address) }
    for link in entry.enclosures { hasher.combine(link.address) }
    hasher.combine(entry.title)
    hasher.combine(entry.summary?.text)
    hasher.combine(entry.content?.text)
    hasher.combine(entry.published)
    hasher.combine(entry.location?.latitude)
    hasher.combine(entry.location?.longitude)
    for point in entry.track?.segments.joined().map({ $0 }) ?? [] {
      hasher.combine(point.location.latitude)
      hasher.combine(point.location.longitude)
      hasher.combine(point.time)
    }
    return hasher.finalize()
  }
}
