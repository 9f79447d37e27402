import Foundation
import Reunion

struct Trip: Entity {
  let id: RecordID
  var name = ""
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Trip>(1, "trip", [.field(1, "name", \.name)])
}

struct Photo: Entity {
  let id: RecordID
  var caption = ""
  var stars = 0
  var taken: Date?
  var isHidden = false
  var trip: Reference<Trip>?
  var tags: Set<String> = []
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Photo>(
    2, "photo",
    [
      .field(1, "caption", \.caption, .searchable), .field(2, "stars", \.stars),
      .field(3, "taken", \.taken), .field(4, "isHidden", \.isHidden),
      .field(5, "trip", \.trip), .field(6, "tags", \.tags),
    ])
}

let replica = try Replica(
  folder: CommandLine.arguments[1], model: Model(Trip.schema, Photo.schema))
let space = SpaceID.random()
let (coast, hills) = try replica.write(in: space) { transaction in
  let coast = try transaction.create(Trip.self) { $0.name = "Coast" }
  let hills = try transaction.create(Trip.self) { $0.name = "Hills" }
  for (caption, stars, trip) in [
    ("Ferry at night", 5, coast), ("The harbour", 4, coast), ("Café au lait", 4, hills),
    ("Old ferry", 1, nil),
  ] {
    let photo = try transaction.create(Photo.self) {
      $0.caption = caption
      $0.stars = stars
      $0.trip = trip.map { Reference($0) }
    }
    if stars > 4 { try transaction.insert("best", into: \Photo.tags, of: photo.id) }
  }
  return (coast, hills)
}

/// Prints what a query finds; what its order leaves equal comes by the caption.
func show(_ question: String, _ query: Query<Photo>) throws {
  let photos = try replica.fetch(query.sorted(by: \.caption))
  print("\(question): \(photos.map(\.caption).joined(separator: ", "))")
}

let all = Query<Photo>(in: space)
try show("All", all)
try show("The two best", all.sorted(by: \.stars, descending: true).limit(2))
try show("By stars, then caption", all.sorted(by: \.stars).sorted(by: \.caption))

try show("More than 4 stars", all.filter(\.stars > 4))
try show("Not hidden, and not of the hills", all.filter(!\.isHidden && \.trip != hills))
try show("1 or 5 stars", all.filter([1, 5].contains(\.stars)))
try show("Without a date", all.filter(\.taken == nil))
try show("Begins with “The”", all.filter(.hasPrefix(\.caption, "The")))
try show("Tagged “best”", all.filter(.contains(\.tags, "best")))

try show("Of the coast", all.filter(\.trip == coast))
try show("Of a trip with an L", all.filter(\.trip, where: .contains(\.name, "l")))
try show("Of no trip", all.filter(.unrelated(\.trip)))
let byTrip = all.sorted(by: \.trip, \.name).sorted(by: \.caption)
for pair in try replica.fetch(byTrip.joined(\.trip)) {
  print("\(pair.record.caption) – \(pair.other?.name ?? "no trip")")
}

try show("Words", all.matching("FERRY").sortedByRelevance())
try show("While typing", all.matching("caf", prefixes: true))

print("How many:", try replica.count(all))
print("Stars in all:", try replica.fetch(all.sum(of: \.stars)))
print("On average:", try replica.fetch(all.average(of: \.stars)) ?? 0)
print("At best:", try replica.fetch(all.maximum(of: \.stars)) ?? 0)
print("Captions:", try replica.fetch(all.sorted(by: \.caption).limit(2).select(\.caption)))
for group in try replica.fetch(all.grouped(by: \.stars).count()) {
  print("Photos with \(group.key) of 5: \(group.value)")
}

let hidden = try replica.snapshot { snapshot in
  let photos = try snapshot.fetch(all)
  return (photos.count, try snapshot.fetch(all.filter(\.isHidden).count()))
}
print("Hidden: \(hidden.1) of \(hidden.0)")

let best = try replica.liveResult(of: all.filter(\.stars > 4).sorted(by: \.caption))
let watching = best.observeChanges { update in
  print("Live: \(update.result.count), new at \(update.changes.insertions)")
}
try replica.write(in: space) { transaction in
  try transaction.create(Photo.self) {
    $0.caption = "Dunes"
    $0.stars = 5
  }
}
try replica.close()
