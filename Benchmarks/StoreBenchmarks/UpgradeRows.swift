import CRawStore
import Foundation
import Measuring
import Reunion

/// Rows about upgrades of a store of 100,000 records. The peer of those that touch no row is SQLite's
/// `ALTER TABLE` on a table of the same values; that of the guard is `cp` and then `sha256sum` of the
/// database.
let upgradeRows: [(name: String, measure: @Sendable () throws -> Row)] = [
  (
    "upgrade-add-100k",
    { try alter("upgrade-add-100k", to: adding, "ALTER TABLE person ADD COLUMN city") }
  ),
  (
    "upgrade-rename-100k",
    {
      try alter("upgrade-rename-100k", to: renamed, "ALTER TABLE person RENAME COLUMN note TO memo")
    }
  ),
  (
    "upgrade-hide-100k",
    { try alter("upgrade-hide-100k", to: hiding, "ALTER TABLE person DROP COLUMN age") }
  ),
  ("upgrade-guard-100k", guarded),
]

private let adding = Model(entities: [
  description(person.fields + [FieldDescription(number: 7, name: "city", kind: .text)])
])
private let renamed = Model(entities: [
  description(
    person.fields.map {
      FieldDescription(number: $0.number, name: $0.name == "note" ? "memo" : $0.name, kind: $0.kind)
    })
])
private let hiding = Model(entities: [description(person.fields.filter { $0.name != "age" })])

private var person: EntityDescription { Model(Person.schema).entities[0] }

private func description(_ fields: [FieldDescription]) -> EntityDescription {
  EntityDescription(number: person.number, name: person.name, fields: fields)
}

/// Opens a store with another model, whole: its lock, its identity and the upgrade. Beside it, SQLite
/// opens a database and alters its table. Each round has copies of its own.
private func alter(_ name: String, to model: Model, _ sql: String) throws -> Row {
  let people = Person.make(100_000)
  let folder = Folder()
  let store = try folder.open(model: Model(Person.schema))
  try store.write(in: Workload.space) { transaction in
    for person in people { try transaction.create(person) }
  }
  try store.close()
  let peer = folder.path + "/peer.sqlite"
  TightStore(path: peer).insert(people)
  var (ours, peers): ([Double], [Double]) = ([], [])
  var (wall, peerWall): ([Double], [Double]) = ([], [])
  for _ in 0..<9 {
    let round = Folder()
    try FileManager.default.copyItem(atPath: folder.path, toPath: round.path)
    wall.append(
      try Measure.wallMilliseconds {
        ours.append(
          try Measure.nanoseconds {
            let store = try round.open(model: model)
            guard let report = store.upgradeReport, !report.isGuarded else {
              fatalError("\(name): it was not upgraded as it should be")
            }
            try store.close()
          } / 1e6)
      })
    peerWall.append(
      Measure.wallMilliseconds {
        peers.append(
          Measure.nanoseconds { alterRaw(round.path + "/peer.sqlite", sql) } / 1e6)
      })
  }
  let (own, other) = (Measure.median(ours), Measure.median(peers))
  var row = Row(name, ours: own, peer: other, peerName: "ALTER TABLE", unit: "ms")
  row.notes = [
    String(
      format: "less 20 ms: ratio %.2f; by the clock %.1f ms beside %.1f ms", (own - 20) / other,
      Measure.median(wall), Measure.median(peerWall))
  ]
  return row
}

private func alterRaw(_ path: String, _ sql: String) {
  var database: OpaquePointer?
  guard sqlite3_open(path, &database) == SQLITE_OK,
    sqlite3_exec(database, "PRAGMA synchronous = FULL", nil, nil, nil) == SQLITE_OK,
    sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK,
    sqlite3_close(database) == SQLITE_OK
  else { fatalError("\(sql) failed: \(String(cString: sqlite3_errmsg(database)))") }
}

/// A store of 100,000 records, each with a cell of a field that its model did not know: all of them are
/// written anew, and the guard copies, counts and compares them. The row is what the guard takes; the note
/// has the whole opening. By the clock, since the peer's work is that of other processes.
@Sendable private func guarded() throws -> Row {
  let full = Folder()
  let source = try Replica(folder: full.path + "/store", model: Model(Resident.schema))
  try source.write(in: Workload.space) { transaction in
    for (index, person) in Person.make(100_000).enumerated() {
      var resident = Resident(person)
      if index == 4_711 { resident.city = "Lisbon" }
      try transaction.create(resident)
    }
  }
  let folder = Folder()
  let replica = try Replica(folder: folder.path + "/store", model: Model(Person.schema))
  try replica.exchange(Workload.space, with: source)
  try replica.close()
  var (ours, peers, copying): ([Double], [Double], [Double]) = ([], [], [])
  var opening: [Double] = []
  for _ in 0..<9 {
    let round = Folder()
    try FileManager.default.copyItem(atPath: folder.path, toPath: round.path)
    let path = round.path + "/store/store.sqlite"
    copying.append(try Measure.wallMilliseconds { try run("cp", path, round.path + "/copy") })
    let hashing = try Measure.wallMilliseconds { try run("sha256sum", path) }
    peers.append((copying.last ?? 0) + hashing)
    opening.append(
      try Measure.wallMilliseconds {
        let store = try round.open(model: Model(Resident.schema))
        guard let report = store.upgradeReport, report.isGuarded, report.records == 100_000 else {
          fatalError("upgrade-guard-100k: \(store.upgradeReport.map(String.init) ?? "no upgrade")")
        }
        ours.append(report.guardSeconds * 1e3)
        try store.close()
      })
  }
  var row = Row(
    "upgrade-guard-100k", ours: Measure.median(ours), peer: Measure.median(peers),
    peerName: "cp and sha256sum", unit: "ms by the clock")
  row.notes = [
    String(
      format: "cp alone: %.1f ms; the whole opening, with 100,000 records written anew: %.0f ms",
      Measure.median(copying), Measure.median(opening))
  ]
  return row
}

/// A person of the next version of the model.
private struct Resident: Entity {
  let id: RecordID
  var name = ""
  var note: String?
  var score = 0.0
  var age = 0
  var isMember = false
  var token = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  var city: String?

  init(id: RecordID) { self.id = id }

  init(_ person: Person) {
    self.init(id: person.id)
    (name, note, score) = (person.name, person.note, person.score)
    (age, isMember, token) = (person.age, person.isMember, person.token)
  }

  static let schema = EntitySchema<Resident>(
    2, "person",
    [
      .field(1, "name", \.name), .field(2, "note", \.note), .field(3, "score", \.score),
      .field(4, "age", \.age), .field(5, "isMember", \.isMember), .field(6, "token", \.token),
      .field(7, "city", \.city),
    ])
}

private func run(_ program: String, _ arguments: String...) throws {
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = [program] + arguments
  process.standardOutput = FileHandle.nullDevice
  try process.run()
  process.waitUntilExit()
  guard process.terminationStatus == 0 else { fatalError("\(program) failed") }
}
