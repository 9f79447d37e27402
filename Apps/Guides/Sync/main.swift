import Reunion

struct Line: Entity {
  let id: RecordID
  var author = ""
  var text = ""
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Line>(
    1, "line", [.field(1, "author", \.author), .field(2, "text", \.text)])
}

let (folder, link, name) = (
  CommandLine.arguments[1], CommandLine.arguments[2], CommandLine.arguments[3]
)
let replica = try Replica(folder: folder, model: Model(Line.schema))
let space = try await replica.space(joining: link)
let connection = try replica.sync(space, joining: link)

let standing = connection.state.map { state in
  switch state {
  case .online: "online"
  case .blocked(let reason): reason
  case .idle, .connecting(attempt: 0), .handshaking(attempt: 0): "connecting"
  case .connecting, .handshaking, .waiting: "offline"
  }
}
let telling = standing.distinct().observe { print("(\($0))") }

let showing = try replica.liveResult(of: Query<Line>(in: space)).observeChanges { update in
  for index in update.changes.insertions {
    let line = update.result[index]
    print("\(line.author): \(line.text)")
  }
}

let presence = replica.presence(in: space)
try presence.show(name, as: "name")
let meeting = presence.others.observe { devices in
  let names = devices.compactMap { $0.value("name", as: String.self) }
  if !names.isEmpty { print("(here: \(names.joined(separator: ", ")))") }
}

let counting = try replica.standing(in: space).observe { standing in
  if standing.recordCount > 1 { print("(\(standing.recordCount) lines are still to go)") }
}

let refusing = replica.refusedChanges.observe { change in
  print("(refused: \(change.sentence ?? "this device may only read"))")
}

while let text = readLine() {
  try replica.write(in: space) { transaction in
    try transaction.create(Line.self) {
      $0.author = name
      $0.text = text
    }
  }
}
try replica.close()
