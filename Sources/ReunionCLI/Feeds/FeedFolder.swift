import Foundation
import Reunion

/// A folder into which feeds are imported, and the space in it.
enum FeedFolder {
  /// Opens the store in a folder, or makes one, with its own entities and those of feeds.
  static func open(_ folder: String) throws -> Store {
    let ours = Model(FeedRecord.schema, FeedEntryRecord.schema)
    guard FileManager.default.fileExists(atPath: folder + "/store.sqlite") else {
      try Store.requireOwnFolder(folder)
      return try Store.open(folder: folder, model: ours)
    }
    let held = try Store.open(existing: folder)
    let numbers = Set(ours.entities.map(\.number))
    let others = held.model.entities.filter { !numbers.contains($0.number) }
    if others.count + numbers.count == held.model.entities.count { return held }
    try held.close()
    return try Store.open(folder: folder, model: Model(entities: others + ours.entities))
  }

  /// The space that was named, or the one there is; a new one in a new store.
  static func space(_ named: String?, in store: Store) throws -> SpaceID {
    if let named {
      guard let space = SpaceID(named) else {
        throw CommandFailure(2, "\(named) is no id of a space: that has 32 hexadecimal digits.")
      }
      return space
    }
    let spaces = try store.spaces
    guard spaces.count <= 1 else {
      let names = spaces.map(\.description).joined(separator: "\n  ")
      throw CommandFailure(2, "Say into which space, with --space:\n  \(names)")
    }
    if let space = spaces.first { return space }
    let id = store.newID()
    return SpaceID(high: id.high, low: id.low)
  }
}
