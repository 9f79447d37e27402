/// The core as functions from bytes to bytes: what the browser calls, and what the vectors test.
///
/// Structures cross in a flat form, numbers most significant byte first, as `DataView` reads them:
///
///     cell:    field u32, merge u8, kind u8, site 16 bytes, seq u64, stamp u64, replaced u64,
///              length u32, bytes
///     cells:   count u32, then cells
///     vector:  count u32, then site 16 bytes and seq u64
///     message: type u8, then its parts in the order of `Message`
///
/// Changes and refusals cross by record: count u32, then entity u32, record 16 bytes, alive u8,
/// cells; before changes the latest stamp of all, u64. What `decode` gives of a record is merged,
/// so that one that is new here needs no further call; `encode` reads neither stamp nor alive.
package enum Bridge {
  /// A function of the core.
  package enum Function: UInt8, Sendable {
    /// Wire bytes → flat message.
    case decode = 1
    /// Flat message → wire bytes.
    case encode = 2
    /// Cells of a record, incoming cells → changed u8, alive u8, cells, conflicts.
    case merge = 3
    /// Wall milliseconds u64, last stamp u64, replaced stamp u64 → stamp u64, last stamp u64.
    case nextStamp = 4
    /// Wall milliseconds u64, last stamp u64, received stamp u64 → last stamp u64.
    case observeStamp = 5
    /// Two vectors → the merged one, then whether the first covers the second, u8.
    case mergeVectors = 6
    /// Bytes → their SHA-256.
    case hash = 7
    /// Orientation u8, stored width u32, height u32, long edge u32 (0: as it is), the bytes of an edit
    /// or none → x, y, width and height of the source, all u32, orientation u8, width u32, height u32.
    case plan = 8
    /// Cells of a record → the bytes of a delete that saw them.
    case deletion = 9
    /// The place below and the one above, each after its length u32 (0: none), random bits u64 → a
    /// place between them, or nothing if there is no room.
    case between = 10
  }

  /// Calls a function.
  ///
  /// - Throws: `WireError` for input that is not in the function's form.
  package static func call(_ function: Function, _ input: [UInt8]) throws(WireError) -> [UInt8] {
    var reader = ByteReader(input)
    var writer = ByteWriter()
    switch function {
    #if REGISTERS_ONLY
      case .decode, .encode, .hash, .between: throw .malformed("There is no such function.")
    #else
      case .decode:
        writer.flatMessage(try Message(decoding: input))
        return writer.bytes
      case .encode:
        return try reader.flatMessage().encoded()
      case .hash:
        return SHA256.hash(input)
      case .between:
        let low = try reader.flatPosition()
        let high = try reader.flatPosition()
        var draw = Draw(bits: try reader.integer(UInt64.self))
        writer.bytes(Position.between(low, high, using: &draw)?.bytes ?? [])
    #endif
    case .merge:
      var state = RecordState(try reader.flatCells())
      var changed = false
      var conflicts: [Cell] = []
      for cell in try reader.flatCells() {
        let outcome = state.merge(cell)
        changed = changed || outcome.changed
        if let conflict = outcome.conflict { conflicts.append(conflict) }
      }
      writer.byte(changed ? 1 : 0)
      writer.byte(state.isAlive ? 1 : 0)
      writer.flatCells(state.cells)
      writer.flatCells(conflicts)
    case .nextStamp:
      let wall = try reader.integer(UInt64.self)
      var clock = HybridClock(last: try reader.flatStamp())
      let replaced = try reader.flatStamp()
      let seq = try reader.integer(UInt64.self)
      let stamp = clock.next(wallMilliseconds: wall, replacing: replaced, seq: seq)
      writer.integer(stamp.rawValue)
      writer.integer(clock.last.rawValue)
    case .observeStamp:
      let wall = try reader.integer(UInt64.self)
      var clock = HybridClock(last: try reader.flatStamp())
      clock.observe(try reader.flatStamp(), wallMilliseconds: wall)
      writer.integer(clock.last.rawValue)
    case .mergeVectors:
      var vector = try reader.flatVector()
      let other = try reader.flatVector()
      let covers = vector.covers(other)
      vector.merge(other)
      writer.flatVector(vector)
      writer.byte(covers ? 1 : 0)
    case .plan:
      let orientation = Orientation(rawValue: try reader.byte())
      let width = try reader.integer(UInt32.self)
      let stored = PictureSize(width: width, height: try reader.integer(UInt32.self))
      let longEdge = try reader.integer(UInt32.self)
      let edit = reader.remaining == 0 ? .original : try reader.pictureEdit()
      let plan = PicturePlan(
        stored: stored, orientation: orientation, edit: edit,
        longEdge: longEdge == 0 ? nil : longEdge)
      writer.integer(plan.source.x)
      writer.integer(plan.source.y)
      writer.integer(plan.source.width)
      writer.integer(plan.source.height)
      writer.byte(plan.orientation.rawValue)
      writer.integer(plan.size.width)
      writer.integer(plan.size.height)
    case .deletion:
      return Cell.deletionValue(seen: RecordState(try reader.flatCells()).seen).bytes
    }
    try reader.finish()
    return writer.bytes
  }
}

#if !REGISTERS_ONLY
  /// One draw of the page's, which has the random numbers.
  private struct Draw: RandomNumberGenerator {
    let bits: UInt64

    func next() -> UInt64 { bits }
  }

  extension ByteReader {
    fileprivate mutating func flatPosition() throws(WireError) -> Position? {
      let bytes = try flatBytes(upTo: Position.bytesMax)
      if bytes.isEmpty { return nil }
      guard let position = Position(bytes: bytes) else {
        throw .malformed("A place in a list is malformed.")
      }
      return position
    }
  }
#endif
