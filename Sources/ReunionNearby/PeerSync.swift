public import Reunion
public import ReunionBluetooth
public import ReunionCore
public import ReunionFlow
import ReunionStore
import ReunionSync

extension Replica {
  /// Keeps a space in sync with a peer, without a server and a network, until the result is
  /// released or ended, or the replica is closed.
  ///
  /// ```swift
  /// import Reunion
  /// import ReunionBluetooth
  /// import ReunionNearby
  ///
  /// func share(_ space: SpaceID, of replica: Replica, to peer: VerifiedPeer) throws -> PeerSync {
  ///   try replica.admit(peer.id, to: space, as: .edit)    // on the device that shares alone
  ///   return try replica.sync(space, over: peer)          // on both
  /// }
  /// ```
  ///
  /// Records come first, then blobs, the small ones before the large. While both devices sync the
  /// space with a server, it rests; while this one would sync with a server at all, blobs over 256
  /// KiB wait for that, unless they are asked for (`PeerSync.fetch`).
  ///
  /// A device that holds nothing about the members of the space takes what this peer tells: call it
  /// with a peer whom the person trusts with the space. *Thread*: any.
  /// - Parameters:
  ///   - space: A space of this replica, or one that the peer has and this replica has not yet.
  ///   - peer: A device that `Bluetooth` has met, in reach or not.
  /// - Returns: The sync. Keep it: released, it ends.
  /// - Throws: `StoreError`: `closed` if the replica is closed, `damaged` if its keys or members
  ///   cannot be understood, and what reading and writing them throws. That the two may not share
  ///   the space is no error: `PeerSync.state` is `blocked` then.
  public func sync(_ space: SpaceID, over peer: VerifiedPeer) throws -> PeerSync {
    try sync(space, over: peer, seededBugs: SeededBugs())
  }

  package func sync(
    _ space: SpaceID, over peer: VerifiedPeer, seededBugs: SeededBugs
  ) throws -> PeerSync {
    let sync = try PeerSync(self, space, peer, seededBugs)
    try whenClosing { [weak sync] in sync?.end() }
    sync.begin()
    return sync
  }
}

/// A space that is kept in sync with a peer.
///
/// ```swift
/// func follow(_ sync: PeerSync) -> SignalSubscription {
///   sync.state.observe { state in
///     if case .blocked(let reason) = state { print(reason) }
///     if case .online = state { print("Side by side.") }
///   }
/// }
/// ```
///
/// Nothing of it throws: a peer that is out of reach comes again, and a refusal is a state.
/// *Thread*: any.
public final class PeerSync: Sendable {
  /// The bytes of a piece of a blob: what may have to come again after a cut.
  private static let pieceBytesMax = 8 * 1024

  private let channel: SpaceChannel
  private let connection: Connection
  private let isServed: Signal<Bool>
  private let store: Store
  private let space: SpaceID

  init(
    _ replica: Replica, _ space: SpaceID, _ peer: VerifiedPeer, _ seededBugs: SeededBugs
  ) throws {
    let store = replica.store
    let directory = try replica.memberDirectory()
    self.space = space
    self.store = store
    let channel = SpaceChannel(
      space, to: peer, directory: directory, store: store, clock: replica.clock,
      seededBugs: seededBugs)
    self.channel = channel
    isServed = replica.isServed(space)
    let clock = replica.clock
    connection = Connection(
      store: store,
      configure: { [weak replica] in
        var configuration = Self.configuration(
          space, channel.terms, hasServer: replica?.hasServer(space) ?? false, replica?.audits,
          seededBugs)
        configuration.presence = channel.terms.flatMap { terms in
          replica?.unusedPresence(in: space).tap(of: terms.other.device)
        }
        configuration.standing = channel.terms.flatMap { terms in
          terms.other.role < .edit
            ? nil : (try? replica?.standingWatch(in: space))?.tap(of: terms.other.device)
        }
        return configuration
      },
      clock: clock, execute: replica.executor,
      makeLink: { PeerLink(clock: clock, transport: channel, seededBugs: seededBugs) })
  }

  private static func configuration(
    _ space: SpaceID, _ terms: PeerGate.Terms?, hasServer: Bool, _ audits: Audits?,
    _ seededBugs: SeededBugs
  ) -> Session.Configuration {
    var configuration = Session.Configuration(space: space, authority: .none)
    configuration.blobPieceBytesMax = pieceBytesMax
    configuration.servesNamedBlobsOnly = true
    configuration.blobOrder = BlobOrder(bytesMax: hasServer ? BlobPolicy.previewBytesMax : .max)
    if seededBugs.blobsUnordered { configuration.blobOrder = nil }
    guard let terms else { return configuration }
    if terms.own.role >= .edit, terms.other.role >= .edit { configuration.audits = audits }
    configuration.beginsAudits = terms.own.device < terms.other.device
    configuration.authority = terms.other.role.authority(of: terms.other.device)
    if seededBugs.roleNotChecked { configuration.authority = .all }
    // Of those who may not change everything nothing is taken anew.
    if configuration.authority == .all { configuration.features = .all.withoutParts }
    configuration.device = terms.other.device
    // What this side may not change there it does not carry there either, and those alone take its
    // refusals to whom it may say what stands.
    configuration.sendsOwnOnly = terms.own.role < .edit
    configuration.tellsRefusals = terms.own.role >= .edit
    return configuration
  }

  func begin() {
    channel.begin(isServed: isServed) { [weak connection] news in
      switch news {
      case .ready: connection?.connect()
      case .away: connection?.disconnect()
      case .refused(let sentence):
        connection?.connect()
        connection?.block(sentence)
      }
    }
  }

  deinit { end() }

  /// Where the sync stands: `idle` while the peer is out of reach or both have a better link,
  /// `blocked` while the two cannot share the space, with a sentence that names the remedy.
  public var state: Signal<Connection.State> { connection.state }

  /// Whether all records are here that the peer had when the two last compared what they hold.
  package var hasCaughtUp: Bool {
    if case .live(let live) = connection.conversation.value { live.hasCaughtUp } else { false }
  }

  /// How many records changed here since an audit found them to differ; see `Connection.repairedCount`.
  public var repairedCount: Signal<Int> { connection.repairedCount }

  /// Compares all living records of the space with the peer's now, and brings together what differs; see
  /// `Connection.audit()`. It happens by itself once a week between two who may both edit.
  /// - Throws: as there.
  public func audit() async throws -> AuditReport { try await connection.audit() }

  /// How many blobs that are missing here the peer was asked for and does not have either.
  public var lackedBlobCount: Int { connection.lackedBlobCount }

  /// Fetches a blob next, however large it is, now or when the peer or a server is back. The last 64
  /// that were asked for are remembered, until they are here or the replica is closed.
  public func fetch(_ blob: BlobReference) { store.blobs.ask(for: blob, in: space) }

  /// Ends the sync: the two stay members and peers, and another sync goes on from where this one
  /// was. Ending it twice does nothing.
  public func end() {
    channel.end()
    connection.disconnect()
  }
}
