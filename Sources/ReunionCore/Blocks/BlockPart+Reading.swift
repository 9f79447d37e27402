extension BlockPart {
  /// Reads a part, which was inflated before. The cells of a record must come in their canonical order, and of a
  /// field's registers no more than one.
  ///
  /// Cost: O(bytes).
  /// - Throws: `WireError` where it is malformed.
  package init(decoding bytes: [UInt8]) throws(WireError) {
    guard bytes.count <= Self.bytesMax else {
      throw WireError(.tooLarge, "A part of a block is over its limit.")
    }
    var reader = ByteReader(bytes)
    var sites: [Site] = []
    for _ in 0..<(try reader.count(bytesEach: 16)) {
      sites.append(try reader.identifier(Site.self))
    }
    let columns = try reader.blockColumns()
    let shapes = try reader.blockShapes(columns)
    let numbers = try reader.blockNumbers(shapes.count)
    let ids = try reader.blockIDs(numbers.count)
    var clocks = try BlockClockReader(&reader, sites)
    var counts = [Int](repeating: 0, count: columns.count)
    var cellCount = 0
    for number in numbers {
      cellCount += shapes[number].count
      guard cellCount <= min(clocks.cellsMax, Self.cellsMax) else {
        throw WireError(.truncated, "A part of a block ends too early.")
      }
      for column in shapes[number] { counts[column] += 1 }
    }
    var values: [[[UInt8]]] = []
    for count in counts { values.append(try reader.blockValues(count)) }
    try reader.finish()
    var taken = [Int](repeating: 0, count: columns.count)
    records = []
    records.reserveCapacity(numbers.count)
    for (index, number) in numbers.enumerated() {
      var cells: [Cell] = []
      cells.reserveCapacity(shapes[number].count)
      for place in shapes[number] {
        let column = columns[place]
        let value = Value(kind: column.kind, bytes: values[place][taken[place]])
        taken[place] += 1
        let clock = try clocks.next()
        let cell = Cell(
          field: column.field, merge: column.merge, dot: clock.dot, stamp: clock.stamp,
          replaced: clock.replaced, value: value)
        try cell.validate()
        cells.append(cell)
      }
      guard let first = shapes[number].first else { throw .malformed("A record has no cells.") }
      guard let state = RecordState(ordered: cells) else {
        throw .malformed("The cells of a record are out of order.")
      }
      records.append(Record(entity: columns[first].entity, id: ids[index], state: state))
    }
    try clocks.finish()
  }
}

/// Reads the clocks of a part's cells, one after the other.
private struct BlockClockReader: ~Copyable {
  private let sites: [Site]
  private var last: BlockClock
  private var numbers: ByteReader
  private var seqs: ByteReader
  private var milliseconds: ByteReader
  private var counters: ByteReader
  private var replaced: ByteReader
  private var replacedCounters: ByteReader

  init(_ reader: inout ByteReader, _ sites: [Site]) throws(WireError) {
    var streams: [[UInt8]] = []
    for _ in 0..<6 { streams.append(try reader.lengthPrefixed(upTo: BlockPart.bytesMax)) }
    self.sites = sites
    last = BlockClock(seqs: [UInt64](repeating: 0, count: sites.count))
    numbers = ByteReader(streams[0])
    seqs = ByteReader(streams[1])
    milliseconds = ByteReader(streams[2])
    counters = ByteReader(streams[3])
    replaced = ByteReader(streams[4])
    replacedCounters = ByteReader(streams[5])
  }

  /// More cells than this have no clocks here.
  var cellsMax: Int { numbers.remaining }

  mutating func next() throws(WireError) -> (dot: Dot, stamp: Stamp, replaced: Stamp) {
    let number = Int(try numbers.varint(upTo: UInt64(sites.count)))
    guard number < sites.count else { throw .malformed("A cell names no site.") }
    let seq = try seqs.varint().unzigzag(from: last.seqs[number] &+ 1)
    last.seqs[number] = seq
    last.milliseconds = try milliseconds.varint().unzigzag(from: last.milliseconds)
    last.counter = try counters.varint().unzigzag(from: last.counter)
    let stamp = try Self.stamp(last.milliseconds, last.counter)
    let dot = Dot(site: sites[number], seq: seq)
    let distance = try replaced.varint()
    guard distance > 0 else { return (dot, stamp, .none) }
    last.distance = (distance - 1).unzigzag(from: last.distance)
    let counter = try replacedCounters.varint().unzigzag(from: last.counter)
    guard last.distance <= last.milliseconds else {
      throw .malformed("A replaced stamp is malformed.")
    }
    return (dot, stamp, try Self.stamp(last.milliseconds - last.distance, counter))
  }

  private static func stamp(
    _ milliseconds: UInt64, _ counter: UInt64
  ) throws(WireError) -> Stamp {
    guard milliseconds < 1 << 48, counter < 1 << 16 else {
      throw .malformed("A stamp is malformed.")
    }
    return Stamp(rawValue: milliseconds << 16 | counter)
  }

  func finish() throws(WireError) {
    try numbers.finish()
    try seqs.finish()
    try milliseconds.finish()
    try counters.finish()
    try replaced.finish()
    try replacedCounters.finish()
  }
}

extension ByteReader {
  fileprivate mutating func blockColumns() throws(WireError) -> [BlockColumn] {
    var columns: [BlockColumn] = []
    for _ in 0..<(try count(bytesEach: 4)) {
      columns.append(
        BlockColumn(
          entity: try entity(), field: UInt32(try varint(upTo: UInt64(Cell.fieldMax))),
          merge: MergeKind(rawValue: try byte()), kind: ValueKind(rawValue: try byte())))
    }
    return columns
  }

  /// The shapes that records have: which columns their cells are of, in order.
  fileprivate mutating func blockShapes(
    _ columns: [BlockColumn]
  ) throws(WireError) -> [[Int]] {
    var shapes: [[Int]] = []
    for _ in 0..<(try count(bytesEach: 2)) {
      var shape: [Int] = []
      for _ in 0..<(try count(bytesEach: 1)) {
        let number = Int(try varint(upTo: UInt64(columns.count)))
        guard number < columns.count,
          shape.isEmpty
            || columns[number].entity == columns[shape[0]].entity
        else { throw .malformed("A record's shape is malformed.") }
        shape.append(number)
      }
      shapes.append(shape)
    }
    return shapes
  }

  /// The number of each record's shape.
  fileprivate mutating func blockNumbers(_ shapeCount: Int) throws(WireError) -> [Int] {
    var reader = ByteReader(try lengthPrefixed(upTo: BlockPart.bytesMax))
    var numbers: [Int] = []
    while reader.remaining > 0 {
      let number = Int(try reader.varint(upTo: UInt64(shapeCount)))
      guard number < shapeCount, numbers.count < BlockPart.recordsMax else {
        throw .malformed("A part of a block is malformed.")
      }
      numbers.append(number)
    }
    return numbers
  }

  fileprivate mutating func blockIDs(_ count: Int) throws(WireError) -> [RecordID] {
    var highs = ByteReader(try lengthPrefixed(upTo: BlockPart.bytesMax))
    var ids: [RecordID] = []
    var high: UInt64 = 0
    for _ in 0..<count {
      high = try highs.varint().unzigzag(from: high)
      ids.append(RecordID(high: high, low: try integer(UInt64.self)))
    }
    try highs.finish()
    return ids
  }

  fileprivate mutating func blockValues(_ count: Int) throws(WireError) -> [[UInt8]] {
    var values: [[UInt8]] = []
    values.reserveCapacity(count)
    switch BlockValues(rawValue: try byte()) {
    case .none?:
      for _ in 0..<count { values.append([]) }
    case .numbers?:
      var last: UInt64 = 0
      for _ in 0..<count {
        last = try varint().unzigzag(from: last)
        var writer = ByteWriter()
        writer.integer(last)
        values.append(writer.bytes)
      }
    case .fixed?:
      let width = Int(try varint(upTo: UInt64(Value.bytesMax)))
      guard width > 0 else { throw .malformed("A column is malformed.") }
      for _ in 0..<count { values.append(try bytes(width)) }
    case .lengths?:
      var lengths = ByteReader(try lengthPrefixed(upTo: BlockPart.bytesMax))
      for _ in 0..<count {
        values.append(try bytes(Int(try lengths.varint(upTo: UInt64(Value.bytesMax)))))
      }
      try lengths.finish()
    case nil: throw .malformed("A column is malformed.")
    }
    return values
  }
}
