import Foundation
import Reunion
import ReunionCore
import ReunionFeeds

/// Makes records of entries as they come, at most `entriesPerCommit` in each commit.
///
/// What a commit held stays whatever comes after it. What the server said of the document is written
/// with the last entries, and only when the document was whole: an import that breaks off asks for
/// everything again.
struct FeedImport {
  /// What an import came to; of an entry that comes twice in a feed, once.
  struct Counts: Sendable {
    var bytes = 0
    var new = 0
    var changed = 0
    var unchanged = 0
    /// Entries that somebody deleted here; they stay deleted.
    var deleted = 0
    /// How often an entry came again.
    var repeated = 0
    /// Entries that had another one's id, and got one of their own.
    var renamed = 0

    var entries: Int { new + changed + unchanged + deleted }
  }

  private enum Outcome { case new, changed, unchanged, deleted }

  let folder: FeedFolder
  private(set) var record: FeedRecord
  private(set) var counts = Counts()
  private let parser: FeedParser
  private var waiting: [FeedEntry] = []
  /// Whether the record is that of the feed that the store knows this one by.
  private var isKnown = false
  /// What became of each entry: some 40 bytes of memory for one.
  private var outcomes: [RecordID: Outcome] = [:]

  static let entriesPerCommit = 250

  init(into folder: FeedFolder) {
    self.folder = folder
    parser = FeedParser()
    record = folder.feed
  }

  /// Takes the next bytes. Entries that complete in them are committed when there are enough, or
  /// at once where nothing more is at hand.
  mutating func push(_ bytes: some Collection<UInt8>, isMoreAtHand: Bool) throws {
    counts.bytes += bytes.count
    do {
      try parser.push(bytes) { try add($0) }
    } catch {
      try commit()
      throw error
    }
    if !isMoreAtHand { try commit() }
  }

  /// The document is over: writes what is left, and what to ask with the next time.
  mutating func finish(_ validators: FeedValidators) throws {
    do {
      try parser.finish { try add($0) }
    } catch {
      try commit()
      throw error
    }
    record.validators = validators
    try commit(withFeed: true)
  }

  /// Writes what is waiting, where the document ends early.
  mutating func stop() throws { try commit() }

  private mutating func add(_ entry: FeedEntry) throws {
    waiting.append(entry)
    if waiting.count >= Self.entriesPerCommit { try commit() }
  }

  private mutating func commit(withFeed: Bool = false) throws {
    guard !waiting.isEmpty || withFeed else { return }
    let (store, space) = (try folder.store(), folder.space)
    if !isKnown {
      let validators = record.validators
      record = try folder.feed(of: record, with: waiting)
      (record.validators, isKnown) = (validators, true)
    }
    // Of an entry that comes twice the last counts.
    var latest: [String: Int] = [:]
    for (index, entry) in waiting.enumerated() { latest[entry.id] = index }
    let entries = waiting.enumerated().filter { latest[$1.id] == $0 }
      .map { FeedEntryRecord($0.element, of: record) }
    var feed = record
    if let said = parser.feed { feed.take(said) }
    var done: [(RecordID, Outcome)] = []
    // Annotations: an entry that somebody deletes meanwhile does not come back by them.
    try store.annotate(in: space) { [feed] transaction in
      let isNew = try transaction.fetch(FeedRecord.self, feed.id) == nil
      let held = try entries.map { try transaction.fetch(FeedEntryRecord.self, $0.id) }
      let gone = try zip(entries, held).map { entry, held in
        try held == nil
          && store.record(entity: FeedEntryRecord.schema.number, entry.id, in: space) != nil
      }
      if isNew { try transaction.create(feed) } else if withFeed { try transaction.update(feed) }
      for (index, entry) in entries.enumerated() {
        if gone[index] {
          done.append((entry.id, .deleted))
        } else if let before = held[index] {
          let isHeld = try entry.isHeld(as: before, in: store)
          if !isHeld { try transaction.update(entry) }
          done.append((entry.id, isHeld ? .unchanged : .changed))
        } else {
          try transaction.create(entry)
          done.append((entry.id, .new))
        }
      }
    }
    for (id, outcome) in done { count(outcome, of: id) }
    counts.renamed = parser.sharedIDCount
    counts.repeated += waiting.count - entries.count
    waiting.removeAll(keepingCapacity: true)
  }

  /// Counts an entry that was written, or counts it as repeated if it has come before.
  private mutating func count(_ outcome: Outcome, of id: RecordID) {
    switch (outcomes[id], outcome) {
    case (nil, .new): counts.new += 1
    case (nil, .changed): counts.changed += 1
    case (nil, .unchanged): counts.unchanged += 1
    case (nil, .deleted): counts.deleted += 1
    case (.unchanged, .changed):
      counts.unchanged -= 1
      counts.changed += 1
      counts.repeated += 1
    default:
      counts.repeated += 1
      return
    }
    outcomes[id] = outcome
  }
}

extension FeedEntryRecord {
  /// Whether a record says the same; a blob in a file does where its hash is that of the bytes.
  func isHeld(as other: FeedEntryRecord, in store: Store) throws -> Bool {
    var (one, two) = (self, other)
    for path in [\FeedEntryRecord.longContent, \.track] {
      guard case .bytes(let bytes)? = one[keyPath: path],
        case .file(let reference)? = two[keyPath: path],
        SHA256.hash(bytes) == reference.hash.bytes
      else { continue }
      one[keyPath: path] = nil
      two[keyPath: path] = nil
    }
    return one == two
  }
}
