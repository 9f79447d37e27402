import Dispatch
import Foundation
import ReunionCommandLine
public import ReunionCore
import ReunionFlow
public import ReunionStore
import ReunionSync

/// A replica that is always on: it serves a space over HTTP and WebSocket, with pages, blobs and
/// uploads.
///
/// ```swift
/// let spaces = try ServedSpaces(folder: "./data")
/// var configuration = Server.Configuration(
///   listener: try ListeningSocket(address: "127.0.0.1", port: 8080),
///   uploadFolder: "./data/uploads", name: { "Notes" })
/// configuration.rules = .files(bytesMax: 20_000_000)
/// let server = try Server(spaces, in: spaces.store, configuration: configuration)
/// try server.start()
/// ```
///
/// `SpaceService` is this with a command's options, for any model. Keep the server while it serves:
/// released, it stops, and says so to `Configuration.notice`.
///
/// *Thread*: any; it works on its own threads. *Durability*: what it acknowledges is fsynced.
public final class Server: Sendable {
  /// What the server serves, and where.
  public struct Configuration: Sendable {
    /// Where it listens. Make it first, so that nothing changes on disk if the port is in use.
    public var listener: ListeningSocket
    /// The server's names, beside numeric addresses and localhost.
    public var names: [String] = []
    /// Where people reach it through a proxy. Links name it; with TLS, cookies and headers follow
    /// it too.
    public var publicOrigin: Origin?
    /// The proxies in front of it.
    public var proxies = Proxies()
    /// The version that `/health` tells.
    public var version = "0.1.0"
    /// The folder of uploads under way.
    public var uploadFolder: String
    /// The files of the page.
    public var pages = Pages()
    /// The rules for uploads.
    public var rules: UploadRules
    /// The name of the space, for people who join; if there are several, each has its own.
    public var name: @Sendable () -> String
    /// Whether a member with a role below `blobRole` may have a blob.
    public var mayRead: @Sendable (BlobHash) -> Bool
    /// Whether a member may have a blob as a file to save and in no other way: no browser shows it,
    /// not even to somebody whose role gives all blobs.
    public var mayOnlySave: @Sendable (BlobHash, Access.Device) -> Bool = { _, _ in false }
    /// The least role that exchanges blobs over its session, and that may have originals over HTTP.
    package var blobRole = Role.admin
    /// The least role whose devices others see while they are connected (`Presence`). A device with a lower
    /// one sees the others all the same.
    public var presenceRole = Role.view
    /// The app's own routes.
    public var routes: [AppRoute] = []
    /// Where people elsewhere reach it, given the address that a request was sent to.
    public var shareable: @Sendable (HostAddress) -> Origin = { Origin($0) }
    /// The guests' link there, and its QR code as SVG.
    public var invitation: @Sendable (_ origin: Origin) -> (url: String, svg: String)

    /// Withdraws the guests' links and makes a new one, which `invitation` gives from then on; nil
    /// if there are no such links.
    public var renewInvitation: (@Sendable () throws -> Void)?

    /// The log of who came in and who was refused, removed or limited; nil for none.
    public var log: SecurityLog?

    /// Called with each sentence that the host should know; by default it goes to standard error.
    public var notice: @Sendable (String) -> Void = { sentence in
      FileHandle.standardError.write(Data("\(sentence)\n".utf8))
    }

    /// The texts of the QR codes in a picture. It comes from somebody who is no member yet and may
    /// be hostile: read it in a separate process. Nil if nobody may join by a picture.
    public var readCodes: (@Sendable (_ path: String) async throws -> [String])?

    /// Which walls stand around the process that decodes pictures, by name; `/health` tells the
    /// host. Nil if the server decodes none.
    public var sandbox: [String: Bool]?

    /// The app's own rule about what people bring by sync. It does not see invitations and members.
    public var rule: TransactionRule?

    /// What its sessions get their time and turns from.
    package var scheduling = RelayScheduling()
    /// The most requests of a guest's device in a minute: a wall of thousands of pictures is shown,
    /// and a flood is told to wait.
    package var requestsPerMinute = 12_000

    /// Takes what has no default. The server does not offer what you leave out: uploads, blobs or
    /// invitations.
    public init(
      listener: ListeningSocket, uploadFolder: String, rules: UploadRules = .none,
      name: @escaping @Sendable () -> String,
      mayRead: @escaping @Sendable (BlobHash) -> Bool = { _ in false },
      invitation: @escaping @Sendable (Origin) -> (url: String, svg: String) = { _ in ("", "") }
    ) {
      self.listener = listener
      self.uploadFolder = uploadFolder
      self.rules = rules
      self.name = name
      self.mayRead = mayRead
      self.invitation = invitation
    }
  }

  /// What is served, and who may enter.
  let spaces: ServedSpaces
  /// The persons and their devices; nil if persons have no spaces of their own.
  let persons: Persons?
  let store: Store
  let configuration: Configuration
  let relay: Relay
  private let guests: GuestLedger
  let uploads: Uploads
  /// What newcomers take of large spaces.
  let blocks: Blocks
  /// What writes the bytes that clients send.
  let write: Session.Executor
  let requestGuard: RequestGuard
  let pictures = InvitationPictures()
  let health = HealthOfFiles()
  /// What app's routes take in.
  let bodies = BodyPlaces()
  /// Requests to join, strangers' by network, members' by token: a party behind one router gets in,
  /// and a flood does not.
  let joins = Lock(RateLimit(300, in: 600))
  /// Members who join one space again: each is a record for ever.
  let joinsAgain = Lock(RateLimit(20, in: 600))
  /// Strangers who bring a pairing link, by network; devices that ask for one or open a space, by
  /// token.
  let pairings = Lock(RateLimit(60, in: 600))
  let personActs = Lock(RateLimit(60, in: 600))
  /// Own spaces that are new, by network: who joins again and again as somebody else fills no
  /// server soon.
  let openings = Lock(RateLimit(300, in: 600))
  /// The same in a day: all places that there are last one network for a fortnight.
  let openingsOfDay = Lock(RateLimit(600, in: 86_400))
  /// Guests' requests, by token.
  let requests: Lock<RateLimit>
  private let http = Lock<HTTPServer?>(nil)
  /// A session is a use of its membership, also where it lasts for months.
  private let useNoting: Pendulum

  /// Prepares a server of one space; it serves after `start`. Persons have no spaces of their own
  /// on it.
  ///
  /// - Throws: as the initializer for several spaces.
  public convenience init(
    _ space: SpaceID, in store: Store, access: Access, configuration: Configuration
  ) throws {
    try self.init(
      ServedSpaces(space, in: store, access: access, name: configuration.name), in: store,
      configuration: configuration)
  }

  /// Prepares a server of any number of spaces; it serves after `start`.
  ///
  /// The store stays its owner's: `stop` does not close it.
  /// - Throws: `StoreError` if the store cannot be read; the system's error if the folder of
  ///   uploads cannot be made or read.
  public init(
    _ spaces: ServedSpaces, in store: Store, configuration: Configuration
  ) throws {
    self.spaces = spaces
    persons = spaces.hasOwn ? Persons(of: spaces, in: store) : nil
    self.store = store
    var configuration = configuration
    configuration.notice = HostNotices.once(HostNotices.fullDisk, configuration.notice)
    self.configuration = configuration
    requests = Lock(RateLimit(configuration.requestsPerMinute, in: 60))
    let guests = GuestLedger(
      file: configuration.uploadFolder + ".today.json", allowance: configuration.rules.allowance)
    self.guests = guests
    blocks = Blocks(store)
    let relay = Relay(
      store: store, blocks: blocks, guests: guests,
      roles: Relay.Roles(blobs: configuration.blobRole, presence: configuration.presenceRole),
      isShared: spaces.isShared, rule: configuration.rule, scheduling: configuration.scheduling,
      tell: configuration.notice)
    self.relay = relay
    useNoting = Pendulum(every: .seconds(43_200), clock: configuration.scheduling.clock) {
      [weak relay] _ in
      relay?.noteUse()
    }
    spaces.observe { access in
      access.observe { [weak relay] in relay?.endRevoked() }
    }
    requestGuard = RequestGuard(
      names: configuration.names + [configuration.publicOrigin?.host.name].compactMap { $0 },
      publicOrigin: configuration.publicOrigin)
    let time = try store.lastTime(at: Date().wallMilliseconds)
    let folder = try UploadFolder(
      at: configuration.uploadFolder, guests: guests, now: Double(time.earliest) / 1000,
      blobPath: store.blobs.path)
    InvitationPictures.removeRest(in: configuration.uploadFolder)
    write = configuration.scheduling.write ?? Uploads.queue()
    uploads = Uploads(
      folder: folder, store: store, spaces: spaces, rules: configuration.rules,
      clock: configuration.scheduling.clock, write: write, tell: configuration.notice
    ) { relay.announce($0, in: $1) }
  }

  /// Serves from now on.
  ///
  /// - Throws: `ServerError` if the system has no room for it.
  public func start() throws {
    let guarding = requestGuard
    var limits = HTTPLimits()
    limits.isProxy = { [proxies = configuration.proxies] in proxies.holds($0) }
    let server = try HTTPServer(
      configuration.listener, limits: limits,
      always: { guarding.isSecure($0) ? ["Strict-Transport-Security": "max-age=31536000"] : [:] }
    ) { [weak self] request in
      self?.answer(request) ?? .respond(.error(503, "The server is stopping."))
    }
    http.withLock { $0 = server }
    // For links that a command makes; it can be told the address as well.
    let address = configuration.shareable(
      HostAddress("localhost").with(defaultPort: configuration.listener.port))
    try? ServerAddressFile.write(address.description, in: store.folder)
  }

  deinit {
    guard let running = http.withLock({ $0.take() }) else { return }
    configuration.notice(
      "The server on port \(configuration.listener.port) was released while it ran, and stops."
        + " Keep it while it serves, and call stop() at the end.")
    running.stop()
  }

  /// Says goodbye to everyone, waits for running work, and stops. Again it does nothing.
  ///
  /// It returns when the last answer has gone or two seconds are over, and what had come of uploads
  /// is in their files. *Thread*: any that may wait.
  public func stop() {
    let running = http.withLock { $0.take() }
    if running != nil { relay.sayFarewell() }
    running?.stop()
    relay.drain()
    blocks.removeAll()
    // What came for uploads is in their files when the next server looks.
    let isWritten = DispatchSemaphore(value: 0)
    write { isWritten.signal() }
    isWritten.wait()
    try? guests.write()
  }

  /// The number of replicas that are connected.
  package var replicaCount: Int { relay.replicaCount }
}
