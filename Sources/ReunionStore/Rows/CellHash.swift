/// A fast hash of words and bytes, for sums that do not go by an order. It finds mistakes and keeps no
/// secrets: somebody who tries can make two values that it does not tell apart.
struct CellHash {
  private(set) var value: UInt64

  init(seed: UInt64 = 0x243f_6a88_85a3_08d3) { value = seed }

  @inline(__always)
  mutating func add(_ word: UInt64) {
    let product = (value ^ word).multipliedFullWidth(by: 0x9e37_79b9_7f4a_7c15)
    value = (product.high ^ product.low) &+ 0x1319_8a2e_0370_7345
  }

  @inline(__always)
  mutating func add(_ word: Int64) { add(UInt64(bitPattern: word)) }

  /// Adds bytes, and how many there are.
  @inline(__always)
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    add(UInt64(bytes.count))
    var offset = 0
    while offset + 8 <= bytes.count {
      add(UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)))
      offset += 8
    }
    guard offset < bytes.count else { return }
    var rest: UInt64 = 0
    while offset < bytes.count {
      rest = rest << 8 | UInt64(bytes[offset])
      offset += 1
    }
    add(rest)
  }
}
