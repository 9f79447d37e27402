import ReunionCore

/// The clocks of a record's cells in one blob: about two bytes a cell that was written together with
/// the one before, about ten otherwise.
///
///     flags:  bit 0: further cells are in `reunion_unknown_cell`
///     cells:  flags, then what they name, each as a difference from the cell before:
///             bits 0–1  merge: 0 creation, 1 deletion, 2 register, 3 annotation
///             bit 2     value kind (a byte), where it is not the column's
///             bit 3     site's number
///             bit 4     stamp: eight bytes in the first cell, a difference in others
///             bit 5     stamp − replaced
///             bit 6     difference of seq, where it is not 1
///             bit 7     field, where it is not the next
///             a deletion's length and bytes
enum PackedClock {
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
    writer.byte(hasMore ? 1 : 0)
    var last = Entry()
    for entry in entries {
      let isKindKnown = entry.kind == expectedKind(entry.merge, entry.field, table)
      var flags = entry.merge.rawValue
      if !isKindKnown { flags |= 1 << 2 }
      if entry.site != last.site { flags |= 1 << 3 }
      if entry.stamp != last.stamp { flags |= 1 << 4 }
      if entry.replaced != 0 { flags |= 1 << 5 }
      if entry.seq != last.seq + 1 { flags |= 1 << 6 }
      if entry.field != last.field &+ 1 { flags |= 1 << 7 }
      writer.byte(flags)
      if !isKindKnown { writer.byte(entry.kind.rawValue) }
      if entry.site != last.site { writer.varint(UInt64(entry.site)) }
      if entry.stamp != last.stamp {
        if last.stamp == 0 {
          writer.integer(entry.stamp)
        } else {
          writer.varint(zigzag(entry.stamp, last.stamp))
        }
      }
      if entry.replaced != 0 { writer.varint(entry.stamp - entry.replaced) }
      if entry.seq != last.seq + 1 { writer.varint(zigzag(entry.seq, last.seq)) }
      if entry.field != last.field &+ 1 { writer.varint(UInt64(entry.field)) }
      if entry.merge == .deletion { writer.lengthPrefixed(entry.bytes) }
      last = entry
    }
    return writer.bytes
  }

  static func decode(
    _ bytes: [UInt8], table: Table
  ) throws(WireError) -> (entries: [Entry], hasMore: Bool) {
    var reader = ByteReader(bytes)
    let hasMore = try reader.byte() & 1 == 1
    var entries: [Entry] = []
    var last = Entry()
    while reader.remaining > 0 {
      let flags = try reader.byte()
      var entry = last
      entry.bytes = []
      entry.replaced = 0
      entry.merge = MergeKind(rawValue: flags & 3)
      let kind = flags & 1 << 2 != 0 ? ValueKind(rawValue: try reader.byte()) : nil
      if flags & 1 << 3 != 0 { entry.site = Int64(bitPattern: try reader.varint()) }
      if flags & 1 << 4 != 0 {
        entry.stamp =
          last.stamp == 0
          ? try reader.integer(UInt64.self) : unzigzag(try reader.varint(), last.stamp)
      }
      if flags & 1 << 5 != 0 { entry.replaced = entry.stamp &- (try reader.varint()) }
      entry.seq = flags & 1 << 6 != 0 ? unzigzag(try reader.varint(), last.seq) : last.seq &+ 1
      entry.field =
        flags & 1 << 7 != 0
        ? UInt32(try reader.varint(upTo: UInt64(Cell.fieldMax))) : last.field &+ 1
      entry.kind = kind ?? expectedKind(entry.merge, entry.field, table)
      if entry.merge == .deletion { entry.bytes = try reader.lengthPrefixed(upTo: Value.bytesMax) }
      entries.append(entry)
      last = entry
    }
    return (entries, hasMore)
  }

  private static func expectedKind(
    _ merge: MergeKind, _ field: UInt32, _ table: Table
  ) -> ValueKind {
    switch merge {
    case .creation: .null
    case .deletion: .bytes
    default: table.column(of: field).map { table.columns[$0].kind } ?? .null
    }
  }

  private static func zigzag(_ value: UInt64, _ base: UInt64) -> UInt64 {
    let difference = Int64(bitPattern: value &- base)
    return UInt64(bitPattern: difference << 1 ^ difference >> 63)
  }

  private static func unzigzag(_ value: UInt64, _ base: UInt64) -> UInt64 {
    base &+ (value >> 1 ^ (0 &- (value & 1)))
  }
}
