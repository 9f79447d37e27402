import Foundation
import Reunion
import Entrance
import ReunionMedia
import ReunionServer

/// The album, served: the store, the pipeline that takes photos in, and the server in front.
final class AlbumService: Sendable {
  private let options: Options
  private let album: AlbumFolder
  private let service: AppService
  private let pipeline: PhotoPipeline
  private let guests: GuestLink
  private let observation: SignalSubscription

  /// Opens everything; nothing listens yet.
  init(_ options: Options) throws {
    self.options = options
    // First of all, so that a port in use changes nothing.
    var configuration = try options.server.configuration()
    let folder = options.server.folder
    album = try AlbumFolder(folder, name: options.name)
    try album.changeAccess(options)
    pipeline = try PhotoPipeline(
      album: album, renditions: "\(folder)/renditions",
      allowance: options.server.guestAllowance,
      rendering: HourlyAllowance(options.guestHourlyPixels))
    observation = pipeline.watch()
    guests = try GuestLink(to: album.access)
    guests.offer(in: &configuration, title: "QR code that opens this album")

    let album = album
    let pipeline = pipeline
    configuration.rules = pipeline.rules
    configuration.name = { album.name.value }
    configuration.mayRead = { pipeline.mayRead($0) }
    configuration.mayOnlySave = { pipeline.mayOnlySave($0, $1) }
    configuration.routes = [Self.renditions(of: pipeline)]
    configuration.sandbox = ImageSandbox.ofThisMachine.walls
    let reader = Self.strangersReader()
    configuration.readCodes = { path in try await reader.read(path, for: [.qr]).map(\.text) }
    configuration.pages.alias("/wall", of: "/wall.html")
    service = try album.service(configuration, options.server)
  }

  /// Listens, and prints what a person needs to know.
  func start() throws {
    try service.start()
    // The same picture of several people is one.
    let count = Set(try album.store.fetch(Query<Photo>(in: album.space)).compactMap(\.original))
      .count
    let photos = count == 1 ? "1 photo" : "\(count) photos"
    let links = try guests.links(
      at: service, invitesOwner: album.isFirstStart || options.makesOwnerLink)
    var lines = try links.lines("\(album.name.value) · \(photos)")
    let origin = options.server.publicOrigin ?? service.here
    lines.append("Wall: \(origin.link(guests.secret, page: "wall"))")
    if let shortfall = ImageSandbox.ofThisMachine.shortfall { lines += ["", shortfall] }
    ServerProgram.say(service.banner(lines, risk: "listen in"))
    if album.isFirstStart { try album.keep() }
    let pipeline = pipeline
    Task {
      await pipeline.catchUp()
      pipeline.tidy()
    }
  }

  /// Ends the sessions, lets what is under way finish, and closes the store.
  func stop() { service.stop() }

  /// For pictures of people who have not joined: small ones, and a process for each.
  private static func strangersReader() -> BarcodeReader {
    var limits = ImageLimits()
    limits.pixelsMax = 50_000_000
    limits.fileBytesMax = 8 << 20
    limits.secondsMax = 10
    limits.picturesPerWorker = 1
    return BarcodeReader(limits: limits)
  }
}
