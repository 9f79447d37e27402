import ReunionStore

struct Note: Entity {
  let id: RecordID
  var text = ""

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Note>(1, "note", [.field(1, "text", \.text)])
}

let store = try Store.open(folder: CommandLine.arguments[1], model: Model(Note.schema))
let space = try store.spaces.first ?? .random()

try store.write(in: space, undo: "Add a note") { try $0.create(Note.self) { $0.text = "Milk" } }
print(try store.fetch(Query<Note>(in: space)).map(\.text))
let undone = try store.undo(in: space)
print("Undone: \(undone?.name ?? "nothing")")
print("\(try store.count(Query<Note>(in: space))) notes")
try store.close()
