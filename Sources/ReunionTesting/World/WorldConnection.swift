public import Reunion
package import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync

/// Two replicas of a world, one of which keeps dialling the other, over links that may fail.
///
/// ```swift
/// let world = World(seed: 5, model: Model(Album.schema))
/// let phone = try world.makeReplica("phone"), server = try world.makeReplica("server")
/// let connection = world.connect(phone, to: server, .init(role: .view))
/// try phone.write { try $0.create(album) }
/// world.run(for: .seconds(30))
/// print(try phone.fetch(Query<Album>(in: world.space)).count)    // 0: a viewer's is taken back
/// world.remove()
/// ```
///
/// *Thread*: that of the world.
public final class WorldConnection: Sendable {
  /// What the two are to each other.
  public struct Terms: Hashable, Sendable {
    /// What the dialling replica may do at the other.
    public var role: WorldRole = .admin
    /// Whether the dialling replica is a leaf: a cache with an outbox.
    public var isLeaf = false
    /// The most bytes of a message that their links carry; the protocol allows 1 MiB at most.
    public var messageBytesMax = 1 << 20

    /// Makes terms; by default two full replicas that trust each other.
    public init(
      role: WorldRole = .admin, isLeaf: Bool = false, messageBytesMax: Int = 1 << 20
    ) {
      self.role = role
      self.isLeaf = isLeaf
      self.messageBytesMax = messageBytesMax
    }
  }

  private struct State {
    var terms: Terms
    var isWanted = false
    var isRevoked = false
    var dialling: Connection?
    var ends: (StreamLink, StreamLink)?
    var session: Session?
    var watch: SignalSubscription?
    var messagesUntilCut: Int?
  }

  /// The replica that dials.
  public let dialler: WorldReplica
  /// The replica that is dialled.
  public let acceptor: WorldReplica
  unowned let world: World
  let there: Cable
  let back: Cable
  private let state: Lock<State>

  init(_ dialler: WorldReplica, _ acceptor: WorldReplica, terms: Terms, seed: UInt64, world: World)
  {
    self.dialler = dialler
    self.acceptor = acceptor
    self.world = world
    there = Cable(clock: world.clock, seed: seed, quality: .good)
    back = Cable(clock: world.clock, seed: ~seed, quality: .good)
    state = Lock(State(terms: terms))
  }

  /// What the two are to each other. A change ends the session under the old terms.
  public var terms: Terms { state.withLock { $0.terms } }

  /// Whether the acceptor has removed the dialler.
  package var isRevoked: Bool { state.withLock { $0.isRevoked } }

  /// The state of the dialling.
  public var connectionState: Connection.State {
    state.withLock { $0.dialling }?.state.value ?? .idle
  }

  /// Where the conversation stands, as the dialler sees it.
  package var conversation: Conversation.State {
    state.withLock { $0.dialling }?.conversation.value ?? .idle
  }

  /// Where it stands at the acceptor.
  var acceptorConversation: Conversation.State {
    state.withLock { $0.session }?.state.value ?? .idle
  }

  /// How many blobs the acceptor was asked for and does not hold.
  var lackedBlobCount: Int { state.withLock { $0.dialling }?.lackedBlobCount ?? 0 }

  /// Sets what the network does to both directions from now on.
  public func setQuality(_ quality: NetworkQuality) {
    there.quality = quality
    back.quality = quality
  }

  /// Swallows everything in one direction or both, or nothing, from now on. The two find out by
  /// silence alone, as from a cable that was pulled.
  public func partition(there isThereCut: Bool, back isBackCut: Bool) {
    there.isCut = isThereCut
    back.isCut = isBackCut
  }

  /// Keeps the two connected from now on.
  public func connect() {
    state.withLock { $0.isWanted = true }
    resume()
  }

  /// Ends the dialling, until `connect()`.
  public func disconnect() {
    state.withLock { $0.isWanted = false }
    state.withLock { $0.dialling }?.disconnect()
  }

  /// Tells the dialling that the network is back.
  public func networkReturned() { state.withLock { $0.dialling }?.networkReturned() }

  /// Asks the dialling to come back after some milliseconds, as a server does that stops.
  package func askBack(after milliseconds: UInt64) {
    state.withLock { $0.dialling }?.askBack(Later(milliseconds: milliseconds))
  }

  /// Ends the present link at once; the dialling comes again.
  public func cut() { state.withLock { $0.ends }?.0.cut() }

  /// Ends the present link after `count` more messages of one side.
  package func cut(afterMessages count: Int, ofDialler isDiallers: Bool) {
    guard let ends = state.withLock({ $0.ends }) else { return }
    (isDiallers ? ends.0 : ends.1).cut(afterMessages: count)
  }

  /// Gives the dialler another role: its session ends, and the next one has the new role.
  public func setRole(_ role: WorldRole) {
    state.withLock { $0.terms.role = role }
    state.withLock { $0.session }?.stop("Your role has changed: connecting again.")
  }

  /// Removes the dialler: its session ends, and no other begins. Its connection is `blocked` then.
  public func revoke() {
    let (session, ends) = state.withLock { state in
      state.isRevoked = true
      return (state.session, state.ends)
    }
    session?.stop("This device was put out of the space.")
    ends?.0.refuse("This device was put out of the space.")
  }

  /// Connects where it is wanted and both run.
  func resume() {
    guard state.withLock({ $0.isWanted }), let store = dialler.running else { return }
    if let dialling = state.withLock({ $0.dialling }) { return dialling.connect() }
    let world = world
    var configuration = world.configuration(terms: terms, authority: .all)
    configuration.dialsServer = true
    let (base, dialler, acceptor) = (configuration, dialler, acceptor)
    let dialling = Connection(
      store: store,
      configure: {
        var configuration = base
        configuration.presence = world.presence?.tap(dialler, with: acceptor)
        configuration.standing = world.standing?.tap(dialler, with: acceptor)
        configuration.blocks = world.blocks?.blocks(of: dialler, store)
        configuration.audits = world.audits
        (configuration.beginsAudits, configuration.isAuditDue) = (true, world.areAuditsDue)
        return configuration
      }, clock: world.clock,
      execute: world.executor(at: dialler),
      chance: { world.random.draw { Double.random(in: 0...1, using: &$0) } },
      makeLink: { [unowned self] in world.seededBugs.over(makeLink()) })
    state.withLock {
      $0.dialling = dialling
      $0.watch = world.coverage?.watch(dialling)
    }
    dialling.connect()
  }

  /// Has one of the two vanish, so that nothing more of it is heard.
  func silence(_ replica: WorldReplica, tellsOther: Bool) {
    guard let ends = state.withLock({ $0.ends }) else { return }
    (replica === dialler ? ends.0 : ends.1).die(tellsOther: tellsOther)
  }

  /// Ends what belongs to a process that has ended.
  func stopped(_ replica: WorldReplica, _ end: ReplicaEnd) {
    if replica === dialler {
      if end != .closed { silence(replica, tellsOther: end != .powerCut) }
      let dialling = state.withLock { $0.dialling.take() }
      dialling?.disconnect()
    } else if end == .closed {
      state.withLock { $0.session }?.stop()
    } else {
      silence(replica, tellsOther: end != .powerCut)
      // What it knew is gone with it, and no claim of the process that follows.
      state.withLock { $0.session = nil }
    }
  }

  private func makeLink() -> any Link {
    let ends = StreamLink.pair(
      clock: world.clock, there, back, log: world.log, messageBytesMax: terms.messageBytesMax)
    state.withLock { $0.ends = ends }
    guard let store = acceptor.running, !acceptor.isGone else {
      // Nobody listens there.
      ends.1.die(tellsOther: false)
      return ends.0
    }
    guard !isRevoked else {
      ends.0.refuse("This device was put out of the space.")
      return ends.0
    }
    let device = dialler.running?.site.device ?? 0
    let isUnchecked = world.seededBugs.rolesCheckedAtOneServer && acceptor.number > 0
    let session = world.session(
      of: acceptor, store, over: ends.1,
      authority: isUnchecked ? .all : terms.role.authority(of: device), with: dialler)
    state.withLock { $0.session = session }
    session.start()
    return ends.0
  }
}

/// What a member of a world may do at the replica that it dials: the roles of a real server, which
/// ReunionServer has as `Role`.
public enum WorldRole: String, Hashable, Sendable, CaseIterable {
  /// See everything.
  case view
  /// Add records, and change or delete those that it added.
  case add
  /// Change and delete everything.
  case edit
  /// Do all of that, and invite others.
  case admin

  func authority(of device: UInt64) -> Authority {
    switch self {
    case .view: .none
    case .add: .own(device: device)
    case .edit, .admin: .all
    }
  }
}
