/// How many there are of something, and the sum of their hashes: equal for equal ones in any order.
struct HashSum: Hashable, Sendable {
  private(set) var count = 0
  private var sum: UInt64 = 0

  @inline(__always)
  mutating func add(_ hash: CellHash) {
    count += 1
    sum &+= hash.value
  }

  mutating func add(_ other: HashSum) {
    count += other.count
    sum &+= other.sum
  }
}
