import NodeBrowsers
import ReunionCore
import ReunionStore
import TestThreads
import Testing

@testable import ReunionTesting

/// A page that is older than its server: a tab that stays open while the app's next version comes. It shows
/// what it knows, keeps the rest, says that it needs an update, and loses nothing that is written into it.
@Suite(.onOwnThread, .enabled(if: NodeBrowsers.isThere, "node and .build/web are needed"))
struct OlderPageTests {
  /// A task as the next version knows it; the page has its first one.
  struct Task: Entity {
    let id: RecordID
    var text = ""
    var seconds = 0
    var place = ""
    var steps: OrderedList<String> = []
    var room: Reference<Room>?
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Task>(
      1, "task",
      [
        .field(1, "text", \.text), .field(3, "seconds", \.seconds), .field(4, "place", \.place),
        .field(5, "steps", \.steps), .field(6, "room", \.room),
      ],
      lenses: [.retype(OldField(2, Int.self, initial: 0), to: \.seconds, by: .times(60))])
  }

  struct Room: Entity {
    let id: RecordID
    var name = ""
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Room>(2, "room", [.field(1, "name", \.name)])
  }

  private static let first = """
    { version: 1, entities: [{ number: 1, name: 'task', fields: [
      { number: 1, name: 'text', kind: 'text', initial: '' },
      { number: 2, name: 'minutes', kind: 'int', initial: 0 }] }] }
    """
  private static let next = """
    { version: 3, entities: [
      { number: 1, name: 'task', fields: [
        { number: 1, name: 'text', kind: 'text', initial: '' },
        { number: 3, name: 'seconds', kind: 'int', initial: 0 },
        { number: 4, name: 'place', kind: 'text', initial: '' },
        { number: 5, name: 'steps', kind: 'list', element: 'text' },
        { number: 6, name: 'room', kind: 'reference', target: 2 }],
        lenses: [{ sources: [{ number: 2, kind: 'int', initial: 0 }],
          targets: [{ number: 3, kind: 'int' }], by: ['times', 60] }] },
      { number: 2, name: 'room', fields: [{ number: 1, name: 'name', kind: 'text', initial: '' }] }] }
    """

  /// The page of an app, by the version of its model.
  private static func page(_ model: String, in space: SpaceID, device: String) -> String {
    """
    import { Model } from '/reunion/replica/model.js';
    import { Replica } from '/reunion/replica/replica.js';
    import { Connection } from '/reunion/conversation/connection.js';
    import { openCore } from '/reunion/core/calls.js';
    import { runInOneTab } from '/reunion/replica/lease.js';
    import { updateNeed } from '/reunion/writing/update-need.js';
    const model = \(model);
    const core = await openCore('/reunion/core.wasm');
    const replica = await Replica.open({
      space: '\(space)', device: '\(device)', model: new Model(model), core });
    const connection = new Connection(replica);
    runInOneTab(replica, connection);
    const heard = [];
    const need = updateNeed(replica, model);
    need.subscribe(({ needed, isNeeded }) => heard.push(`${needed}${isNeeded ? '!' : ''}`));
    globalThis.page = { replica, connection, need, heard, model };
    export const result = 'open';
    """
  }

  /// What a page shows, by the names of fields.
  private static let look = """
    const { replica, connection, heard, model } = globalThis.page;
    const line = ({ id, creator, alive, entity, ...fields }) => [entity, ...Object.entries(fields)
      .map(([name, value]) => `${name} ${Array.isArray(value) ? value.join('+') : value && name === 'room'
        ? replica.get('room', value)?.name : value}`)].join(', ');
    export const result = [heard.join(' '), `${replica.waiting.value.records} waiting`,
      connection.state.value.phase,
      ...model.entities.flatMap(({ name }) => replica.records(name)).map(line).sort()].join('\\n');
    """

  private func write(_ body: String) -> String {
    """
    const { replica } = globalThis.page;
    const [mine] = replica.records('task').filter(({ text }) => text.startsWith('Mine'));
    await replica.transaction((t) => { \(body) });
    export const result = 'written';
    """
  }

  /// What happens, line by line: what the page shows at each moment, and the phone in the end.
  private func story(bug: String? = nil, seeded: SeededBugs = []) throws -> [String] {
    let world = World(
      seed: 9, model: Model(Task.schema, Room.schema, version: 3, minimumReader: 3),
      seededBugs: seeded)
    defer { world.remove() }
    let (server, phone) = (try world.makeReplica("server"), try world.makeReplica("phone"))
    world.connect(phone, to: server)
    let pages = world.addBrowsers(
      [WorldBrowser.Options(name: "ada", acceptor: 0)], pipe: try NodeBrowsers())
    let browser = try #require(pages.browsers.first)
    let space = world.space
    let device = String("\(Site(device: browser.device, incarnation: 0))".prefix(16))
    var said: [String] = []

    func run(_ tab: String, _ source: String) throws -> String {
      pages.opens(tab, of: browser)
      var event: [String: BrowserValue] = [
        "do": "run", "tab": .text(tab), "browser": "ada", "source": .text(source),
      ]
      if let bug { event["bug"] = .text(bug) }
      pages.tell(event)
      world.run(for: .seconds(4))
      try pages.check()
      let effects = pages.takeEffects().filter { $0.tab == tab }
      if let wrong = effects.compactMap({ $0.failed ?? $0.warned }).first {
        return "failed: \(wrong)"
      }
      return effects.compactMap(\.ran).last ?? "nothing"
    }
    func see(_ what: String, _ tab: String = "old") throws {
      said.append("\(what):\n\(try run(tab, Self.look))")
    }
    func task(_ text: String) throws -> Task? {
      try phone.store.fetch(Query<Task>(in: space).filter(\.text == text)).first
    }

    _ = try run("old", Self.page(Self.first, in: space, device: device))
    _ = try run("old", write("t.create('task', { text: 'Mine', minutes: 2 });"))
    try see("alone")
    // The next version writes into what the page made, and beside it.
    let mine = try task("Mine")
    said.append("the phone sees \(mine?.seconds ?? -1) seconds")
    try phone.store.write(in: space) { transaction in
      let kitchen = try transaction.create(Room.self) { $0.name = "Kitchen" }
      if let mine {
        try transaction.update(Task.self, mine.id) {
          ($0.seconds, $0.place, $0.room) = (180, "oven", Reference(kitchen))
          $0.steps = ["Flour", "Water"]
        }
      }
      try transaction.create(Task.self) { ($0.text, $0.seconds) = ("Theirs", 61) }
    }
    world.run(for: .seconds(4))
    try see("beside the next version")
    // It goes on, offline too, and its tab ends there.
    try server.close()
    _ = try run("old", write("t.set(mine, { text: 'Mine, edited' });"))
    _ = try run("old", write("t.create('task', { text: 'Mine, offline', minutes: 7 });"))
    pages.forget("old", tellsOther: true)
    pages.tell(["do": "kill", "tab": "old"])
    _ = try run("again", Self.page(Self.first, in: space, device: device))
    try see("offline, in a new tab", "again")
    try server.start()
    world.run(for: .seconds(60))
    try see("online again", "again")
    for text in ["Mine, edited", "Mine, offline", "Theirs"] {
      let found = try task(text)
      said.append(
        "the phone: \(text), \(found?.seconds ?? -1) seconds, \(found?.place ?? "-"), "
          + "\(found?.steps.joined(separator: "+") ?? "-")")
    }
    // All that the server has is on the page's disk, to the byte.
    let disk = pages.ask(
      ["do": "stored", "browser": "ada", "space": .text("\(space)"), "isFlat": true],
      BrowserDisk.self)
    let changes = Set(try disk.map { try Holdings($0).changes } ?? [])
    let lacking = Set(try server.store.changes(in: space).changes).subtracting(changes)
    said.append("\(lacking.count) changes lacking")
    // The next version of the page finds it there, without a server.
    try server.close()
    pages.forget("again", tellsOther: true)
    pages.tell(["do": "kill", "tab": "again"])
    _ = try run("new", Self.page(Self.next, in: space, device: device))
    try see("the next version of the page", "new")
    return said
  }

  private static let expected = [
    "alone:\n1\n0 waiting\nonline\ntask, text Mine, minutes 2",
    "the phone sees 120 seconds",
    "beside the next version:\n1 3!\n0 waiting\nonline\n"
      + "task, text Mine, minutes 3\ntask, text Theirs, minutes 0",
    "offline, in a new tab:\n3!\n2 waiting\nconnecting\n"
      + "task, text Mine, edited, minutes 3\ntask, text Mine, offline, minutes 7\n"
      + "task, text Theirs, minutes 0",
    "online again:\n3!\n0 waiting\nonline\n"
      + "task, text Mine, edited, minutes 3\ntask, text Mine, offline, minutes 7\n"
      + "task, text Theirs, minutes 0",
    "the phone: Mine, edited, 180 seconds, oven, Flour+Water",
    "the phone: Mine, offline, 420 seconds, , ",
    "the phone: Theirs, 61 seconds, , ",
    "0 changes lacking",
    "the next version of the page:\n3\n0 waiting\nconnecting\nroom, name Kitchen\n"
      + "task, text Mine, edited, seconds 180, place oven, steps Flour+Water, room Kitchen\n"
      + "task, text Mine, offline, seconds 420, place , steps , room null\n"
      + "task, text Theirs, seconds 61, place , steps , room null",
  ]

  @Test func `a page that is older shows what it knows, keeps the rest, and loses nothing`() throws
  {
    let told = try story()
    #expect(told == Self.expected, "\(told.joined(separator: "\n"))")
  }

  /// Bugs of `Tests/World/bugs.mjs`, each with the moment at which it shows.
  @Test(arguments: [
    ("what the model does not know is not kept", "beside the next version"),
    ("an older page is told nothing", "beside the next version"),
    ("a push is acknowledged and its records are not kept", "0 changes lacking"),
    ("seqs begin anew with each action", "offline, in a new tab"),
  ])
  func `a page that loses or hides something is seen (negative control)`(
    bug: String, moment: String
  ) throws {
    let told = try story(bug: bug)
    let first = zip(told, Self.expected).first { $0 != $1 }
    #expect(first?.1.hasPrefix(moment) == true, "\(told)")
  }

  @Test func `a newer app that asks for nothing is seen (negative control)`() throws {
    let told = try story(seeded: [.readerNotSaid])
    #expect(zip(told, Self.expected).first { $0 != $1 }?.1.hasPrefix("beside") == true)
  }
}
