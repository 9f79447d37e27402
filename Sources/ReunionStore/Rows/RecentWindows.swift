import ReunionCore
import ReunionFlow

/// Parts of pushes that were read lately: after a commit, each session of a server sends the same.
///
/// A part stands for what the database holds while the row of its space is the same, since whatever
/// changes a record or the vector gives the space another arrival number. *Limits*: 8 parts of 1,024
/// records and 256 KiB each, and only those that reach to the end.
final class RecentWindows: Sendable {
  /// What is read: the same for each session that stands there.
  struct Place: Hashable {
    let space: Int64
    let after: UInt64
    let vectorAfter: UInt64
    /// The store's own, which positions depend on.
    let site: Site
    /// Whether it ends a push of this device's own changes, which positions depend on too.
    let ownOnly: Bool
  }

  /// What was read, before a session leaves out what its peer holds.
  struct Window {
    let row: SpaceRow
    let records: [StoredRecord]
    /// What was held of the sites of these records at the arrival up to which the vector was told.
    let told: [Site: UInt64]
    let end: Conversation.WindowEnd
  }

  static let countMax = 8
  static let recordsMax = 1_024
  static let bytesMax = 256 << 10
  /// The oldest first.
  private let windows = Lock<[(place: Place, window: Window)]>([])

  /// What was read at a place, where the space's row is still the same.
  func window(at place: Place, _ row: SpaceRow) -> Window? {
    let found = windows.withLock { $0.last { $0.place == place }?.window }
    return found?.row == row ? found : nil
  }

  /// Keeps what was read; one that is large is read anew each time.
  func keep(_ window: Window, at place: Place) {
    let byteCount = window.records.reduce(0) { count, record in
      record.state.cells.reduce(count) { $0 + $1.approximateBytes }
    }
    guard window.records.count <= Self.recordsMax, byteCount <= Self.bytesMax else { return }
    windows.withLock { windows in
      windows.removeAll { $0.place == place }
      if windows.count >= Self.countMax { windows.removeFirst() }
      windows.append((place, window))
    }
  }
}

extension Cell {
  /// About how many bytes it takes in a message.
  var approximateBytes: Int { 48 + value.bytes.count }
}
