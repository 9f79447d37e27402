import Reunion
import ReunionFeeds

extension FeedFolder {
  /// The feed that a file is: the one that was read at its path, or one whose file was moved there.
  ///
  /// A path is no identity: of a feed from another path, more than half of these entries are held as
  /// they are here. A file that took the place of a moved one is a feed of its own.
  ///
  /// `entries`: the first ones of the file.
  func feed(of fresh: FeedRecord, with entries: [FeedEntry]) throws -> FeedRecord {
    guard fresh.isFile else { return fresh }
    let store = try store()
    let feeds = try store.fetch(Query<FeedRecord>(in: space)).filter(\.isFile)
    if let known = feeds.first(where: { $0.source == fresh.source }) { return known }
    let counted = try feeds.map { (feed: $0, count: try heldCount(of: entries, as: $0, in: store)) }
    if let best = counted.max(by: { $0.count < $1.count }), best.count * 2 > entries.count {
      var moved = best.feed
      (moved.origin, moved.source) = (moved.root, fresh.source)
      return moved
    }
    var own = fresh
    while feeds.contains(where: { $0.id == own.id }) {
      own = FeedRecord(source: fresh.source, origin: own.root + "#")
    }
    return own
  }

  /// How many of the entries a feed holds just so, or held until somebody deleted them here.
  private func heldCount(
    of entries: [FeedEntry], as feed: FeedRecord, in store: Store
  ) throws -> Int {
    try entries.count(where: { entry in
      let record = FeedEntryRecord(entry, of: feed)
      if let held = try store.fetch(FeedEntryRecord.self, record.id, in: space) {
        return try record.isHeld(as: held, in: store)
      }
      return try store.record(entity: FeedEntryRecord.schema.number, record.id, in: space) != nil
    })
  }
}
