import Foundation
package import Reunion
package import ScreenTimeCore

/// Keeps the uses of this device as records, and says when it last looked.
///
/// Unchecked: it is confined to the agent's queue.
package final class UseKeeper: @unchecked Sendable {
  private let book: FamilyBook
  private let device: RecordID
  private var records: [Int: RecordID] = [:]
  /// What could not be written yet.
  private var unwritten: [Int: Use] = [:]
  private var seenAt: Int64?
  private var ownOffset: Int?

  /// The longest time in milliseconds after which it says again that it is there, with nobody at
  /// the device.
  static let quiet: Int64 = 300_000

  /// Begins for this device, and closes what a crash left open.
  ///
  /// - Throws: `StoreError`.
  package init(_ book: FamilyBook, device: RecordID, name: String, sees: String) throws {
    (self.book, self.device) = (book, device)
    let open = try book.replica.fetch(
      Query<UseRecord>(in: book.use).filter(\.device == Reference(device) && \.ending == "open"))
    let isKnown = try book.replica.fetch(ChildDevice.self, device, in: book.use) != nil
    try book.replica.write(in: book.use) { transaction in
      for var record in open {
        record.ending = Use.Ending.crash.rawValue
        try transaction.update(record)
      }
      if !isKnown { try transaction.create(ChildDevice(id: device)) }
      try transaction.set(\ChildDevice.name, of: device, to: name)
      try transaction.set(\ChildDevice.sees, of: device, to: sees)
      try transaction.set(\ChildDevice.ownOffset, of: device, to: nil)
    }
  }

  /// The number behind those that are kept.
  package func next() throws -> Int {
    let mine = Query<UseRecord>(in: book.use).filter(\.device == Reference(device))
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
    let (writing, known, device) = (unwritten, records, device)
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
          record.take(use, of: device)
          try transaction.set(\UseRecord.milliseconds, of: id, to: record.milliseconds)
          try transaction.set(\UseRecord.ending, of: id, to: record.ending)
        } else {
          made[use.number] = try transaction.create(UseRecord.self) { $0.take(use, of: device) }.id
        }
      }
      try transaction.set(\ChildDevice.seenAt, of: device, to: Date(milliseconds: now))
      if isElsewhere { try transaction.set(\ChildDevice.ownOffset, of: device, to: ownOffset) }
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
