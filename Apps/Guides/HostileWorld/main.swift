import Reunion
import ReunionTesting

struct Errand: Entity {
  let id: RecordID
  var title = ""
  var isDone = false

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Errand>(
    1, "errand", [.field(1, "title", \.title), .field(2, "is done", \.isDone)])
}

let model = Model(Errand.schema)

let add = WorldAction("add an errand") { store, space, random in
  let titles = ["milk", "bread", "stamps"]
  let title = titles[Int.random(in: 0..<3, using: &random)]
  // An app that wants each title once looks before it writes.
  let errands = try store.fetch(Query<Errand>(in: space))
  guard !errands.contains(where: { $0.title == title }) else { return }
  _ = try store.write(in: space) { try $0.create(Errand.self) { $0.title = title } }
}

let finish = WorldAction("finish an errand") { store, space, random in
  let errands = try store.fetch(Query<Errand>(in: space)).sorted { $0.id < $1.id }
  guard let errand = errands.randomElement(using: &random) else { return }
  try store.write(in: space) { try $0.set(\Errand.isDone, of: errand.id, to: true) }
}

let remove = WorldAction("remove what is done") { store, space, _ in
  let errands = try store.fetch(Query<Errand>(in: space))
  try store.write(in: space) { transaction in
    for errand in errands where errand.isDone { try transaction.delete(Errand.self, errand.id) }
  }
}

var simulation = Simulation(models: [model], actions: [add, add, finish, remove])
simulation.hazards = [.cuts, .badNetworks, .partitions, .kills, .powerCuts, .clocks, .sleep]
simulation.stepCount = 20

let report = simulation.search(seeds: 1...3)
print("\(report.historyCount) histories, \(report.failure == nil ? "nothing" : "something") broken")

simulation.promises = [
  WorldPromise("each title is there once") { store, space in
    let titles = try store.fetch(Query<Errand>(in: space)).map(\.title)
    return Set(titles).count == titles.count
  }
]
if let failure = simulation.search(seeds: 1...100).failure {
  print("broken: each title is there once")
  let writes = failure.history.steps.filter { if case .act = $0.step { true } else { false } }
  print("shortened to \(writes.count < 5 ? "a few" : "many") writes")
}

let world = World(seed: 7, model: model)
let phone = try world.makeReplica("phone")
let server = try world.makeReplica("server")
let connection = world.connect(phone, to: server)
connection.setQuality(.radio)
try phone.write { try $0.create(Errand.self) { $0.title = "milk" } }
phone.cutPower()
try phone.start()
world.run(for: .seconds(60))
print(
  "after a power cut the server has \(try server.fetch(Query<Errand>(in: world.space)).count)"
)
world.remove()
