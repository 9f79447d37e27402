import Foundation
import Reunion
import ReunionFeeds

/// Makes records of the entries of one version of a feed, while it arrives.
struct Intake {
  /// What it did.
  struct Counts: Equatable {
    var named = 0
    var new = 0
    var changed = 0
    var withdrawn = 0
    var aged = 0
    /// Entries without a place or a time.
    var unplaced = 0
  }

  /// Records of one commit: a page shows the first while the last are still to come.
  private static let batchCount = 200

  private(set) var counts = Counts()
  private let store: Store
  private let space: SpaceID
  private let feed: String
  private let oldest: Date
  /// What the store holds.
  private var known: [RecordID: Quake] = [:]
  private var named: Set<RecordID> = []
  private var times: [Date] = []
  private var batch: [Quake] = []

  /// Begins with a version of a feed, of which quakes since `oldest` are kept.
  init(of feed: String, into folder: QuakeFolder, since oldest: Date) throws {
    store = folder.store
    space = folder.space
    self.feed = feed
    self.oldest = oldest
    for quake in try store.fetch(Query<Quake>(in: space)) { known[quake.id] = quake }
  }

  /// Takes an entry; it is in the store at the latest after `flush`.
  mutating func take(_ entry: FeedEntry) throws {
    // Also one that cannot be read is still named.
    named.insert(Quake.id(of: entry.id))
    guard let quake = Quake(entry, feed: feed) else {
      counts.unplaced += 1
      return
    }
    counts.named += 1
    times.append(quake.at)
    guard quake.at >= oldest, known[quake.id] != quake else { return }
    batch.append(quake)
    if batch.count >= Self.batchCount { try flush() }
  }

  /// Writes what was taken.
  mutating func flush() throws {
    guard !batch.isEmpty else { return }
    let (quakes, held) = (batch, known)
    try store.write(in: space) { transaction in
      var written: Set<RecordID> = []
      for quake in quakes {
        // A feed may name one twice: the later entry stands.
        if held[quake.id] == nil, written.insert(quake.id).inserted {
          try transaction.create(quake)
        } else {
          try transaction.update(quake)
        }
      }
    }
    for quake in quakes {
      if known.updateValue(quake, forKey: quake.id) == nil {
        counts.new += 1
      } else {
        counts.changed += 1
      }
    }
    batch.removeAll()
  }

  /// The version is whole: takes away what it names no more although it goes back that far, which is
  /// how a feed withdraws an event, also its last one; and what is too old.
  mutating func finish(_ said: Feed?, reach: inout FeedReach) throws {
    try flush()
    let start = reach.take(
      FeedDocument(
        title: said?.title ?? "", updated: said?.updated?.timeIntervalSince1970,
        now: Date().timeIntervalSince1970, times: times.map(\.timeIntervalSince1970)))
    let withdrawn = known.values.filter {
      $0.feed == feed && $0.at.timeIntervalSince1970 > start && !named.contains($0.id)
    }
    let aged = known.values.filter { $0.at < oldest }
    counts.withdrawn = withdrawn.count
    counts.aged = aged.count
    guard !withdrawn.isEmpty || !aged.isEmpty else { return }
    try store.write(in: space) { transaction in
      for quake in withdrawn + aged { try transaction.delete(Quake.self, quake.id) }
    }
  }
}
