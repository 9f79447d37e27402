/// What changes weigh at everybody who holds them.
package struct Weight: Hashable, Sendable {
  /// Bytes of cells, with what they are named by.
  package var bytes: Int
  /// Records that nobody had before.
  package var records: Int

  /// Makes a weight; by default none.
  package init(bytes: Int = 0, records: Int = 0) {
    self.bytes = bytes
    self.records = records
  }

  static func + (left: Weight, right: Weight) -> Weight {
    Weight(bytes: left.bytes + right.bytes, records: left.records + right.records)
  }

  static func - (left: Weight, right: Weight) -> Weight {
    Weight(bytes: left.bytes - right.bytes, records: left.records - right.records)
  }

  /// Whether both are within another's.
  func fits(in other: Weight) -> Bool { bytes <= other.bytes && records <= other.records }
}
