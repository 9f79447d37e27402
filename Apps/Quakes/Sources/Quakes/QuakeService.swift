import Foundation
import Reunion
import ReunionServer
import Synchronization

/// The map, served: the store, the watch over the feed, and the server in front.
final class QuakeService: Sendable {
  private let options: Options
  private let source: FeedSource
  private let folder: QuakeFolder
  private let service: AppService
  private let watch = Mutex<Task<Void, Never>?>(nil)

  /// Opens everything; nothing listens yet, and the feed is not asked.
  init(_ options: Options) throws {
    self.options = options
    source = try FeedSource(options.feed, mayLeadInside: options.isInside)
    try source.requireFile()
    // First of all, so that a port in use changes nothing.
    var configuration = try options.server.configuration()
    let folder = try QuakeFolder(options.server.folder)
    self.folder = folder
    configuration.name = { "Earthquakes" }
    let entrance = try Self.entrance(to: folder, in: options.server.folder)
    try configuration.pages.add(folder: entrance, at: "/")
    service = try folder.service(configuration, options.server)
  }

  /// The folder of `/invitation.json`, by which every page that is opened may look at the map. Each
  /// start makes a new one and ends the last.
  private static func entrance(to folder: QuakeFolder, in path: String) throws -> String {
    try folder.access.revokeInvitations(.view)
    let invitation = ["invite": try folder.access.invite(.view)]
    let entrance = URL(filePath: path).appending(path: "entrance", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: entrance, withIntermediateDirectories: true)
    try JSONEncoder().encode(invitation)
      .write(to: entrance.appending(path: "invitation.json"), options: .atomic)
    return entrance.path
  }

  /// Listens, prints what a person needs to know, and begins to watch the feed.
  func start() throws {
    try service.start()
    let banner = Banner(
      count: try folder.store.count(Query<Quake>(in: folder.space)),
      here: service.here, shared: service.shared, feed: source.address,
      everySeconds: options.everySeconds)
    ServerProgram.say(service.banner(banner.lines, risk: "look at the map"))
    let watch = FeedWatch(
      source, into: folder, everySeconds: options.everySeconds, keptDays: options.keptDays
    ) { sentence in
      let time = Date.ISO8601FormatStyle(timeZone: .current).time(includingFractionalSeconds: false)
      ServerProgram.say("\(time.format(Date()))  \(sentence)")
    }
    self.watch.withLock { $0 = Task { await watch.run() } }
  }

  /// Ends the sessions, lets what is under way finish, and closes the store.
  func stop() {
    watch.withLock { $0 }?.cancel()
    service.stop()
  }
}
