import ReunionFlow
import ReunionStore
import ReunionTesting
import Testing

@testable import ReunionCore
@testable import ReunionSync

/// What it costs that two replicas meet which met before (docs/protocol.md 2.21).
@Suite struct MeetingTests {
  struct Note: Entity {
    let id: RecordID
    var text = ""
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Note>(1, "note", [.field(1, "text", \.text)])
  }

  /// A link that counts what goes over it.
  final class Scale: Link {
    let link: MemoryLink
    let sent = Lock(0)
    init(_ link: MemoryLink) { self.link = link }
    var messageBytesMax: Int { link.messageBytesMax }
    /// Whether it says that it has no room.
    let isFull = Lock(false)
    var queuedBytes: Int { isFull.withLock { $0 } ? .max : link.queuedBytes }
    private let hears = Lock<(@Sendable (LinkEvent) -> Void)?>(nil)
    func start(_ deliver: @escaping @Sendable (LinkEvent) -> Void) {
      hears.withLock { $0 = deliver }
      link.start(deliver)
    }
    /// Has room again.
    func drain() {
      isFull.withLock { $0 = false }
      hears.withLock { $0 }?(.drained)
    }
    func pauseReceiving(_ isPaused: Bool) { link.pauseReceiving(isPaused) }
    func close() { link.close() }
    /// Whether what it sends comes nowhere.
    let isLost = Lock(false)
    func send(_ message: [UInt8]) {
      guard !isLost.withLock({ $0 }) else { return }
      sent.withLock { $0 += message.count }
      link.send(message)
    }
  }

  /// Two replicas of a space in which a number of devices have written, and their sessions.
  final class Pair {
    let world: World
    let replicas: [WorldReplica]
    let isLeaf: Bool
    var dialsServer = true
    private(set) var sessions: [Session] = []
    var features = [Features.all, .all]
    /// How many sites both sessions kept in mind while they were live.
    private(set) var sitesNamed = 0

    init(sites: UInt64, isLeaf: Bool = false, bugs: SeededBugs = []) throws {
      self.isLeaf = isLeaf
      world = World(seed: 1, model: Model(Note.schema), seededBugs: bugs)
      replicas = [try world.makeReplica("server"), try world.makeReplica("phone")]
      let space = world.space
      try replicas[0].store.write(in: space) { try $0.create(Note.self) { $0.text = "first" } }
      var vector = VersionVector()
      for number in 1...sites { vector.raise(Site(device: number, incarnation: 7), to: 1) }
      let push = IncomingPush(
        peer: Site(device: 3, incarnation: 7), helloSeq: 1, changes: [], raised: vector,
        vector: vector, position: [1])
      _ = try replicas[0].store.apply(push, in: space, authority: .all)
    }

    deinit { world.remove() }

    /// Meets, until both fall silent: the bytes that each side sent, the server's first.
    func meet() throws -> [Int] {
      let ends = MemoryLink.pair(
        clock: world.clock, faults: LinkFaults(delayMilliseconds: 10...10), random: world.random)
      let scales = [Scale(ends.0), Scale(ends.1)]
      sessions = zip(replicas, scales).enumerated().map { index, side in
        let (replica, link) = side
        var configuration = Session.Configuration(space: world.space)
        configuration.isLeaf = index == 1 && isLeaf
        configuration.dialsServer = index == 1 && dialsServer
        configuration.features = features[index]
        let clock = world.clock
        return Session(
          link: link, store: replica.store, configuration: configuration, clock: clock,
          execute: { work in _ = clock.schedule(at: clock.now, work) })
      }
      for session in sessions { session.start() }
      world.run(for: .seconds(2))
      defer { part() }
      sitesNamed = sessions.reduce(0) { count, session in
        guard case .live(let live) = session.state.value else { return count }
        return count + live.held.told.entries.count + live.theirSites.count + live.ourSites.count
      }
      return scales.map { scale in scale.sent.withLock { $0 } }
    }

    private func part() {
      for session in sessions { session.stop() }
      world.run(for: .seconds(1))
    }
  }

  @Test(arguments: [false, true])
  func `where nothing changed, a meeting costs as much with ten thousand sites as with ten`(
    isLeaf: Bool
  ) throws {
    var costs: [[Int]] = []
    var kept: [Int] = []
    for sites in [10, 10_000] as [UInt64] {
      let pair = try Pair(sites: sites, isLeaf: isLeaf)
      let first = try pair.meet()
      #expect(first[0] > 17 * Int(sites))
      costs.append(try pair.meet())
      kept.append(pair.sitesNamed)
    }
    print("A meeting at 10 and 10,000 sites, bytes of \(isLeaf ? "a leaf" : "a replica"): \(costs)")
    #expect(costs[0] == costs[1] && kept[0] == kept[1] && kept[0] < 10)
    #expect(costs.joined().allSatisfy { $0 <= 200 })
  }

  @Test func `an earlier version is told all, and goes on`() throws {
    for features in [[Features.all, .none], [.none, .all]] {
      let pair = try Pair(sites: 1_000)
      pair.features = features
      _ = try pair.meet()
      #expect(try pair.meet().allSatisfy { $0 > 17_000 })
    }
  }

  @Test func `what rose since is named, and nothing else`() throws {
    let pair = try Pair(sites: 1_000)
    _ = try pair.meet()
    let (server, phone) = (pair.replicas[0].store, pair.replicas[1].store)
    try phone.write(in: pair.world.space) { try $0.create(Note.self) { $0.text = "of the phone" } }
    try server.write(in: pair.world.space) {
      try $0.create(Note.self) { $0.text = "of the server" }
    }
    #expect(try pair.meet().allSatisfy { $0 < 500 })
    #expect(try server.digest(of: pair.world.space) == phone.digest(of: pair.world.space))
    #expect(try server.vector(of: pair.world.space) == phone.vector(of: pair.world.space))
    // The news itself is named once more, since the position was told before.
    #expect(try pair.meet().allSatisfy { $0 <= 300 })
    #expect(try pair.meet().allSatisfy { $0 <= 200 })
  }

  @Test func `a server that was started anew asks for all where something rose, and once`() throws {
    let pair = try Pair(sites: 1_000)
    _ = try pair.meet()
    let server = pair.replicas[0]
    // Where nothing rose since, it knows what was held.
    server.kill()
    try server.start()
    #expect(try pair.meet().allSatisfy { $0 <= 200 })
    try server.store.write(in: pair.world.space) { try $0.create(Note.self) { $0.text = "news" } }
    server.kill()
    try server.start()
    #expect(try pair.meet()[1] > 17_000)
    #expect(
      try server.store.digest(of: pair.world.space)
        == pair.replicas[1].store.digest(of: pair.world.space))
    #expect(try pair.meet().allSatisfy { $0 <= 300 })
    #expect(try pair.meet().allSatisfy { $0 <= 200 })
  }

  /// What its author saw, by the position alone, is no conflict where it was written over (the negative
  /// control takes for held what was named, and no more).
  @Test(arguments: [false, true])
  func `who saw what is as clear as before`(isBug: Bool) throws {
    let pair = try Pair(sites: 20, bugs: isBug ? [.sightByToldAlone] : [])
    let (space, server, phone) = (
      pair.world.space, pair.replicas[0].store, pair.replicas[1].store
    )
    let id = try server.write(in: space) { try $0.create(Note.self) { $0.text = "seen" }.id }
    for _ in 0..<3 { _ = try pair.meet() }
    try phone.write(in: space) { try $0.update(Note.self, id) { $0.text = "over it" } }
    _ = try pair.meet()
    #expect(try server.conflicts(in: space).isEmpty == !isBug)
  }

  /// First pushes cross: a position knows nothing of what its own session brought to whoever told it. What a
  /// replica has from its peer does not go back to it at the next meeting, and is no conflict where others write
  /// over it (the negative control takes the position for one of now).
  @Test(arguments: [false, true])
  func `what a meeting brought does not go back at the next`(isBug: Bool) throws {
    let pair = try Pair(sites: 20, bugs: isBug ? [.markedAsOfNow] : [])
    let (space, server, phone) = (
      pair.world.space, pair.replicas[0].store, pair.replicas[1].store
    )
    for _ in 0..<2 { _ = try pair.meet() }
    let ids = try (0..<200).map { number in
      try server.write(in: space) { try $0.create(Note.self) { $0.text = "of \(number)" }.id }
    }
    let mine = try (0..<200).map { number in
      try phone.write(in: space) { try $0.create(Note.self) { $0.text = "by \(number)" }.id }
    }
    let size = try pair.meet()
    #expect(size.allSatisfy { $0 > 6_000 })
    let again = try pair.meet()
    #expect(again.allSatisfy { $0 < 400 } == !isBug, "\(again)")
    try server.write(in: space) { try $0.update(Note.self, mine[7]) { $0.text = "over it" } }
    try phone.write(in: space) { try $0.update(Note.self, ids[7]) { $0.text = "over it" } }
    _ = try pair.meet()
    for store in [server, phone] {
      #expect(try store.conflicts(in: space).isEmpty)
      #expect(try store.fetch(Query<Note>(in: space)).count { $0.text == "over it" } == 2)
    }
    let last = try pair.meet()
    #expect(isBug || last.allSatisfy { $0 < 400 }, "\(last)")
  }

  /// What a replica did not believe of its peer it does not hold, so that the peer's position does not stand
  /// for it (the negative control takes it to).
  @Test(arguments: [false, true])
  func `who was not believed is told all`(isBug: Bool) throws {
    let pair = try Pair(sites: 20, bugs: isBug ? [.unbelievedNamed] : [])
    pair.dialsServer = false
    _ = try pair.meet()
    // The phone believes nobody's word for what others wrote, and of the sites none brought a change.
    let server = Hello(
      space: pair.world.space, site: pair.replicas[0].store.site, isLeaf: false, seq: 9)
    let pull = try pair.replicas[1].store.pull(
      from: server, in: pair.world.space, isLeaf: false, mayNameBeyond: true)
    #expect(pull.isBeyond == isBug && !pull.position.isEmpty)
  }
}
