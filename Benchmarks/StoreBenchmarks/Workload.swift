import CRawStore
import Foundation
import Reunion

/// Workload M: 10,000 records of ten fields, set field by field over all records.
enum Workload {
  static let records = 10_000
  static let fields = 10
  static var sets: Int { records * fields }
  static let space = SpaceID(high: 0, low: 1)

  static func id(_ record: Int) -> RecordID {
    var high: UInt64 = 0
    var low: UInt64 = 0
    workload_id(Int32(record), &high, &low)
    return RecordID(high: high, low: low)
  }

  static func number(_ record: Int, _ field: Int, _ generation: Int) -> Int {
    Int(workload_number(Int32(record), Int32(field), Int32(generation)))
  }

  static func text(_ number: Int) -> String {
    String(unsafeUninitializedCapacity: 17) { buffer in
      buffer.withMemoryRebound(to: CChar.self) {
        workload_text(UInt32(truncatingIfNeeded: number), $0.baseAddress)
      }
      return 16
    }
  }

  /// Makes the records without values, in one transaction.
  static func makeRecords(_ count: Int = records, in store: Store) throws {
    try store.write(in: space) { transaction in
      for record in 0..<count { try transaction.create(Bare(id: id(record))) }
    }
  }

  /// A record with all its fields, as after the first pass.
  static func item(_ record: Int) -> Item {
    var item = Item(id: id(record))
    item.f0 = text(number(record, 0, 0))
    item.f1 = number(record, 1, 0)
    item.f2 = text(number(record, 2, 0))
    item.f3 = number(record, 3, 0)
    item.f4 = text(number(record, 4, 0))
    item.f5 = number(record, 5, 0)
    item.f6 = text(number(record, 6, 0))
    item.f7 = number(record, 7, 0)
    item.f8 = text(number(record, 8, 0))
    item.f9 = number(record, 9, 0)
    return item
  }

  /// Sets fields in their order, `batch` of them in a transaction.
  static func set(
    _ range: Range<Int>, generation: Int, batch: Int, in store: Store
  ) throws {
    var index = range.lowerBound
    while index < range.upperBound {
      let end = min(index + batch, range.upperBound)
      try store.write(in: space) { transaction in
        for index in index..<end {
          try set(index / records, of: index % records, generation, transaction)
        }
      }
      index = end
    }
  }

  private static func set(
    _ field: Int, of record: Int, _ generation: Int, _ transaction: WriteTransaction
  ) throws {
    let id = id(record)
    let number = number(record, field, generation)
    switch field {
    case 0: try transaction.set(\Item.f0, of: id, to: text(number))
    case 1: try transaction.set(\Item.f1, of: id, to: number)
    case 2: try transaction.set(\Item.f2, of: id, to: text(number))
    case 3: try transaction.set(\Item.f3, of: id, to: number)
    case 4: try transaction.set(\Item.f4, of: id, to: text(number))
    case 5: try transaction.set(\Item.f5, of: id, to: number)
    case 6: try transaction.set(\Item.f6, of: id, to: text(number))
    case 7: try transaction.set(\Item.f7, of: id, to: number)
    case 8: try transaction.set(\Item.f8, of: id, to: text(number))
    default: try transaction.set(\Item.f9, of: id, to: number)
    }
  }
}

/// A record of workload M.
struct Item: Entity {
  let id: RecordID
  var f0 = ""
  var f1 = 0
  var f2 = ""
  var f3 = 0
  var f4 = ""
  var f5 = 0
  var f6 = ""
  var f7 = 0
  var f8 = ""
  var f9 = 0

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Item>(
    1, "item",
    [
      .field(1, "f0", \.f0), .field(2, "f1", \.f1), .field(3, "f2", \.f2), .field(4, "f3", \.f3),
      .field(5, "f4", \.f4), .field(6, "f5", \.f5), .field(7, "f6", \.f6), .field(8, "f7", \.f7),
      .field(9, "f8", \.f8), .field(10, "f9", \.f9),
    ])
}

/// The same entity as a program sees it that knows no field of it yet.
struct Bare: Entity {
  let id: RecordID
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Bare>(1, "item", [])
}

/// A folder for a benchmark, removed with everything in it.
final class Folder {
  let path: String

  init() {
    path =
      FileManager.default.temporaryDirectory.path
      + "/reunion-bench-\(UInt64.random(in: 0 ... .max))"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Opens a store in it.
  func open(
    _ durability: StoreOptions.Durability = .normal, model: Model = Model(Item.schema)
  ) throws -> Store {
    var options = StoreOptions()
    options.durability = durability
    return try Store.open(folder: path + "/store", model: model, options: options)
  }
}
