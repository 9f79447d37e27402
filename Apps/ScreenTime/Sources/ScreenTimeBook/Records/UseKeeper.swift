import Foundation
package import Reunion
package import ScreenTimeCore

/// Keeps the uses of this device as records, and says when it last looked.
///
/// Unchecked: it is confined to the agent's queue.
package final class UseKeeper: @unchecked Sendable {
  private let book: FamilyBook
  private let desk: RecordID
  private var records: [Int: RecordID] = [:]
  /// What could not be written yet.
  private var unwritten: [Int: Use] = [:]
  private var seenAt: Int64?
  private var ownOffset: Int?

  /// The longest time in milliseconds after which it says again that it is there, with nobody at
  /// the desk.
  static let quiet: Int64 = 300_000

  /// Begins for this device, and closes what a crash left open.
  ///
  /// - Throws: `StoreError`.
  package init(_ book: FamilyBook, desk: RecordID, name: String, sees: String) throws {
    (self.book, self.desk) = (book, desk)
    let open = try book.replica.fetch(
      Query<UseRecord>(in: book.use).filter(\.device == Reference(desk) && \.ending == "open"))
    let isKnown = try book.replica.fetch(Desk.self, desk, in: book.use) != nil
    try book.replica.write(in: book.use) { transaction in
      for var record in open {
        record.ending = Use.Ending.crash.rawValue
        try transaction.update(record)
      }
      if !isKnown { try transaction.create(Desk(id: desk)) }
      try transaction.set(\Desk.name, of: desk, to: name)
      try transaction.set(\Desk.sees, of: desk, to: sees)
      try transaction.set(\Desk.ownOffset, of: desk, to: nil)
    }
  }

  /// The number behind those that are kept.
  package func next() throws -> Int {
    let mine = Query<UseRecord>(in: book.use).filter(\.device == Reference(desk))
    return (try book.replica.fetch(mine.maximum(of: \.number)) ?? 0) + 1
  }

  /// Writes what is new or changed, in one transaction; it is on the disk when this returns.
  ///
  /// `ownOffset` is that of the device's own zone, where it is another than the family's.
  ///
  /// - Returns: whether an open use was deleted meanwhile, with the family's history: it is not
  ///   written
  ///   again.
  /// - Throws: `StoreError`; then the next call writes it again.
  package func keep(
    _ uses: [Use], at now: Int64, ownOffset: Int? = nil
  ) throws -> Bool {
    for use in uses { unwritten[use.number] = use }
    // A clock that was set back says so too.
    let isElsewhere = ownOffset != self.ownOffset
    let isDue = isElsewhere || seenAt.map { abs(now - $0) >= Self.quiet } ?? true
    guard !unwritten.isEmpty || isDue else { return false }
    let (writing, known, desk) = (unwritten, records, desk)
    let (made, gone) = try book.replica.write(in: book.use) { transaction in
      var made: [Int: RecordID] = [:]
      var gone: Set<Int> = []
      for use in writing.values.sorted(by: { $0.number < $1.number }) {
        if let id = known[use.number] {
          guard try transaction.fetch(UseRecord.self, id) != nil else {
            gone.insert(use.number)
            continue
          }
          var record = UseRecord(id: id)
          record.take(use, of: desk)
          try transaction.set(\UseRecord.milliseconds, of: id, to: record.milliseconds)
          try transaction.set(\UseRecord.ending, of: id, to: record.ending)
        } else {
          made[use.number] = try transaction.create(UseRecord.self) { $0.take(use, of: desk) }.id
        }
      }
      try transaction.set(\Desk.seenAt, of: desk, to: Date(milliseconds: now))
      if isElsewhere { try transaction.set(\Desk.ownOffset, of: desk, to: ownOffset) }
      return (made, gone)
    }
    records.merge(made) { $1 }
    for use in writing.values where use.ending != .open { records[use.number] = nil }
    for number in gone { records[number] = nil }
    unwritten = [:]
    (seenAt, self.ownOffset) = (now, ownOffset)
    return writing.values.contains { gone.contains($0.number) && $0.ending == .open }
  }
}
