import Foundation
import Reunion
import ReunionFeeds

/// A folder into which a feed is imported, and the space in it.
///
/// It is only looked at until there is something to write: then the store is made, or an old one
/// gets the entities of feeds beside its own.
final class FeedFolder {
  private(set) var space: SpaceID
  /// The feed as it is held, or a new record of it.
  let feed: FeedRecord
  private let path: String
  private let model: Model
  private let isNamed: Bool
  private var opened: Store?

  private static let ours = Model(FeedRecord.schema, FeedEntryRecord.schema)

  /// Looks at a folder, and throws where nothing can be imported into it.
  init(_ path: String, space named: String?, source: String) throws {
    self.path = path
    let named = try named.map { text in
      guard let space = SpaceID(text) else {
        throw CommandFailure(2, "\(text) is not a space's id, which has 32 hexadecimal digits.")
      }
      return space
    }
    isNamed = named != nil
    let fresh = FeedRecord(source: source)
    try Store.requireOwnFolder(path)
    guard FileManager.default.fileExists(atPath: path + "/store.sqlite") else {
      var isFolder: ObjCBool = false
      let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
      guard !isThere || isFolder.boolValue else {
        throw CommandFailure(1, "\(path) is a file: name a folder, or a new one.")
      }
      (model, feed, space) = (Self.ours, fresh, named ?? .random)
      return
    }
    var options = StoreOptions()
    options.isReadOnly = true
    let held = try Store.open(existing: path, options: options)
    defer { try? held.close() }
    let numbers = Set(Self.ours.entities.map(\.number))
    let others = held.model.entities.filter { !numbers.contains($0.number) }
    model = Model(entities: others + Self.ours.entities)
    space = try named ?? Self.onlySpace(of: held) ?? .random
    // A store of before has no origins of feeds until it is opened to be written.
    // Which feed a file is, its entries tell.
    let knowsFeed =
      !fresh.isFile
      && held.model.entities.contains { entity in
        entity.number == FeedRecord.schema.number && entity.fields.contains { $0.number == 10 }
      }
    feed = try knowsFeed ? held.fetch(FeedRecord.self, fresh.id, in: space) ?? fresh : fresh
  }

  /// The store, to write into.
  func store() throws -> Store {
    if let opened { return opened }
    let store = try Store.open(folder: path, model: model)
    opened = store
    // Another import may have made its space here since the folder was looked at.
    if !isNamed { space = try Self.onlySpace(of: store) ?? space }
    return store
  }

  func close() throws { try opened?.close() }

  private static func onlySpace(of store: Store) throws -> SpaceID? {
    let spaces = try store.spaces
    guard spaces.count <= 1 else {
      let names = spaces.map(\.description).joined(separator: "\n  ")
      throw CommandFailure(2, "Say into which space, with --space:\n  \(names)")
    }
    return spaces.first
  }
}

extension SpaceID {
  fileprivate static var random: SpaceID {
    SpaceID(high: .random(in: 1...UInt64.max), low: .random(in: 1...UInt64.max))
  }
}
