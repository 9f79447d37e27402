import Foundation
import Reunion
import ReunionServer

/// The folder of an album: its store, and which space in it is the album.
struct AlbumFolder {
  static let model = Model(
    entities: Model(Album.schema, Guest.schema, Photo.schema, Heart.schema).entities
      + Access.entities)

  let store: Store
  let space: SpaceID
  let access: Access
  /// The album's name as the record has it.
  let name: Signal<String>
  /// Whether there was no album in the folder before, or one that another machine served.
  let isFirstStart: Bool
  private let spaceFile: URL

  /// Opens the folder, and makes the album in it where there is none; a folder with other files
  /// and no album, or with another app's store, is refused and left as it is.
  init(_ path: String, name: String?) throws {
    try Store.requireOwnFolder(path)
    let spaceFile = URL(filePath: path).appending(path: "album.json")
    let kept = try? JSONDecoder().decode(Kept.self, from: Data(contentsOf: spaceFile))
    if kept == nil { try Self.requireAlbum(in: path) }
    store = try Store.open(folder: path, model: Self.model)
    if let kept, let space = SpaceID(kept.space) {
      self.space = space
    } else if let found = try Self.album(in: store) {
      // A clone: the space came from the other machine.
      space = found
    } else {
      space = SpaceID(high: .random(in: 1...UInt64.max), low: .random(in: 1...UInt64.max))
    }
    access = try Access(to: space, in: store)
    isFirstStart = kept?.device != store.site.device
    self.spaceFile = spaceFile
    try Self.createAlbum(in: store, space, name: name)
    let id = Album.id(in: space)
    self.name = try store.live(Query<Album>(in: space)).map { albums in
      albums.first { $0.id == id }?.name ?? "Our album"
    }
  }

  /// Notes that this machine serves the album, once its owner's link is out.
  func keep() throws {
    try JSONEncoder().encode(Kept(space: space.description, device: store.site.device))
      .write(to: spaceFile, options: .atomic)
  }

  /// What stands in `album.json`: the space, and the device that served it last.
  private struct Kept: Codable {
    var space: String
    var device: UInt64
  }

  /// Refuses a store in which there is something, and no album: entities have numbers, and those of
  /// another app would be read as photos.
  private static func requireAlbum(in path: String) throws {
    guard FileManager.default.fileExists(atPath: path + "/store.sqlite") else { return }
    var options = StoreOptions()
    options.isReadOnly = true
    let store = try Store.open(existing: path, options: options)
    defer { try? store.close() }
    let entities = store.model.entities
    let (number, name) = (Album.schema.number, Album.schema.name)
    // A clone of the command has records and no names.
    let named = entities.first { $0.number == number }?.name ?? name
    let spaces = try store.spaces
    let hasAlbum = try spaces.contains {
      try store.record(entity: number, Album.id(in: $0), in: $0) != nil
    }
    // One that was salvaged may have lost the record of the album, and no photo.
    let hasPhotos = entities.contains {
      $0.number == Photo.schema.number && $0.name == Photo.schema.name
    }
    guard spaces.isEmpty || named == name && hasAlbum || hasPhotos else {
      throw Failure(
        "\(path) holds something else than an album, such as a map or feeds: choose another folder."
      )
    }
  }

  private static func album(in store: Store) throws -> SpaceID? {
    try store.spaces.first { space in
      try store.fetch(Album.self, Album.id(in: space), in: space) != nil
    }
  }

  private static func createAlbum(in store: Store, _ space: SpaceID, name: String?) throws {
    let id = Album.id(in: space)
    guard try store.fetch(Album.self, id, in: space) == nil else { return }
    try store.write(in: space) { transaction in
      var album = Album(id: id)
      album.name = name ?? "Our album"
      try transaction.create(album)
    }
  }

}
