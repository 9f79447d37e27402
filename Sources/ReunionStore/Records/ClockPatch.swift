import CSQLite
import ReunionCore

/// Sets one field in the clock of a record while SQLite stands on its row, so that it is looked up
/// once: the functions `reunion_can_set` and `reunion_set_clock` of the connection that writes.
///
/// It handles what nearly all writes are: the record lives, was never deleted, and all its cells are
/// in columns. Otherwise it says no, the row stays, and the write goes the long way.
final class ClockPatch {
  /// The change: its field and merge kind, the value's kind where it is null, and who writes it when.
  var field: UInt32 = 0
  var merge = MergeKind.register
  var isNull = false
  var site: Int64 = 0
  var seq: UInt64 = 0
  var stamp: UInt64 = 0
  /// The site's changes after this one are the transaction's own.
  var firstSeq: UInt64 = 0

  /// The arrival number that the record had.
  private(set) var arrival: Int64 = 0
  private var output = ClockOutput()

  /// *Lifetime*: the connection's functions refer to this object, unowned; it must outlive them.
  init(_ connection: Connection) throws(StoreError) {
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
            patch.takeUnretainedValue().output.withBytes {
              sqlite3_result_blob(call, $0.baseAddress, Int32($0.count), reunion_transient)
            }
          }, nil, nil, nil))
    }
  }

  private func patch(
    isAlive: OpaquePointer?, clock: OpaquePointer?, arrival: OpaquePointer?
  ) -> Bool {
    guard sqlite3_value_int(isAlive) == 1, let start = sqlite3_value_blob(clock) else {
      return false
    }
    self.arrival = sqlite3_value_int64(arrival)
    let count = Int(sqlite3_value_bytes(clock))
    // A malformed clock is reported on the long way.
    return (try? patch(UnsafeRawBufferPointer(start: start, count: count))) ?? false
  }

  /// Copies the readings, except that of the field, and that after it, which counts from it.
  private func patch(_ clock: UnsafeRawBufferPointer) throws(WireError) -> Bool {
    var input = ClockInput(clock)
    guard try input.byte() & 1 == 0 else { return false }
    var last = PackedClock.Reading()
    var new = PackedClock.Reading()
    new.field = field
    new.merge = merge
    new.kind = isNull ? ValueKind.null.rawValue : nil
    new.site = site
    new.seq = seq
    new.stamp = stamp
    output.removeAll()
    while input.remaining > 0 {
      let start = input.position
      let reading = try PackedClock.Reading(after: last, from: &input)
      guard reading.merge != .deletion else { return false }
      if reading.field >= field {
        output.append(input.bytes(upTo: start))
        if reading.field > field {
          finish(new, after: last, before: reading, input)
          return true
        }
        let isOwn = reading.site == site && reading.seq > firstSeq
        // A later stamp than this transaction's has been there before it.
        guard isOwn || reading.stamp < stamp else { return false }
        new.replaced = isOwn ? reading.replaced : reading.stamp
        let next =
          input.remaining > 0
          ? try PackedClock.Reading(after: reading, from: &input) : nil
        finish(new, after: last, before: next, input)
        return true
      }
      last = reading
    }
    output.append(input.bytes(upTo: clock.count))
    finish(new, after: last, before: nil, input)
    return true
  }

  private func finish(
    _ new: PackedClock.Reading, after last: PackedClock.Reading,
    before next: PackedClock.Reading?, _ input: ClockInput
  ) {
    let rest = input.bytes(from: input.position)
    output.reserve(rest.count)
    new.encode(after: last, to: &output)
    next?.encode(after: new, to: &output)
    output.append(rest)
  }
}
