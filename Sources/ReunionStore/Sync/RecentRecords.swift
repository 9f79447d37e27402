import ReunionCore
import ReunionFlow

/// Records that were read lately in order to be sent: each session of a server sends the same, and to put
/// a record together costs several times what it costs to find its row.
///
/// A record stands for its row where the row has the same arrival number and the same clock, which names
/// every cell. Filled by readers of what is committed alone. *Limits*: 1,024 records, 4 MiB.
final class RecentRecords: Sendable {
  private struct Place: Hashable {
    let space: Int64
    let key: RecordKey
  }

  private struct Entry {
    let record: StoredRecord
    let clock: [UInt8]
    let byteCount: Int
  }

  private struct State {
    var entries: [Place: Entry] = [:]
    /// The oldest first, from `next` on.
    var order: [Place] = []
    var next = 0
    var byteCount = 0
  }

  static let countMax = 1_024
  static let bytesMax = 4 << 20
  private let state = Lock(State())

  /// The record of a row, where it was read before.
  func record(
    _ key: RecordKey, space: Int64, arrival: UInt64, clock: [UInt8]
  ) -> StoredRecord? {
    let entry = state.withLock { $0.entries[Place(space: space, key: key)] }
    guard let entry, entry.record.arrival == arrival, entry.clock == clock else { return nil }
    return entry.record
  }

  /// Keeps a record; one that is large, or has cells elsewhere, is read anew each time.
  func keep(_ record: StoredRecord, space: Int64, clock: [UInt8]) {
    let byteCount = record.state.cells.reduce(clock.count) { $0 + $1.approximateBytes }
    guard !record.hasUnknownCells, byteCount <= Self.bytesMax / 64 else { return }
    let place = Place(space: space, key: record.key)
    state.withLock { state in
      let old = state.entries.updateValue(
        Entry(record: record, clock: clock, byteCount: byteCount), forKey: place)
      state.byteCount += byteCount - (old?.byteCount ?? 0)
      if old == nil { state.order.append(place) }
      while state.entries.count > Self.countMax || state.byteCount > Self.bytesMax {
        state.byteCount -=
          state.entries.removeValue(forKey: state.order[state.next])?.byteCount ?? 0
        state.next += 1
      }
      guard state.next > Self.countMax else { return }
      state.order.removeFirst(state.next)
      state.next = 0
    }
  }
}
