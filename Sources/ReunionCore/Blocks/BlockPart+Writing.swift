#if !hasFeature(Embedded)
  extension BlockPart {
    /// Its bytes, which are to be deflated. Cost: O(cells).
    package func encoded() -> [UInt8] {
      var columns = BlockColumns()
      for record in records { columns.add(record) }
      return columns.encoded()
    }
  }

  /// The columns of a part while records are added.
  private struct BlockColumns {
    private var sites = Numbered<Site>()
    private var columns = Numbered<BlockColumn>()
    private var shapes = Numbered<[Int]>()
    private var shapeNumbers = ByteWriter()
    private var highs = ByteWriter()
    private var lows = ByteWriter()
    private var lastHigh: UInt64 = 0
    private var last = BlockClock(seqs: [])
    private var siteNumbers = ByteWriter()
    private var seqs = ByteWriter()
    private var milliseconds = ByteWriter()
    private var counters = ByteWriter()
    private var replaced = ByteWriter()
    private var replacedCounters = ByteWriter()
    private var values: [[[UInt8]]] = []

    mutating func add(_ record: BlockPart.Record) {
      var shape: [Int] = []
      shape.reserveCapacity(record.state.cells.count)
      for cell in record.state.cells {
        let column = columns.number(
          of: BlockColumn(
            entity: record.entity, field: cell.field, merge: cell.merge, kind: cell.value.kind))
        if column == values.count { values.append([]) }
        values[column].append(cell.value.bytes)
        shape.append(column)
        add(cell)
      }
      shapeNumbers.varint(UInt64(shapes.number(of: shape)))
      highs.varint(record.id.high.zigzag(from: lastHigh))
      lastHigh = record.id.high
      lows.integer(record.id.low)
    }

    private mutating func add(_ cell: Cell) {
      let number = sites.number(of: cell.dot.site)
      if number == last.seqs.count { last.seqs.append(0) }
      siteNumbers.varint(UInt64(number))
      seqs.varint(cell.dot.seq.zigzag(from: last.seqs[number] &+ 1))
      last.seqs[number] = cell.dot.seq
      let counter = cell.stamp.rawValue & 0xffff
      milliseconds.varint(cell.stamp.milliseconds.zigzag(from: last.milliseconds))
      counters.varint(counter.zigzag(from: last.counter))
      last.milliseconds = cell.stamp.milliseconds
      last.counter = counter
      guard cell.replaced != .none else { return replaced.varint(0) }
      let distance = cell.stamp.milliseconds - cell.replaced.milliseconds
      replaced.varint(distance.zigzag(from: last.distance) + 1)
      replacedCounters.varint((cell.replaced.rawValue & 0xffff).zigzag(from: counter))
      last.distance = distance
    }

    func encoded() -> [UInt8] {
      var writer = ByteWriter()
      writer.varint(UInt64(sites.all.count))
      for site in sites.all { writer.identifier(site) }
      writer.varint(UInt64(columns.all.count))
      for column in columns.all {
        writer.varint(UInt64(column.entity))
        writer.varint(UInt64(column.field))
        writer.byte(column.merge.rawValue)
        writer.byte(column.kind.rawValue)
      }
      writer.varint(UInt64(shapes.all.count))
      for shape in shapes.all {
        writer.varint(UInt64(shape.count))
        for column in shape { writer.varint(UInt64(column)) }
      }
      for stream in [shapeNumbers, highs] { writer.lengthPrefixed(stream.bytes) }
      writer.bytes(lows.bytes)
      for stream in [siteNumbers, seqs, milliseconds, counters, replaced, replacedCounters] {
        writer.lengthPrefixed(stream.bytes)
      }
      for (column, values) in zip(columns.all, values) { writer.blockValues(values, column.kind) }
      return writer.bytes
    }
  }

  extension ByteWriter {
    fileprivate mutating func blockValues(_ values: [[UInt8]], _ kind: ValueKind) {
      let width = values.first?.count ?? 0
      let isFixed = values.allSatisfy { $0.count == width }
      guard isFixed else {
        byte(BlockValues.lengths.rawValue)
        var lengths = ByteWriter()
        for value in values { lengths.varint(UInt64(value.count)) }
        lengthPrefixed(lengths.bytes)
        for value in values { bytes(value) }
        return
      }
      guard width > 0 else { return byte(BlockValues.none.rawValue) }
      guard width == 8, kind == .int || kind == .date else {
        byte(BlockValues.fixed.rawValue)
        varint(UInt64(width))
        for value in values { bytes(value) }
        return
      }
      byte(BlockValues.numbers.rawValue)
      var last: UInt64 = 0
      for value in values {
        let number = value.reduce(0) { $0 << 8 | UInt64($1) }
        varint(number.zigzag(from: last))
        last = number
      }
    }
  }

  /// Things that have numbers in the order in which they came.
  private struct Numbered<Thing: Hashable> {
    private(set) var all: [Thing] = []
    private var numbers: [Thing: Int] = [:]

    mutating func number(of thing: Thing) -> Int {
      if let number = numbers[thing] { return number }
      numbers[thing] = all.count
      all.append(thing)
      return all.count - 1
    }
  }
#endif
