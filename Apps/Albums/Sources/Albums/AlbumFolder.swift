import Foundation
import Reunion
import ReunionServer

/// The folder of an album: its store, and which space in it is the album.
struct AlbumFolder {
  /// What stands in `album.json`: the space, and the device that served it last.
  private struct Served: AppNote {
    var space: String
    var device: UInt64?

    init(space: String) { self.space = space }
  }

  let store: Store
  let space: SpaceID
  let access: Access
  /// The album's name as the record has it.
  let name: Signal<String>
  /// Whether there was no album in the folder before, or one that another machine served.
  let isFirstStart: Bool
  private let folder: AppFolder<Album, Served>

  /// Opens the folder, and makes the album in it if there is none. A folder with other files and no
  /// album, or with another app's store, is refused and left as it is.
  init(_ path: String, name: String?) throws {
    folder = try AppFolder(
      path, file: "album.json", of: "an album, such as a map or feeds", entities: .album
    ) { $0.name = name ?? "Our album" }
    (store, space, access) = (folder.store, folder.space, folder.access)
    isFirstStart = folder.note?.device != store.device
    let id = Album.id(in: space)
    self.name = try store.live(Query<Album>(in: space)).map { albums in
      albums.first { $0.id == id }?.name ?? "Our album"
    }
  }

  /// The server in front of the album.
  func service(
    _ configuration: Server.Configuration, _ options: ServerOptions
  ) throws -> AppService {
    try AppService(folder, configuration, options)
  }

  /// Notes that this machine serves the album, once its owner's link is out.
  func keep() throws {
    var served = Served(space: space.description)
    served.device = store.device
    try folder.keep(served)
  }
}
