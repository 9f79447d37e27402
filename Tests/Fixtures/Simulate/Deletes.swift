import ReunionCore
import ReunionFlow
import ReunionStore

/// A record of the row `deletes-1m` of `make bench-sync`.
private struct Item: Entity {
  let id: RecordID
  var title = ""
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Item>(1, "item", [.field(1, "title", \.title)])
}

/// Creates and deletes records in a store of a folder, a thousand in a commit, and lets the days pass after which a
/// server lets them go. One record stays.
func deleteMany(_ count: Int, in folder: String) throws {
  let now = Lock<UInt64>(1_800_000_000_000)
  var options = StoreOptions()
  options.wallMilliseconds = { now.withLock { $0 } }
  let store = try Store.open(folder: folder, model: Model(Item.schema), options: options)
  let space = SpaceID(high: 1, low: 2)
  _ = try store.write(in: space) { try $0.create(Item.self) { $0.title = "kept" } }
  for start in stride(from: 0, to: count, by: 1000) {
    let ids = try store.write(in: space) { transaction in
      try (start..<min(start + 1000, count)).map { number in
        try transaction.create(Item.self) { $0.title = "item \(number)" }.id
      }
    }
    try store.write(in: space) { transaction in
      for id in ids { try transaction.delete(Item.self, id) }
    }
  }
  for _ in 0..<62 {
    now.withLock { $0 += 86_400_000 }
    _ = try store.blobs.collect()
    try store.closePast(of: space, upTo: store.arrival(of: space))
  }
  print("\(try store.horizon(of: space)) of \(try store.arrival(of: space)) arrivals are closed")
  try store.close()
}
