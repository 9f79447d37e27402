import CSQLite
import ReunionCore
import ReunionDisk

/// Sets one field in the clock of a record while SQLite stands on its row, so that it is looked up
/// once: the functions `reunion_can_set` and `reunion_set_clock` of the connection that writes.
///
/// It handles what nearly all writes are: the record lives, was never deleted, and all its cells are
/// in columns. Otherwise it says no, the row stays, and the write goes the long way.
final class ClockPatch {
  /// What is to be set.
  struct Change {
    var field: UInt32
    var merge: MergeKind
    /// The kind of its value, where it is not the column's.
    var kind: UInt8?
    var site: Int64
    var seq: UInt64
    var stamp: UInt64
    /// The site's changes after this one are the transaction's own.
    var firstSeq: UInt64
  }

  private var change = Change(
    field: 0, merge: .register, kind: nil, site: 0, seq: 0, stamp: 0, firstSeq: 0)
  /// The arrival number that the record had.
  private(set) var arrival: Int64 = 0
  private var output = ClockOutput()

  /// *Lifetime*: the connection's functions refer to this object, unowned; it must outlive them.
  init(_ connection: DatabaseConnection) throws(StoreError) {
    let context = Unmanaged.passUnretained(self).toOpaque()
    let flags = SQLITE_UTF8 | SQLITE_DIRECTONLY
    try connection.withHandle { (database) throws(StoreError) in
      try connection.check(
        sqlite3_create_function_v2(
          database, "reunion_can_set", 3, flags, context,
          { (call, _, arguments) in
            guard let call, let arguments else { return }
            let patch = Unmanaged<ClockPatch>.fromOpaque(sqlite3_user_data(call))
            let can = patch.takeUnretainedValue().patch(
              isAlive: arguments[0], clock: arguments[1], arrival: arguments[2])
            sqlite3_result_int(call, can ? 1 : 0)
          }, nil, nil, nil))
      try connection.check(
        sqlite3_create_function_v2(
          database, "reunion_set_clock", 0, flags, context,
          { (call, _, _) in
            guard let call else { return }
            let patch = Unmanaged<ClockPatch>.fromOpaque(sqlite3_user_data(call))
            // It stays where it is until the next row is patched.
            let clock = patch.takeUnretainedValue().output.bytes
            sqlite3_result_blob(call, clock.baseAddress, Int32(clamping: clock.count), nil)
          }, nil, nil, nil))
    }
  }

  /// Says what the next statement sets.
  func prepare(_ change: Change) { self.change = change }

  deinit { output.free() }

  private func patch(
    isAlive: OpaquePointer?, clock: OpaquePointer?, arrival: OpaquePointer?
  ) -> Bool {
    guard sqlite3_value_int(isAlive) == 1, let start = sqlite3_value_blob(clock) else {
      return false
    }
    self.arrival = sqlite3_value_int64(arrival)
    let count = Int(sqlite3_value_bytes(clock))
    // A malformed clock is reported on the long way.
    return (try? patch(UnsafeRawBufferPointer(start: start, count: count), change)) ?? false
  }

  private func patch(
    _ clock: UnsafeRawBufferPointer, _ change: Change
  ) throws(WireError) -> Bool {
    output.removeAll()
    return try output.patch(clock, change)
  }
}

extension ClockOutput {
  /// Copies a clock's readings, except that of the field, and that after it, which counts from it.
  fileprivate mutating func patch(
    _ clock: UnsafeRawBufferPointer, _ change: ClockPatch.Change
  ) throws(WireError) -> Bool {
    var input = ClockInput(clock)
    guard try input.byte() == PackedClock.isWhole else { return false }
    var last = PackedClock.Reading()
    var new = PackedClock.Reading()
    new.field = change.field
    new.merge = change.merge
    new.kind = change.kind
    new.site = change.site
    new.seq = change.seq
    new.stamp = change.stamp
    while input.remaining > 0 {
      let start = input.position
      let reading = try PackedClock.Reading(after: last, from: &input)
      guard reading.merge != .deletion else { return false }
      if reading.field >= new.field {
        append(input.bytes(upTo: start))
        if reading.field > new.field {
          try append(new, after: last, before: reading, &input)
          return true
        }
        let isOwn = reading.site == new.site && reading.seq > change.firstSeq
        // A later stamp than this transaction's has been there before it.
        guard isOwn || reading.stamp < new.stamp else { return false }
        new.replaced = isOwn ? reading.replaced : reading.stamp
        let next =
          input.remaining > 0 ? try PackedClock.Reading(after: reading, from: &input) : nil
        try append(new, after: last, before: next, &input)
        return true
      }
      last = reading
    }
    append(input.bytes(upTo: clock.count))
    try append(new, after: last, before: nil, &input)
    return true
  }

  /// Appends the changed reading, those after it that count from it, and the others as they are.
  private mutating func append(
    _ new: PackedClock.Reading, after last: PackedClock.Reading,
    before next: PackedClock.Reading?, _ input: inout ClockInput
  ) throws(WireError) {
    var last = last
    var new = new
    var next = next
    reserve(0)
    new.encode(after: last, to: &self)
    while let old = next {
      last = new
      new = old
      reserve(0)
      new.encode(after: last, to: &self)
      if new.step == old.step { break }
      next = input.remaining > 0 ? try PackedClock.Reading(after: old, from: &input) : nil
    }
    append(input.bytes(from: input.position))
  }
}
