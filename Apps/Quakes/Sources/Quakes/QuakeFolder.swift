import Foundation
import Reunion
import ReunionServer

/// The folder of the map: its store, which space in it is the map, and what was read of the feed.
struct QuakeFolder: Sendable {
  /// What stands in `feed.json`.
  private struct Kept: AppNote {
    var space: String
    var address: String?
    var version: FeedVersion?
    var reach: FeedReach?

    init(space: String) { self.space = space }
  }

  let store: Store
  let space: SpaceID
  let access: Access
  private let folder: AppFolder<FeedStatus, Kept>

  /// Opens the folder, and makes the map in it if there is none. A folder with other files, or with
  /// another app's store, is refused and left as it is.
  init(_ path: String) throws {
    folder = try AppFolder(
      path, file: "feed.json", of: "a map, such as an album",
      entities: .quakes)
    (store, space, access) = (folder.store, folder.space, folder.access)
  }

  /// The server in front of the map.
  func service(
    _ configuration: Server.Configuration, _ options: ServerOptions
  ) throws -> AppService {
    try AppService(folder, configuration, options)
  }

  /// The version of the feed whose quakes are all in the store; nil where another feed was read last.
  func version(of source: FeedSource) -> FeedVersion? {
    let kept = folder.note
    return kept?.address == source.address ? kept?.version : nil
  }

  /// How far back a feed goes; nothing is known of one that was not read last.
  func reach(of source: FeedSource) -> FeedReach {
    let kept = folder.note
    return (kept?.address == source.address ? kept?.reach : nil) ?? FeedReach()
  }

  /// Notes that the quakes of a version are in the store, and how far the feed went so far.
  func keep(_ version: FeedVersion?, _ reach: FeedReach, of source: FeedSource) throws {
    var kept = Kept(space: space.description)
    (kept.address, kept.version, kept.reach) = (source.address, version, reach)
    try folder.keep(kept)
  }

  /// How the feed stands, changed where that is news.
  func note(_ change: (inout FeedStatus) -> Void) throws {
    let id = FeedStatus.id(in: space)
    guard var status = try store.fetch(FeedStatus.self, id, in: space) else { return }
    let before = status
    change(&status)
    if status != before { try store.write(in: space) { [status] in try $0.update(status) } }
  }
}
