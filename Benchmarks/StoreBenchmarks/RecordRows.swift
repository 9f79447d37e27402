import Measuring
import Reunion

/// Rows about whole records: the peer is tight Swift over SQLite.
let recordRows: [(name: String, measure: @Sendable () throws -> Row)] = [
  ("insert-100k", insert), ("fetch-100k", fetch),
]

private let peerName = "tight Swift"

@Sendable private func insert() throws -> Row {
  let people = Person.make(100_000)
  let model = Model(Person.schema)
  var ours: [Double] = []
  var peers: [Double] = []
  for _ in 0..<5 {
    let folder = Folder()
    let store = try folder.open(model: model)
    let peer = TightStore(path: folder.path + "/peer.sqlite")
    ours.append(
      try Measure.nanoseconds {
        try store.write(in: Workload.space) { transaction in
          for person in people { try transaction.create(person) }
        }
      })
    peers.append(Measure.nanoseconds { peer.insert(people) })
    guard try store.count(Query<Person>(in: Workload.space)) == people.count else {
      fatalError("insert-100k: not all records are there")
    }
    try store.close()
  }
  return Row(
    "insert-100k", ours: Measure.median(ours) / 1e6, peer: Measure.median(peers) / 1e6,
    peerName: peerName, unit: "ms")
}

@Sendable private func fetch() throws -> Row {
  let people = Person.make(100_000)
  let folder = Folder()
  let store = try folder.open(model: Model(Person.schema))
  try store.write(in: Workload.space) { transaction in
    for person in people { try transaction.create(person) }
  }
  let peer = TightStore(path: folder.path + "/peer.sqlite")
  peer.insert(people)
  let query = Query<Person>(in: Workload.space)
  let times = try Measure.pair(
    operations: people.count, rounds: 9,
    ours: { keep(try store.fetch(query)) }, peer: { keep(peer.fetch()) })
  let found = try store.fetch(query)
  guard found.map(\.name) == peer.fetch().map(\.name), found.map(\.note) == people.map(\.note)
  else { fatalError("fetch-100k: not the same records") }
  return Row(
    "fetch-100k", ours: times.ours, peer: times.peer, peerName: peerName, unit: "ns a record")
}
