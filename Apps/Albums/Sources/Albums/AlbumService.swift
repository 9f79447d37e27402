import Foundation
import Reunion
import ReunionMedia
import ReunionServer

/// The album, served: the store, the desk that takes photos, and the server in front.
final class AlbumService: Sendable {
  private let options: Options
  private let album: AlbumFolder
  private let service: AppService
  private let desk: PhotoDesk
  /// Of the guests' link, which the host may replace at any time.
  private let guestSecret: Variable<String>
  private let observation: SignalSubscription

  /// Opens everything; nothing listens yet.
  init(_ options: Options) throws {
    self.options = options
    // First of all, so that a port in use changes nothing.
    var configuration = try options.server.configuration()
    let folder = options.server.folder
    album = try AlbumFolder(folder, name: options.name)
    try album.changeAccess(options)
    desk = try PhotoDesk(
      album: album, renditions: "\(folder)/renditions",
      allowance: options.server.guestAllowance,
      rendering: HourlyAllowance(options.guestHourlyPixels))
    observation = desk.watch()
    // Only its hash is kept, so every start makes a link of its own; the older ones go on to work.
    guestSecret = Variable(try album.access.invite(.add))

    let album = album
    let desk = desk
    let secret = guestSecret
    configuration.rules = desk.rules
    configuration.name = { album.name.value }
    configuration.mayRead = { desk.mayRead($0) }
    configuration.routes = [Self.renditions(of: desk)]
    configuration.invitation = { origin in
      let url = origin.link(secret.value)
      let code = try? QRCode.matrix(of: url)
      return (url, code?.svg(title: "QR code that opens this album") ?? "")
    }
    configuration.renewInvitation = {
      let renewed = try album.access.renewInvitations(.add)
      secret.value = renewed
    }
    configuration.sandbox = ImageSandbox.ofThisMachine.walls
    let reader = Self.strangersReader()
    configuration.readCodes = { path in try await reader.read(path, for: [.qr]).map(\.text) }
    configuration.pages.alias("/wall", of: "/wall.html")
    service = try album.service(configuration, options.server)
  }

  /// Listens, and prints what a person needs to know.
  func start() throws {
    try service.start()
    let printsOwner = album.isFirstStart || options.makesOwnerLink
    let owner = try printsOwner ? album.access.inviteOwner() : nil
    let (here, shared) = (service.here, service.shared)
    let guestSecret = guestSecret.value
    let banner = Banner(
      name: album.name.value, photoCount: try album.store.count(Query<Photo>(in: album.space)),
      guests: shared.link(guestSecret), here: here.link(guestSecret),
      owner: owner.map { shared.link($0) },
      wall: (options.server.publicOrigin ?? here).link(guestSecret, page: "wall"),
      shortfall: ImageSandbox.ofThisMachine.shortfall)
    let lines = try banner.lines(isTerminal: isatty(STDOUT_FILENO) == 1)
    ServerProgram.say(service.banner(lines, risk: "listen in"))
    if album.isFirstStart { try album.keep() }
    let desk = desk
    Task {
      await desk.catchUp()
      desk.tidy()
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
