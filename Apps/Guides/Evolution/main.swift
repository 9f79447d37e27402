import Reunion

/// The app as it was in its first year.
enum FirstYear {
  struct Chore: Entity {
    let id: RecordID
    var text = ""
    var color = "white"
    var minutes = 0
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Chore>(
      1, "chore",
      [
        .field(1, "text", \.text), .field(2, "color", \.color),
        .field(5, "minutes", \.minutes),
      ])
  }
  static let model = Model(Chore.schema)
}

/// The app today.
struct Chore: Entity {
  enum Urgency: String, FieldValue { case low, high }

  let id: RecordID
  var title = ""
  var urgency = Urgency.low
  var room: Reference<Room>?
  var seconds = 0
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Chore>(
    1, "chore",
    [
      .field(1, "title", \.title), .field(3, "urgency", \.urgency),
      .field(4, "room", \.room), .field(6, "seconds", \.seconds),
    ],
    lenses: [.retype(OldField(5, Int.self), to: \.seconds, by: .times(60))])
}

struct Room: Entity {
  let id: RecordID
  var name = ""
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Room>(2, "room", [.field(1, "name", \.name)])
}

let model = Model(Chore.schema, Room.schema)

let folder = CommandLine.arguments[1]
let space = SpaceID.random()
var phone = try Replica(folder: folder + "/phone", model: FirstYear.model)
let laptop = try Replica(folder: folder + "/laptop", model: FirstYear.model)
let id = try phone.write(in: space) { transaction in
  try transaction.create(FirstYear.Chore.self) {
    $0.text = "Water the plants"
    $0.color = "green"
    $0.minutes = 5
  }
}.id
try phone.exchange(space, with: laptop)

try phone.close()
phone = try Replica(folder: folder + "/phone", model: model)
let chore = try phone.fetch(Chore.self, id, in: space)
print("After the update:", chore?.title ?? "", chore?.urgency.rawValue ?? "")
print("Its length:", chore?.seconds ?? 0, "seconds")

try phone.write(in: space) { transaction in
  let room = try transaction.create(Room.self) { $0.name = "Home" }
  try transaction.update(Chore.self, id) {
    $0.urgency = .high
    $0.room = Reference(room)
  }
}
try phone.exchange(space, with: laptop)
let old = try laptop.fetch(FirstYear.Chore.self, id, in: space)
print("On the old app:", old?.text ?? "", old?.color ?? "")

try laptop.write(in: space) { transaction in
  try transaction.update(FirstYear.Chore.self, id) { $0.text = "Water the flowers" }
}
try laptop.exchange(space, with: phone)
let both = try phone.fetch(Chore.self, id, in: space)
print("Back on the new one:", both?.title ?? "", both?.urgency.rawValue ?? "")
print("Its room:", try phone.fetch(both?.room, in: space)?.name ?? "none")

try laptop.write(in: space) { transaction in
  try transaction.update(FirstYear.Chore.self, id) { $0.minutes = 20 }
}
try laptop.exchange(space, with: phone)
print("20 minutes, on the new app:", try phone.fetch(Chore.self, id, in: space)?.seconds ?? 0)
try phone.write(in: space) { transaction in
  try transaction.update(Chore.self, id) { $0.seconds = 1800 }
}
try phone.exchange(space, with: laptop)
let seen = try laptop.fetch(FirstYear.Chore.self, id, in: space)
print("1800 seconds, on the old one:", seen?.minutes ?? 0)

try laptop.close()
print("To come:")
print(try Store.plan(folder: folder + "/laptop", model: model))
let updated = try Replica(folder: folder + "/laptop", model: model)
if let report = updated.upgradeReport {
  print("As before:", report.records, "records,", report.cells, "values,", report.blobs, "blobs")
}
let there = try updated.fetch(Chore.self, id, in: space)
print("On the laptop, updated:", there?.urgency.rawValue ?? "")
print("Its rooms:", try updated.fetch(Query<Room>(in: space)).map(\.name))

/// A version in which urgency is a number, under the number that it had as a text.
enum Wrong {
  struct Chore: Entity {
    let id: RecordID
    var urgency = 0
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Chore>(1, "chore", [.field(3, "urgency", \.urgency)])
  }
}
try updated.close()
do {
  _ = try Replica(folder: folder + "/laptop", model: Model(Wrong.Chore.schema))
} catch {
  print("Refused:", error)
}

let again = try Replica(folder: folder + "/laptop", model: FirstYear.model)
print("The first app again:", try again.fetch(FirstYear.Chore.self, id, in: space)?.color ?? "")
