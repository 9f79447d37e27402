/// Writes numbers, little-endian, and bytes with their length, for the pipe to the image worker.
struct Packer {
  private(set) var bytes: [UInt8] = []

  mutating func put<Number: FixedWidthInteger>(_ number: Number) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func put(_ data: some Collection<UInt8>) {
    put(UInt32(clamping: data.count))
    bytes.append(contentsOf: data)
  }
}

/// Reads what a ``Packer`` wrote; nil wherever the bytes do not hold what is asked for.
///
/// The host reads answers of a process that a hostile picture may have taken over: nothing here traps.
struct Unpacker {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) {
    rest = bytes[...]
  }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func number<Number: FixedWidthInteger>(_: Number.Type = Number.self) -> Number? {
    let size = MemoryLayout<Number>.size
    guard rest.count >= size else { return nil }
    var number: Number = 0
    withUnsafeMutableBytes(of: &number) { $0.copyBytes(from: rest.prefix(size)) }
    rest = rest.dropFirst(size)
    return Number(littleEndian: number)
  }

  mutating func data() -> [UInt8]? {
    guard let count = number(UInt32.self), rest.count >= Int(count) else { return nil }
    defer { rest = rest.dropFirst(Int(count)) }
    return Array(rest.prefix(Int(count)))
  }

  mutating func text() -> String? {
    data().map { String(decoding: $0, as: UTF8.self) }
  }
}
