import Reunion

struct Note: Entity {
  let id: RecordID
  var text = ""
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Note>(1, "note", [.field(1, "text", \.text)])
}

let replica = try Replica(folder: CommandLine.arguments[1], model: Model(Note.schema))
let space = try replica.ownSpace()
let notes = try replica.live(Query<Note>(in: space)).observe { print("\($0.count) notes") }
try replica.write(in: space) { try $0.create(Note.self) { $0.text = "Works offline." } }
try replica.fetch(Query<Note>(in: space)).forEach { print($0.text) }
