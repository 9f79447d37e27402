import Foundation
import Reunion
import ReunionServer

/// The folder of the map: its store, which space in it is the map, and what was read of the feed.
struct QuakeFolder: Sendable {
  static let model = Model(
    entities: Model(FeedStatus.schema, Quake.schema).entities + Access.entities)

  let store: Store
  let space: SpaceID
  let access: Access
  private let file: URL

  /// What stands in `feed.json`.
  private struct Kept: Codable {
    var space: String
    var address: String?
    var version: FeedVersion?
  }

  /// Opens the folder, and makes the map in it where there is none; a folder with other files, or
  /// with another app's store, is refused and left as it is.
  init(_ path: String) throws {
    file = URL(filePath: path).appending(path: "feed.json")
    if !FileManager.default.fileExists(atPath: file.path) { try Self.begin(in: path, file) }
    store = try Store.open(folder: path, model: Self.model)
    if let kept = Self.kept(in: file), let space = SpaceID(kept.space) {
      self.space = space
    } else {
      space = Self.newSpace()
      try Self.keep(Kept(space: space.description), in: file)
    }
    access = try Access(to: space, in: store)
    if try store.fetch(FeedStatus.self, FeedStatus.id(in: space), in: space) == nil {
      let status = FeedStatus(id: FeedStatus.id(in: space))
      try store.write(in: space) { try $0.create(status) }
    }
  }

  /// Begins a map, before there is a store: a store without this file is another app's, whose entities
  /// have the same numbers, and would be read as quakes.
  private static func begin(in path: String, _ file: URL) throws {
    try Store.requireOwnFolder(path)
    guard !FileManager.default.fileExists(atPath: path + "/store.sqlite") else {
      throw Failure(
        "\(path) holds something else than a map, such as an album: choose another folder.")
    }
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
      try keep(Kept(space: newSpace().description), in: file)
    } catch {
      throw Failure("The folder \(path) cannot be written: choose one that is this account's.")
    }
  }

  private static func newSpace() -> SpaceID {
    SpaceID(high: .random(in: 1...UInt64.max), low: .random(in: 1...UInt64.max))
  }

  /// The version of the feed whose quakes are all in the store; nil where another feed was read last.
  func version(of source: FeedSource) -> FeedVersion? {
    let kept = Self.kept(in: file)
    return kept?.address == source.address ? kept?.version : nil
  }

  /// Notes that the quakes of a version are in the store.
  func keep(_ version: FeedVersion?, of source: FeedSource) throws {
    let kept = Kept(space: space.description, address: source.address, version: version)
    try Self.keep(kept, in: file)
  }

  /// How the feed stands, changed where that is news.
  func note(_ change: (inout FeedStatus) -> Void) throws {
    let id = FeedStatus.id(in: space)
    guard var status = try store.fetch(FeedStatus.self, id, in: space) else { return }
    let before = status
    change(&status)
    if status != before { try store.write(in: space) { [status] in try $0.update(status) } }
  }

  private static func kept(in file: URL) -> Kept? {
    try? JSONDecoder().decode(Kept.self, from: Data(contentsOf: file))
  }

  private static func keep(_ kept: Kept, in file: URL) throws {
    try JSONEncoder().encode(kept).write(to: file, options: .atomic)
  }
}
