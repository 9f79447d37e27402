import Reunion

struct Errand: Entity {
  let id: RecordID
  var title = ""
  var isDone = false
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Errand>(
    1, "errand", [.field(1, "title", \.title), .field(2, "isDone", \.isDone)])
}

let (folder, link) = (CommandLine.arguments[1], CommandLine.arguments[2])
let replica = try Replica(folder: folder, model: Model(Errand.schema))
let space = try await replica.space(joining: link)
let connection = try replica.sync(space, joining: link)

if let title = CommandLine.arguments.dropFirst(3).first {
  try replica.write(in: space) { transaction in
    try transaction.create(Errand.self) { $0.title = title }
  }
}

let open = Query<Errand>(in: space).filter(!\.isDone).sorted(by: \.title)
for await errands in try replica.live(open).values() {
  print(errands.map(\.title).joined(separator: ", "))
}
