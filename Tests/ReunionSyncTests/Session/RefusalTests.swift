import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync
import ReunionTesting
import Testing

/// What a phone takes back when the server refuses it: that, and nothing else (guarantee 2).
@Suite struct RefusalTests {
  struct Note: Entity {
    let id: RecordID
    var text = ""
    var place = ""

    init(id: RecordID) { self.id = id }

    static let schema = EntitySchema<Note>(
      1, "note", [.field(1, "text", \.text), .field(2, "place", \.place)])
  }

  private func connect(_ phone: WorldReplica, to server: WorldReplica, in world: World) {
    let ends = MemoryLink.pair(
      clock: world.clock, faults: LinkFaults(delayMilliseconds: 100...100), random: world.random)
    let authorities: [(WorldReplica, MemoryLink, Authority)] = [
      (phone, ends.0, .all), (server, ends.1, .own(device: phone.store.site.device)),
    ]
    for (replica, link, authority) in authorities {
      let clock = world.clock
      Session(
        link: link, store: replica.store,
        configuration: Session.Configuration(space: world.space, authority: authority),
        clock: clock, execute: { work in _ = clock.schedule(at: clock.now, work) }
      ).start()
    }
  }

  @Test func `an edit that was not sent yet outlives the refusal of an earlier one`() throws {
    let world = World(seed: 1, model: Model(Note.schema))
    defer { world.remove() }
    let (server, phone) = (try world.makeReplica("server"), try world.makeReplica("phone"))
    let theirs = try server.store.write(in: world.space) { try $0.create(Note.self) { _ in }.id }
    let mine = try phone.store.write(in: world.space) { transaction in
      try transaction.create(Note.self) { $0.text = "mine" }.id
    }
    connect(phone, to: server, in: world)
    world.run(for: .seconds(2))
    try phone.store.write(in: world.space) { transaction in
      try transaction.set(\Note.text, of: theirs, to: "not allowed")
      try transaction.set(\Note.text, of: mine, to: "refused with it")
    }
    // It is on its way, and the answer is awaited.
    world.run(for: .milliseconds(50))
    try phone.store.write(in: world.space) { try $0.set(\Note.place, of: mine, to: "harbour") }
    world.run(for: .seconds(5))
    for replica in [phone, server] {
      let note = try #require(try replica.store.fetch(Note.self, mine, in: world.space))
      #expect(note.place == "harbour", "at \(replica.name)")
      #expect(note.text == "mine", "at \(replica.name)")
      #expect(try replica.store.fetch(Note.self, theirs, in: world.space)?.text == "")
    }
    #expect(try phone.store.digest(of: world.space) == server.store.digest(of: world.space))
  }

  @Test func `an edit made in the room of a refused creation goes with it when its turn comes`()
    throws
  {
    let world = World(seed: 1, model: Model(Note.schema))
    defer { world.remove() }
    let (server, phone) = (try world.makeReplica("server"), try world.makeReplica("phone"))
    let theirs = try server.store.write(in: world.space) { try $0.create(Note.self) { _ in }.id }
    connect(phone, to: server, in: world)
    world.run(for: .seconds(2))
    let mine = try phone.store.write(in: world.space) { transaction in
      try transaction.set(\Note.text, of: theirs, to: "not allowed")
      return try transaction.create(Note.self) { $0.text = "refused with it" }.id
    }
    world.run(for: .milliseconds(50))
    try phone.store.write(in: world.space) { try $0.set(\Note.place, of: mine, to: "nowhere") }
    world.run(for: .seconds(5))
    #expect(try phone.store.record(entity: 1, mine, in: world.space) == nil)
    #expect(try phone.store.digest(of: world.space) == server.store.digest(of: world.space))
  }
}
