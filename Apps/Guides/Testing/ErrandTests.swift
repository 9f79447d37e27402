import Foundation
import Reunion
import ReunionTesting
import Testing

struct Errand: Entity {
  let id: RecordID
  var title = ""
  var isDone = false
  var asked: Counter = 0
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Errand>(
    1, "errand",
    [.field(1, "title", \.title), .field(2, "isDone", \.isDone), .field(3, "asked", \.asked)])
}

let model = Model(Errand.schema)

extension WriteTransaction {
  /// Asks for something. Whoever asks for it first makes the errand, on whatever device.
  func ask(for title: String) throws {
    let id = Errand.id(of: title)
    if try fetch(Errand.self, id) == nil {
      var errand = Errand(id: id)
      errand.title = title
      try create(errand)
    }
    try add(1, to: \Errand.asked, of: id)
  }
}

extension Errand {
  /// The same on every device, so that two who ask for one thing write one record.
  static func id(of title: String) -> RecordID {
    let hash = BlobHash(of: Array(title.lowercased().utf8))
    return RecordID(bytes: Array(hash.bytes.prefix(16))) ?? RecordID(high: 0, low: 0)
  }

  /// What is still to be done, the most wanted first.
  static func open(in space: SpaceID) -> Query<Errand> {
    Query(in: space).filter(!\.isDone).sorted(by: \.asked, descending: true)
  }
}

@Suite struct TwoPhonesTests {
  let folder = FileManager.default.temporaryDirectory.appending(path: "errands-\(UUID())").path
  let space = SpaceID.random()

  @Test func `two people who ask for milk make one errand`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let ada = try Replica(folder: folder + "/ada", model: model)
    let bo = try Replica(folder: folder + "/bo", model: model)
    try ada.write(in: space) { try $0.ask(for: "Milk") }
    try bo.write(in: space) { try $0.ask(for: "milk") }
    try ada.exchange(space, with: bo)
    for replica in [ada, bo] {
      let errands = try replica.fetch(Errand.open(in: space))
      #expect(errands.count == 1 && errands.first?.asked == 2)
    }
  }
}

@Suite struct BadDayTests {
  @Test(arguments: 1...20)
  func `nothing is lost on a bad line, in a dead zone, by an empty battery`(seed: UInt64) throws {
    let world = World(seed: seed, model: model)
    defer { world.remove() }
    let (server, phone) = (try world.makeReplica("server"), try world.makeReplica("phone"))
    let line = world.connect(phone, to: server)
    line.setQuality(.radio)
    world.run(for: .seconds(5))

    line.partition(there: true, back: true)
    try phone.write { try $0.ask(for: "Bread") }
    phone.cutPower()
    try server.write { try $0.ask(for: "bread") }
    world.run(for: .seconds(3600))

    try phone.start()
    line.partition(there: false, back: false)
    world.run(for: .seconds(120))
    for replica in [server, phone] {
      let errands = try replica.fetch(Errand.open(in: world.space))
      #expect(errands.map(\.asked.value) == [2], "\(replica.name)")
    }
  }
}

@Suite struct AnyDayTests {
  static let ask = WorldAction("ask for something") { store, space, random in
    let title = ["Milk", "milk", "Bread", "Stamps"][Int.random(in: 0..<4, using: &random)]
    try store.write(in: space) { try $0.ask(for: title) }
  }
  static let finish = WorldAction("finish an errand") { store, space, random in
    guard let errand = try store.fetch(Errand.open(in: space)).randomElement(using: &random)
    else { return }
    try store.write(in: space) { try $0.update(errand) { $0.isDone = true } }
  }
  static let once = WorldPromise("each thing is asked for in one errand") { store, space in
    let titles = try store.fetch(Query<Errand>(in: space)).map { $0.title.lowercased() }
    return Set(titles).count == titles.count
  }

  @Test func `each thing is asked for in one errand, whatever happens`() {
    var simulation = Simulation(models: [model], actions: [Self.ask, Self.ask, Self.finish])
    simulation.promises = [Self.once]
    simulation.stepCount = 20
    let failure = simulation.search(seeds: 1...10).failure
    #expect(failure == nil, "\(failure.map(String.init) ?? "")")
  }

  @Test func `the world finds an app that makes two errands (negative control)`() {
    let careless = WorldAction("ask without looking") { store, space, _ in
      _ = try store.write(in: space) { try $0.create(Errand.self) { $0.title = "Milk" } }
    }
    var simulation = Simulation(models: [model], actions: [careless])
    simulation.promises = [Self.once]
    simulation.stepCount = 20
    #expect(simulation.search(seeds: 1...100).failure != nil)
  }
}
