import Measuring
import Reunion

/// Rows about live queries.
let liveRows: [(name: String, measure: @Sendable () throws -> Row)] = [
  ("live-query-1000", liveQueries)
]

/// A record in one of a thousand groups, of each of which a live query shows the ten records.
private struct Member: Entity {
  let id: RecordID
  var group = 0
  var number = 0
  var text = ""

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Member>(
    1, "member",
    [.field(1, "group", \.group), .field(2, "number", \.number), .field(3, "text", \.text)])

  static let all = Query<Member>(in: Workload.space)

  /// The query of a group.
  static func query(_ group: Int) -> Query<Member> {
    all.filter(\.group == group).sorted(by: \.number)
  }
}

/// A thousand live queries over one entity and a commit that changes what one of them shows: what it
/// costs beyond the commit, beside running the thousand again.
@Sendable private func liveQueries() throws -> Row {
  let folder = Folder()
  let store = try folder.open(model: Model(Member.schema))
  var ids: [RecordID] = []
  try store.write(in: Workload.space) { transaction in
    for number in 0..<10_000 {
      let member = try transaction.create(Member.self) {
        $0.group = number % 1000
        $0.number = number
      }
      ids.append(member.id)
    }
  }
  var generation = 0
  /// The CPU time of a commit that changes a text of some group.
  func commit() throws -> Double {
    var times: [Double] = []
    for _ in 0..<200 {
      generation += 1
      let id = ids[generation * 7 % ids.count]
      times.append(
        try Measure.nanoseconds {
          try store.write(in: Workload.space) {
            try $0.set(\Member.text, of: id, to: "\(generation)")
          }
        })
    }
    return Measure.median(times)
  }
  _ = try commit()
  let alone = try commit()

  // Queries that read other fields than the text.
  var sums = try (0..<1000).map { group in
    try store.live(Member.all.filter(\.group == group).sum(of: \.number))
  }
  let untouched = (try commit() - alone) / 1000
  keep(sums)
  sums = []

  let queries = try (0..<1000).map { try store.live(Member.query($0)) }
  var told = 0
  let subscriptions = queries.map { query in query.observe { keep($0) } }
  let touched = (try commit() - alone) / 1e6
  for group in stride(from: 0, to: 1000, by: 97) {
    guard queries[group].value.map(\.text) == (try store.fetch(Member.query(group)).map(\.text))
    else { fatalError("live-query-1000: a live query shows something else than a fetch") }
    told += 1
  }
  guard told > 10 else { fatalError("live-query-1000: nothing was compared") }
  keep(subscriptions)

  let again =
    try Measure.nanoseconds {
      for group in 0..<20 { keep(try store.fetch(Member.query(group * 50))) }
    } * 50 / 1e6
  var row = Row(
    "live-query-1000", ours: touched, peer: again, peerName: "re-query of all", unit: "ms a commit")
  row.notes = [
    "a commit that touches no field that a query reads: \(Int(untouched)) ns for each query",
    "the commit itself, with no query open: \(Int(alone / 1000)) µs of CPU",
  ]
  return row
}
