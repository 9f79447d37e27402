import ReunionCore
import ReunionStore
import ReunionTesting

/// Scenes of somebody who may edit and says more than was ever sent: what a guest wrote reaches everybody
/// all the same (guarantees 2 and 3).
enum ClaimScenes {
  /// A guest writes while away; meanwhile somebody says that its changes are held, and brings none.
  static let claimed: BugScenes.Play = { bugs in
    let stage = try Stage(bugs)
    defer { stage.world.remove() }
    let site = try stage.writeAway(count: 5)
    stage.lie(raised: site.seq)
    guard try stage.server.store.vector(of: stage.world.space)[site.site] < site.seq else {
      throw Violation(3, "server says that it holds what nobody sent")
    }
    try stage.check(count: 6)
  }

  /// A server says that it holds the dialler's own changes, when they meet and later.
  static let ownClaimed: BugScenes.Play = { bugs in
    let encounter = try Encounter(.greeting, bugs: bugs)
    let (host, stranger) = (encounter.host, encounter.stranger)
    let site = host.store.site
    let seq = try host.store.vector(of: encounter.world.space)[site]
    encounter.say(stranger.hello(), stranger.pull([Dot(site: site, seq: seq)]))
    encounter.pass(seconds: 5)
    guard notes(stranger) == 1 else {
      throw Violation(2, "the host kept back what the other side claims to hold")
    }
    // Its next changes are claimed after they are written, and before its session hears of them.
    host.workDelayMilliseconds = 1_000
    let claim = PushEnd.Raised(site: .known(0), seq: 2 * seq)
    stranger.say([.pushEnd(PushEnd(cursor: 3, position: [1], raised: [claim]))])
    encounter.world.run(for: .milliseconds(500))
    try host.write("another", in: encounter.world)
    encounter.pass(seconds: 10)
    guard notes(stranger) == 2 else {
      throw Violation(2, "the host kept back what was claimed within the session")
    }
  }

  /// A host writes over what a guest wrote, and is put back to before it: with what the host wrote, the
  /// guest's own is gone too, and the host may not say that it has it.
  static let lostCover: BugScenes.Play = { bugs in
    let loss = try Loss(bugs)
    defer { loss.world.remove() }
    try loss.play()
    let held = try loss.server.store.vector(of: loss.world.space)[loss.site]
    guard try held < 2 || !loss.texts().isDisjoint(with: ["the guest's", "the host's"]) else {
      throw Violation(3, "server says that it holds what nobody has")
    }
  }

  /// The same with a copy of the guest's folder, which still has what the guest wrote.
  static let copyOfGuest: BugScenes.Play = { bugs in
    let loss = try Loss(bugs)
    defer { loss.world.remove() }
    try loss.play()
    loss.world.connect(loss.copy, to: loss.server, .init(role: .add))
    loss.world.run(for: .seconds(60))
    guard try loss.texts().contains("the guest's") else {
      throw Violation(2, "server lacks what the copy had")
    }
  }

  /// The same, and the server is put back once more, to just before the guest took back what it refused:
  /// what the guest then kept must show the server that.
  static let putBackTwice: BugScenes.Play = { bugs in
    let loss = try Loss(bugs)
    defer { loss.world.remove() }
    try loss.overwrite()
    let first = loss.server.store.site
    try loss.putBack()
    try loss.pass { loss.server.store.site != first }
    let renewed = loss.server.snapshot()
    try loss.server.write("forgotten", in: loss.world)
    try loss.pass { try !loss.texts(of: loss.phone).contains("the host's") }
    loss.guest.disconnect()
    loss.world.run(for: .seconds(10))
    loss.server.restore(renewed)
    try loss.server.start()
    try loss.server.write("new", in: loss.world)
    loss.guest.connect()
    loss.world.run(for: .seconds(60))
    guard try loss.texts(of: loss.phone) == loss.texts() else {
      throw Violation(2, "the guest and the server hold different notes under the same numbers")
    }
  }

  /// A server that is put back, a guest, and a copy of the guest that is away.
  private struct Loss {
    let world: World
    let server: WorldReplica
    let phone: WorldReplica
    let copy: WorldReplica
    let guest: WorldConnection
    let site: Site
    private let before: WorldReplica.Snapshot

    init(_ bugs: SeededBugs) throws {
      world = Scene.world(bugs: bugs)
      server = try world.makeReplica("server")
      phone = try world.makeReplica("phone")
      try server.write("another", in: world)
      before = server.snapshot()
      guest = world.connect(phone, to: server, .init(role: .add))
      try phone.write("the guest's", in: world)
      site = phone.store.site
      world.run(for: .seconds(10))
      copy = try world.cloneReplica(phone, as: "copy")
    }

    func play() throws {
      try overwrite()
      try putBack()
      world.run(for: .seconds(120))
    }

    func overwrite() throws {
      let notes = try server.fetch(Query<Scene.Note>(in: world.space))
      for note in notes where note.text == "the guest's" {
        try server.write { try $0.set(\Scene.Note.text, of: note.id, to: "the host's") }
      }
      world.run(for: .seconds(10))
    }

    func putBack() throws {
      server.restore(before)
      try server.start()
    }

    /// Lets time pass until something holds.
    func pass(until isSo: () throws -> Bool) throws {
      for _ in 0..<120_000 where try !isSo() { world.run(for: .milliseconds(1)) }
    }

    func texts(of replica: WorldReplica? = nil) throws -> Set<String> {
      Set(try (replica ?? server).fetch(Query<Scene.Note>(in: world.space)).map(\.text))
    }
  }

  private static func notes(_ stranger: Stranger) -> Int {
    let changes = stranger.heard.flatMap { message -> [Change] in
      if case .changes(let changes) = message { changes } else { [] }
    }
    return Set(changes.map(\.record)).count
  }

  /// A server, a guest's phone, and a replica that has met the server before.
  private struct Stage {
    let world: World
    let server: WorldReplica
    let phone: WorldReplica
    let other: WorldReplica
    private let guest: WorldConnection

    init(_ bugs: SeededBugs) throws {
      world = Scene.world(bugs: bugs)
      server = try world.makeReplica("server")
      phone = try world.makeReplica("phone")
      other = try world.makeReplica("other")
      guest = world.connect(phone, to: server, .init(role: .add))
      world.connect(other, to: server)
      try phone.write("sent", in: world)
      world.run(for: .seconds(10))
    }

    /// Has the guest write while it is away, and gives its last change.
    func writeAway(count: Int) throws -> Dot {
      guest.disconnect()
      world.run(for: .seconds(10))
      for _ in 0..<count { try phone.write("unsent", in: world) }
      let site = phone.store.site
      return Dot(site: site, seq: try phone.store.vector(of: world.space)[site])
    }

    /// Has somebody who may edit tell the server that the guest's changes are held, and the server tell it
    /// on.
    func lie(raised seq: UInt64) {
      let liar = Stranger(at: server, as: .edit)
      liar.arrive()
      liar.say([liar.hello(), liar.pull(), Encounter.pushEnd(phone.store.site, seq)])
      world.run(for: .seconds(10))
      liar.leave()
      world.run(for: .seconds(1))
    }

    /// Throws unless all have all notes once the guest is back, and the guest knows it.
    func check(count: Int) throws {
      guest.connect()
      world.run(for: .seconds(60))
      for replica in [server, phone, other] {
        let held = try replica.fetch(Query<Scene.Note>(in: world.space)).count
        guard held == count else {
          throw Violation(2, "\(replica.name) has \(held) notes of \(count)")
        }
      }
    }
  }
}
