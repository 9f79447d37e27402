import ReunionCore

/// What the readings of a clock are read from.
protocol ClockReader: ~Copyable {
  mutating func byte() throws(WireError) -> UInt8
  mutating func integer() throws(WireError) -> UInt64
  mutating func varint() throws(WireError) -> UInt64
}

/// What the readings of a clock are written to.
protocol ClockWriter {
  mutating func byte(_ value: UInt8)
  mutating func integer(_ value: UInt64)
  mutating func varint(_ value: UInt64)
}

extension ClockReader where Self: ~Copyable {
  /// Reads a stamp as its difference from another.
  mutating func stamp(from base: UInt64) throws(WireError) -> UInt64 {
    let first = try varint()
    let choice = first & 3
    let counter = choice == 3 ? try varint() : choice == 1 ? 2 : choice >> 1
    return PackedClock.stamp(first >> 2, counter, from: base)
  }

  /// Reads what a cell replaced, most often of the same counter as its base.
  mutating func replaced(from base: UInt64) throws(WireError) -> UInt64 {
    let first = try varint()
    return PackedClock.stamp(first >> 1, first & 1 == 1 ? try varint() : 0, from: base)
  }
}

extension ClockWriter {
  /// Writes a stamp so that `ClockReader.stamp` reads it.
  mutating func stamp(_ stamp: UInt64, from base: UInt64) {
    let milliseconds = PackedClock.zigzag(stamp >> 16, base >> 16)
    let counter = PackedClock.zigzag(stamp & 0xffff, base & 0xffff)
    // Of the differences 0, 1 and -1, which are 0, 2 and 1 in zigzag.
    switch counter {
    case 0: varint(milliseconds << 2)
    case 2: varint(milliseconds << 2 | 1)
    case 1: varint(milliseconds << 2 | 2)
    default:
      varint(milliseconds << 2 | 3)
      varint(counter)
    }
  }

  /// Writes what a cell replaced so that `ClockReader.replaced` reads it.
  mutating func replaced(_ stamp: UInt64, from base: UInt64) {
    let counter = PackedClock.zigzag(stamp & 0xffff, base & 0xffff)
    varint(PackedClock.zigzag(stamp >> 16, base >> 16) << 1 | (counter == 0 ? 0 : 1))
    if counter != 0 { varint(counter) }
  }
}

extension PackedClock {
  /// The stamp that differs from `base` by `milliseconds` and `counter`, both in zigzag.
  fileprivate static func stamp(
    _ milliseconds: UInt64, _ counter: UInt64, from base: UInt64
  ) -> UInt64 {
    unzigzag(milliseconds, base >> 16) << 16 | unzigzag(counter, base & 0xffff) & 0xffff
  }
}

extension ByteReader: ClockReader {
  mutating func integer() throws(WireError) -> UInt64 { try integer(UInt64.self) }
}

extension ByteWriter: ClockWriter {}

extension [UInt8]: ClockWriter {
  mutating func byte(_ value: UInt8) { append(value) }

  mutating func integer(_ value: UInt64) {
    Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
  }

  mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }
}

/// Reads a clock where SQLite holds it, for as long as that does.
struct ClockInput: ClockReader {
  private let bytes: UnsafeRawBufferPointer
  private(set) var position = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var remaining: Int { bytes.count - position }

  /// The bytes from a position on.
  func bytes(from start: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[min(start, bytes.count)...])
  }

  /// The bytes up to a position.
  func bytes(upTo end: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[..<min(end, bytes.count)])
  }

  /// The next bytes.
  mutating func take(_ count: Int) throws(WireError) -> UnsafeRawBufferPointer {
    guard count <= remaining else { throw WireError(.truncated, "A clock ends too early.") }
    defer { position += count }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
  }

  mutating func byte() throws(WireError) -> UInt8 {
    guard position < bytes.count else { throw WireError(.truncated, "A clock ends too early.") }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func integer() throws(WireError) -> UInt64 {
    guard remaining >= 8 else { throw WireError(.truncated, "A clock ends too early.") }
    defer { position += 8 }
    return UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
  }

  mutating func varint() throws(WireError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while shift < 64 {
      let next = try byte()
      value |= UInt64(next & 0x7f) << shift
      if next & 0x80 == 0 { return value }
      shift += 7
    }
    throw WireError(.malformed, "A number is over 64 bits.")
  }
}

/// Writes a clock into memory that is used again and again; its holder frees it.
struct ClockOutput: ClockWriter {
  private var memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 512, alignment: 8)
  private(set) var count = 0

  /// More than a reading takes.
  static let readingBytesMax = 64

  func free() { memory.deallocate() }

  mutating func removeAll() { count = 0 }

  /// Makes room for `byteCount` bytes and two more readings.
  mutating func reserve(_ byteCount: Int) {
    let needed = count + byteCount + 2 * Self.readingBytesMax
    guard memory.count < needed else { return }
    let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: needed * 2, alignment: 8)
    larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count]))
    memory.deallocate()
    memory = larger
  }

  mutating func append(_ other: UnsafeRawBufferPointer) {
    reserve(other.count)
    UnsafeMutableRawBufferPointer(rebasing: memory[count...]).copyMemory(from: other)
    count += other.count
  }

  mutating func byte(_ value: UInt8) {
    memory[count] = value
    count += 1
  }

  mutating func integer(_ value: UInt64) {
    memory.storeBytes(of: value.bigEndian, toByteOffset: count, as: UInt64.self)
    count += 8
  }

  mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      byte(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    byte(UInt8(truncatingIfNeeded: rest))
  }

  /// What was written.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }
}
