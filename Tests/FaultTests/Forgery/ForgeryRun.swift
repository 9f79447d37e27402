import ReunionCore
import ReunionFlow
import ReunionSync
import ReunionTesting

@testable import ReunionStore

/// A server to which guests, a viewer and one that was put out push what they may and what they may not,
/// an honest replica beside it, and one that holds the honest changes alone.
final class ForgeryRun {
  /// What becomes of the forged changes.
  struct Count {
    var forged = 0
    var honest = 0
  }

  /// The changes of one push that is tried.
  private struct Push {
    var changes: [Change] = []
    var forged: Set<RecordKey> = []
    var honest: [Change] = []
  }

  private let world: World
  private let server: WorldReplica
  private let observer: WorldReplica
  private let twin: WorldReplica
  private var party: Party
  private(set) var count = Count()
  private let bugs: SeededBugs
  /// A kind that is let through: the control of that kind.
  private let lets: Forgery?

  /// Names in a push, so that it is well below what a guest may send in one.
  private static let groupsMax = 400

  init(seed: UInt64, bugs: SeededBugs = [], letting kind: Forgery? = nil) throws {
    self.bugs = bugs
    lets = kind
    world = World(seed: seed, model: Model(Doc.schema), seededBugs: bugs)
    server = try world.makeReplica("server")
    observer = try world.makeReplica("observer")
    twin = try world.makeReplica("twin")
    party = Party(seed: seed, hostSite: server.store.site)
    party.host = try server.store.write(in: world.space) { transaction in
      try (0..<20).map { number in
        try transaction.create(Doc.self) { $0.text = "The host's \(number)" }.id
      }
    }
    let copy = world.connect(twin, to: server)
    world.connect(observer, to: server)
    world.run(for: .seconds(30))
    copy.disconnect()
    world.run(for: .seconds(5))
  }

  deinit { world.remove() }

  /// Pushes until `most` changes were forged.
  func run(forged most: Int) throws {
    // Each has something of its own first.
    for number in party.guests.indices {
      let first = party.honest(by: number)
      try push(Push(changes: first, honest: first), by: number)
    }
    while count.forged < most {
      if party.random.happens(0.15) { try pushOfViewer() } else { try pushOfGuest() }
    }
    try check()
  }

  private func pushOfGuest() throws {
    let guests = party.guests.count - 1
    let number = Int.random(in: 0..<guests, using: &party.random)
    var push = Push()
    for _ in 0..<Int.random(in: 1...Self.groupsMax, using: &party.random) {
      if party.random.happens(0.1) {
        let changes = party.honest(by: number)
        push.changes += changes
        push.honest += changes
      } else if let kind = lets ?? Forgery.allCases.randomElement(using: &party.random) {
        let changes = party.forged(kind, by: number)
        push.changes += changes
        push.forged.formUnion(changes.map { RecordKey(entity: $0.entity, id: $0.record) })
        count.forged += changes.count
      }
    }
    try self.push(push, by: number)
  }

  private func pushOfViewer() throws {
    var push = Push()
    for _ in 0..<Int.random(in: 1...Self.groupsMax, using: &party.random) {
      let changes = party.viewed()
      push.changes += changes
      push.forged.formUnion(changes.map { RecordKey(entity: $0.entity, id: $0.record) })
      count.forged += changes.count
    }
    try self.push(push, by: nil)
  }

  /// Sends a push as a guest, or as the viewer, by a session of its own; checks what is told.
  private func push(_ push: Push, by number: Int?) throws {
    let site = number.map { party.guests[$0].site } ?? party.viewer
    var authority: Authority = number == nil ? .none : .own(device: site.device)
    if lets != nil, number != nil, !push.forged.isEmpty { authority = .all }
    let link = try speak(
      push.changes, as: site, seq: number.map { party.guests[$0].seq } ?? party.viewerSeq, authority
    )
    let told = link.heard.withLock { heard in
      heard.reduce(into: Set<RecordKey>()) { told, message in
        guard case .refused(let refusals) = message else { return }
        told.formUnion(refusals.map { RecordKey(entity: $0.entity, id: $0.record) })
      }
    }
    if let silent = push.forged.subtracting(told).first {
      let byes = link.heard.withLock { $0 }.compactMap { message -> String? in
        guard case .bye(let bye) = message else { return nil }
        return String(decoding: bye.sentence, as: UTF8.self)
      }
      throw Loss(
        "\(site.device) was told of \(told.count) of \(push.forged.count), not of \(silent) \(byes)"
      )
    }
    // An honest change may be told of where it is to a record that a forged one was to.
    let wronged = told.subtracting(push.forged)
    if let first = wronged.first { throw Loss("\(first) was refused, and is honest") }
    count.honest += push.honest.count
    guard !push.honest.isEmpty else { return }
    let honest = IncomingPush(
      peer: site, helloSeq: 0, changes: push.honest, raised: VersionVector(),
      vector: VersionVector(), position: [])
    _ = try twin.store.apply(honest, in: world.space, authority: .all)
  }

  private struct Speaker {
    let heard: Lock<[Message]>
  }

  private func speak(
    _ changes: [Change], as site: Site, seq: UInt64, _ authority: Authority
  ) throws -> Speaker {
    let ends = MemoryLink.pair(clock: world.clock, random: world.random)
    let (clock, link) = (world.clock, ends.0)
    var configuration = Session.Configuration(
      space: world.space, authority: authority, device: site.device, servesBlobs: false,
      fetchesBlobs: false)
    // Of some pushes the first parts wait on the disk for the last.
    if party.random.happens(0.5) { configuration.gatheredBytesMax = 4_096 }
    let session = Session(
      link: ends.1, store: server.store, configuration: configuration, clock: clock,
      execute: { work in _ = clock.schedule(at: clock.now, work) })
    session.start()
    let heard = Lock<[Message]>([])
    link.start { event in
      guard case .received(let bytes) = event, let message = try? Message(decoding: bytes) else {
        return
      }
      heard.withLock { $0.append(message) }
      // As one who is honest does, so that the server's list of refusals stays short.
      if case .pushEnd(let end) = message {
        link.send(Message.acknowledge(cursor: end.cursor).encoded())
      }
    }
    link.send(
      Message.hello(Hello(space: world.space, site: site, isLeaf: true, seq: seq)).encoded())
    // It holds everything but its own, which gets no number in the session by that.
    var held = VersionVector()
    for dot in try server.store.vector(of: world.space).entries where dot.site != site {
      held.raise(dot.site, to: dot.seq)
    }
    link.send(Message.pull(Pull(position: [], vector: held)).encoded())
    world.run(for: .seconds(1))
    var rest = changes[...]
    while !rest.isEmpty {
      link.send(Message.changes(Array(rest.prefix(100))).encoded())
      rest = rest.dropFirst(100)
    }
    let end = PushEnd(cursor: 1, position: [], raised: [.init(site: .new(site), seq: seq)])
    link.send(Message.pushEnd(end).encoded())
    world.run(for: .seconds(2))
    // It has acknowledged what was refused; the push after that is the answer.
    link.send(Message.pushEnd(PushEnd(cursor: 2, position: [], raised: [])).encoded())
    world.run(for: .seconds(1))
    link.close()
    world.run(for: .seconds(1))
    return Speaker(heard: heard)
  }

  /// The server and the honest replica hold the honest changes, and nothing else.
  private func check() throws {
    world.run(for: .seconds(60))
    let honest = try twin.store.digest(of: world.space)
    for replica in [server, observer] {
      guard try replica.store.digest(of: world.space) == honest else {
        throw Loss("the \(replica.name) does not hold the honest changes, and those alone")
      }
    }
  }
}
