import ReunionCore

/// The clocks of a record's cells in one blob: about two bytes a cell that was written together with
/// the one before, about ten otherwise.
///
///     flags:  bit 0: further cells are in `reunion_unknown_cell`; the others are 0
///     cells:  flags, then what they name, each as a difference from the cell before:
///             bits 0–1  merge: 0 creation, 1 deletion, 2 register, 3 annotation
///             bit 2     value kind (a byte), where it is not the column's
///             bit 3     site's number
///             bit 4     stamp: eight bytes in the first cell, a difference in others: that of the
///                       milliseconds, four times, and to it that of the counters: 0, 1 and -1 as 0,
///                       1 and 2, others as 3 and a number that follows
///             bit 5     `replaced`, as its difference from the stamp less what lies between the two
///                       in the cell before: of the milliseconds, twice, and one more where that of
///                       the counters follows
///             bit 6     seq, where it is not the next: its difference from where the last step ahead
///                       leads, since fields are often written in turn over many records
///             bit 7     field, where it is not the next
///             a deletion's length and bytes
enum PackedClock {
  /// The flags of a clock that names all cells of its record.
  static let isWhole: UInt8 = 0

  /// What a cell is, without the value that its column holds.
  struct Entry {
    var field: UInt32 = .max
    var merge = MergeKind.creation
    var kind = ValueKind.null
    var site: Int64 = 0
    var seq: UInt64 = 0
    var stamp: UInt64 = 0
    var replaced: UInt64 = 0
    var bytes: [UInt8] = []
  }

  static func encode(_ entries: [Entry], hasMore: Bool, table: Table) -> [UInt8] {
    var writer = ByteWriter()
    writer.byte(hasMore ? 1 : isWhole)
    var last = Reading()
    for entry in entries {
      let isKindKnown = entry.kind == expectedKind(entry.merge, entry.field, table)
      var reading = Reading(entry, kind: isKindKnown ? nil : entry.kind.rawValue)
      reading.encode(after: last, to: &writer)
      if entry.merge == .deletion { writer.lengthPrefixed(entry.bytes) }
      last = reading
    }
    return writer.bytes
  }

  static func decode(
    _ bytes: [UInt8], table: Table
  ) throws(WireError) -> (entries: [Entry], hasMore: Bool) {
    var reader = ByteReader(bytes)
    let header = try reader.byte()
    guard header <= 1 else { throw WireError(.malformed, "A clock has flags of a newer version.") }
    let hasMore = header == 1
    var entries: [Entry] = []
    var last = Reading()
    while reader.remaining > 0 {
      last = try Reading(after: last, from: &reader)
      let kind =
        last.kind.map { ValueKind(rawValue: $0) } ?? expectedKind(last.merge, last.field, table)
      var entry = Entry(
        field: last.field, merge: last.merge, kind: kind, site: last.site, seq: last.seq,
        stamp: last.stamp, replaced: last.replaced)
      if entry.merge == .deletion { entry.bytes = try reader.lengthPrefixed(upTo: Value.bytesMax) }
      entries.append(entry)
    }
    return (entries, hasMore)
  }

  /// The kind of a cell's value whose clock names none.
  static func expectedKind(
    _ merge: MergeKind, _ field: UInt32, _ table: Table
  ) -> ValueKind {
    switch merge {
    case .creation: .null
    case .deletion: .bytes
    default: table.column(of: field).map { table.columns[$0].clockKind } ?? .null
    }
  }

  /// What stands in a clock of one cell, apart from the bytes of a deletion.
  struct Reading {
    var field: UInt32 = .max
    var merge = MergeKind.creation
    /// The value's kind where it is not the column's.
    var kind: UInt8?
    var site: Int64 = 0
    var seq: UInt64 = 0
    var stamp: UInt64 = 0
    var replaced: UInt64 = 0
    /// How far seq is from that of the cell before, or was where it last was ahead.
    private(set) var step: UInt64 = 1

    init() {}

    init(_ entry: Entry, kind: UInt8?) {
      field = entry.field
      merge = entry.merge
      self.kind = kind
      site = entry.site
      seq = entry.seq
      stamp = entry.stamp
      replaced = entry.replaced
    }

    @inline(__always)
    init(
      after last: Reading, from reader: inout some ClockReader & ~Copyable
    ) throws(WireError) {
      let flags = try reader.byte()
      merge = MergeKind(rawValue: flags & 3)
      if flags & 1 << 2 != 0 { kind = try reader.byte() }
      site = flags & 1 << 3 != 0 ? Int64(bitPattern: try reader.varint()) : last.site
      stamp = last.stamp
      if flags & 1 << 4 != 0 {
        if last.stamp == 0 {
          stamp = try reader.integer()
        } else {
          stamp = try reader.stamp(from: last.stamp)
        }
      }
      if flags & 1 << 5 != 0 {
        replaced = try reader.replaced(from: replacedBase(after: last))
      }
      seq = last.seq &+ 1
      if flags & 1 << 6 != 0 {
        seq = unzigzag(try reader.varint(), last.nextSeq)
      }
      field =
        flags & 1 << 7 != 0
        ? UInt32(truncatingIfNeeded: try reader.varint()) : last.field &+ 1
      guard field <= Cell.fieldMax else { throw WireError(.malformed, "A clock names no field.") }
      learnStep(from: last)
    }

    private var nextSeq: UInt64 { seq &+ step }

    private mutating func learnStep(from last: Reading) {
      step = last.stamp != 0 && seq > last.seq ? seq - last.seq : last.step
    }

    /// The base from which `replaced` is counted. It lies as long before the stamp as in the
    /// previous cell, since fields are often written together.
    private func replacedBase(after last: Reading) -> UInt64 {
      last.replaced == 0 ? stamp : stamp &- (last.stamp &- last.replaced)
    }

    @inline(__always)
    mutating func encode(after last: Reading, to writer: inout some ClockWriter) {
      var flags = merge.rawValue
      if kind != nil { flags |= 1 << 2 }
      if site != last.site { flags |= 1 << 3 }
      if stamp != last.stamp { flags |= 1 << 4 }
      if replaced != 0 { flags |= 1 << 5 }
      if seq != last.seq &+ 1 { flags |= 1 << 6 }
      if field != last.field &+ 1 { flags |= 1 << 7 }
      writer.byte(flags)
      if let kind { writer.byte(kind) }
      if site != last.site { writer.varint(UInt64(bitPattern: site)) }
      if stamp != last.stamp {
        if last.stamp == 0 {
          writer.integer(stamp)
        } else {
          writer.stamp(stamp, from: last.stamp)
        }
      }
      if replaced != 0 { writer.replaced(replaced, from: replacedBase(after: last)) }
      if seq != last.seq &+ 1 { writer.varint(zigzag(seq, last.nextSeq)) }
      if field != last.field &+ 1 { writer.varint(UInt64(field)) }
      learnStep(from: last)
    }
  }

  static func zigzag(_ value: UInt64, _ base: UInt64) -> UInt64 {
    let difference = Int64(bitPattern: value &- base)
    return UInt64(bitPattern: difference << 1 ^ difference >> 63)
  }

  static func unzigzag(_ value: UInt64, _ base: UInt64) -> UInt64 {
    base &+ (value >> 1 ^ (0 &- (value & 1)))
  }
}
