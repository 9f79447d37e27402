import ReunionCore
import ReunionFlow
import ReunionStore
import ReunionSync
import ReunionTesting
import Testing

/// A space comes to know what version of the app's model its readers need; an older device says so, and
/// loses nothing (docs/protocol.md 2.15).
@Suite struct UpdateNeedTests {
  enum First {
    struct Note: Entity {
      let id: RecordID
      var text = ""
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Note>(1, "note", [.field(1, "text", \.text)])
    }
    static let model = Model(Note.schema)
  }

  struct Note: Entity {
    let id: RecordID
    var text = ""
    var sealed = ""
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Note>(
      1, "note", [.field(1, "text", \.text), .field(2, "sealed", \.sealed)])
  }
  static let model = Model(Note.schema, version: 4, minimumReader: 3)

  private func connect(
    _ device: WorldReplica, to relay: WorldReplica, in world: World, isGuest: Bool = false
  ) {
    let ends = MemoryLink.pair(
      clock: world.clock, faults: LinkFaults(delayMilliseconds: 100...100), random: world.random)
    let authority = isGuest ? Authority.own(device: device.store.site.device) : .all
    for (replica, link, authority) in [(device, ends.0, .all), (relay, ends.1, authority)] {
      let clock = world.clock
      Session(
        link: link, store: replica.store,
        configuration: Session.Configuration(space: world.space, authority: authority),
        clock: clock, execute: { work in _ = clock.schedule(at: clock.now, work) }
      ).start()
    }
  }

  @Test func `an older device hears of it, goes on, and shows everything after its update`() throws
  {
    let world = World(seed: 1, model: Self.model)
    defer { world.remove() }
    let relay = try world.makeReplica("relay", model: Model())
    let old = try world.makeReplica("old", model: First.model)
    let new = try world.makeReplica("new")
    let need = try old.store.updateNeed(in: world.space)
    let id = try old.store.write(in: world.space) { transaction in
      try transaction.create(First.Note.self) { $0.text = "before" }.id
    }
    for device in [old, new] { connect(device, to: relay, in: world) }
    world.run(for: .seconds(2))
    // A newer app that has written nothing asks for nothing.
    #expect(need.value == nil)
    try new.store.write(in: world.space) { try $0.set(\Note.sealed, of: id, to: "new") }
    world.run(for: .seconds(2))
    #expect(need.value?.space == world.space && need.value?.needed == 3 && need.value?.version == 1)
    #expect(
      need.value?.description
        == "Update this app to see everything here: it has version 1 of the data, and others have written"
        + " version 3. What you write is kept and sent.")
    #expect(try new.store.updateNeed(in: world.space).value == nil)
    let mine = try old.store.write(in: world.space) { transaction in
      try transaction.set(\First.Note.text, of: id, to: "edited on the old one")
      return try transaction.create(First.Note.self) { $0.text = "made on the old one" }.id
    }
    world.run(for: .seconds(2))
    for (id, text, sealed) in [
      (id, "edited on the old one", "new"), (mine, "made on the old one", ""),
    ] {
      let note = try #require(try new.store.fetch(Note.self, id, in: world.space))
      #expect(note.text == text && note.sealed == sealed)
    }
    #expect(
      try old.store.digest(of: world.space) == new.store.digest(of: world.space))
    // What came meanwhile is there after the update.
    let disk = old.disk.copyToNewDisk()
    var options = StoreOptions()
    options.disk = disk
    let updated = try Store.open(
      folder: WorldReplica.folder, model: Self.model, options: options)
    #expect(try updated.updateNeed(in: world.space).value == nil)
    #expect(try updated.fetch(Note.self, id, in: world.space)?.sealed == "new")
    try updated.close()
  }

  @Test func `a guest's word of it does not count, and the guest's notes do`() throws {
    let world = World(seed: 2, model: Self.model)
    defer { world.remove() }
    let relay = try world.makeReplica("relay", model: Model())
    let (old, guest) = (
      try world.makeReplica("old", model: First.model), try world.makeReplica("guest")
    )
    let told = Lock<[RefusedChange]>([])
    let watching = guest.store.observeCommits { commit in
      told.withLock { $0 += commit.refused }
    }
    defer { withExtendedLifetime(watching) {} }
    connect(old, to: relay, in: world)
    connect(guest, to: relay, in: world, isGuest: true)
    let id = try guest.store.write(in: world.space) { transaction in
      try transaction.create(Note.self) { $0.text = "mine" }.id
    }
    world.run(for: .seconds(4))
    #expect(try old.store.fetch(First.Note.self, id, in: world.space)?.text == "mine")
    #expect(try old.store.updateNeed(in: world.space).value == nil)
    #expect(told.withLock { $0 } == [])
    // Somebody who may edit says it later.
    let editor = try world.makeReplica("editor")
    connect(editor, to: relay, in: world)
    world.run(for: .seconds(2))
    try editor.store.write(in: world.space) { try $0.set(\Note.text, of: id, to: "read") }
    world.run(for: .seconds(4))
    #expect(try old.store.updateNeed(in: world.space).value?.needed == 3)
    #expect(
      try old.store.digest(of: world.space) == guest.store.digest(of: world.space))
  }
}
