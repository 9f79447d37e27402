import Foundation
import Reunion
import ReunionCore
import Testing

/// Calls, conditions and values as a Swift developer writes them.
@Suite struct EverydayTests {
  struct List: Entity {
    let id: RecordID
    var name = ""
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<List>(1, "list", [.field(1, "name", \.name)])
  }

  struct Place: CodableValue, Equatable {
    var street = ""
    var height = 0.0
  }

  /// A value whose encoding fails.
  struct Secret: CodableValue {
    var text = ""
    func encode(to encoder: any Encoder) throws { throw CocoaError(.coderInvalidValue) }
  }

  struct Errand: Entity {
    let id: RecordID
    var title = ""
    var isDone = false
    var due: Date?
    var note: String?
    var list: Reference<List>?
    var place = Place()
    var steps: [String] = []
    var picture = Data()
    var views: Counter = 0
    var secret: Secret?
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Errand>(
      2, "errand",
      [
        .field(1, "title", \.title), .field(2, "isDone", \.isDone), .field(3, "due", \.due),
        .field(4, "note", \.note), .field(5, "list", \.list), .field(6, "place", \.place),
        .field(7, "steps", \.steps), .field(8, "picture", \.picture), .field(9, "views", \.views),
        .field(10, "secret", \.secret),
      ])
  }

  let folder = "\(NSTemporaryDirectory())/everyday-\(UUID())"
  let space = SpaceID.random()

  private func open(_ name: String = "phone") throws -> Replica {
    try Replica(folder: "\(folder)/\(name)", model: Model(List.schema, Errand.schema))
  }

  @Test func `creates, updates and deletes in a word each, and writes only what changed`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (phone, laptop) = (try open(), try open("laptop"))
    let errand = try phone.write(in: space) { try $0.create(Errand.self) }
    try phone.exchange(space, with: laptop)
    try phone.write(in: space) { try $0.update(Errand.self, errand.id) { $0.title = "Milk" } }
    let changed = try laptop.write(in: space) { try $0.update(errand) { $0.isDone = true } }
    #expect(changed.isDone && changed.title == "")
    try phone.exchange(space, with: laptop)
    let merged = try #require(try laptop.fetch(Errand.self, errand.id, in: space))
    #expect(merged.title == "Milk" && merged.isDone)
    #expect(try laptop.conflicts(in: space).isEmpty)
    try phone.write(in: space) { try $0.delete(errand) }
    #expect(try phone.count(Query<Errand>(in: space)) == 0)
    let error = #expect(throws: StoreError.self) {
      try phone.write(in: space) { try $0.update(errand) { $0.title = "Late" } }
    }
    #expect(error?.code == .notFound)
    #expect((error as (any Error)?)?.localizedDescription == error?.description)
  }

  @Test func `conditions find what Swift finds, in a fetch and in what lives`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let phone = try open()
    let list = try phone.write(in: space) { try $0.create(List.self) { $0.name = "Market" } }
    let all = Query<Errand>(in: space).sorted(by: \.title)
    let now = Date()
    let conditions: [(Query<Errand>, (Errand) -> Bool)] = [
      (all.filter(!\.isDone), { !$0.isDone }), (all.filter(\.isDone), { $0.isDone }),
      (all.filter(\.list == list), { $0.list == Reference(list) }),
      (all.filter(\.list != list), { $0.list != Reference(list) }),
      (all.filter(\.due == nil), { $0.due == nil }),
      (all.filter(\.due < now), { $0.due.map { $0 < now } ?? false }),
      (all.filter(.hasPrefix(\.title, "Mi\0")), { $0.title.utf8.starts(with: "Mi\0".utf8) }),
      (all.filter(.hasPrefix(\.title, "")), { _ in true }),
      (all.filter(.contains(\.title, "\0l")), { $0.title.utf8.contains("\0l".utf8) }),
      (all.filter(.contains(\.note, "é")), { $0.note?.utf8.contains("é".utf8) ?? false }),
      (all.filter(!.hasPrefix(\.note, "c")), { !($0.note?.hasPrefix("c") ?? false) }),
      (all.filter(["Milk", "Tea"].contains(\.title)), { ["Milk", "Tea"].contains($0.title) }),
      (all.filter(!["café"].contains(\.note)), { $0.note != "café" }),
      (all.filter([String]().contains(\.title)), { _ in false }),
    ]
    let living = try conditions.map { try phone.live($0.0) }
    try phone.write(in: space) { transaction in
      for title in ["Milk", "Mi\0lk", "Tea", "", "milk"] {
        try transaction.create(Errand.self) {
          $0.title = title
          $0.isDone = title.count == 4
          $0.due = title == "Tea" ? nil : now.addingTimeInterval(title == "" ? 60 : -60)
          $0.note = title == "Tea" ? nil : title == "milk" ? "café" : "cow"
          $0.list = title == "Milk" ? Reference(list) : nil
        }
      }
    }
    let errands = try phone.fetch(all)
    #expect(errands.count == 5)
    for (index, (query, holds)) in conditions.enumerated() {
      let expected = errands.filter(holds).map(\.title)
      #expect(try phone.fetch(query).map(\.title) == expected, "condition \(index)")
      #expect(living[index].value.map(\.title) == expected, "condition \(index) as it lives")
    }
    let many = (0...30_000).map { "\($0)" }
    let error = #expect(throws: StoreError.self) {
      try phone.fetch(all.filter(many.contains(\.title)))
    }
    #expect(error?.code == .outOfRange)
    #expect(
      try phone.fetch(all.filter((many.dropLast() + ["Tea"]).dropFirst().contains(\.title))).count
        == 1)
  }

  @Test func `a value of one's own, an array and data are kept, and merge whole`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (phone, laptop) = (try open(), try open("laptop"))
    let errand = try phone.write(in: space) { transaction in
      try transaction.create(Errand.self) {
        $0.place = Place(street: "Quay", height: .infinity)
        $0.steps = ["go", "buy", "", "\"é\""]
        $0.picture = Data([0, 1, 255])
      }
    }
    try phone.exchange(space, with: laptop)
    let held = try #require(try laptop.fetch(Errand.self, errand.id, in: space))
    #expect(held.place == errand.place && held.steps == errand.steps)
    #expect(held.picture == errand.picture)
    #expect(
      try laptop.count(Query<Errand>(in: space).filter(\.place == errand.place)) == 1)
    try phone.write(in: space) { try $0.update(errand) { $0.place.street = "Pier" } }
    try laptop.write(in: space) { try $0.update(errand) { $0.place.height = 2 } }
    try phone.exchange(space, with: laptop)
    let conflict = try #require(try phone.conflicts(in: space).first)
    let places = try #require(conflict.values(of: \Errand.place))
    let whole = [Place(street: "Pier", height: .infinity), Place(street: "Quay", height: 2)]
    #expect([places.lost, places.standing] == whole || [places.standing, places.lost] == whole)
  }

  @Test func `a value that cannot be encoded is refused, and nothing is written`() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let phone = try open()
    let errand = try phone.write(in: space) { try $0.create(Errand.self) { $0.title = "Milk" } }
    for change: (WriteTransaction) throws -> Void in [
      { try $0.update(errand) { $0.secret = Secret(text: "x") } },
      { try $0.set(\Errand.secret, of: errand.id, to: Secret()) },
      { try $0.create(Errand.self) { $0.secret = Secret() } },
    ] {
      let error = #expect(throws: StoreError.self) {
        try phone.write(in: space) { transaction in
          try transaction.set(\Errand.title, of: errand.id, to: "Lost")
          try change(transaction)
        }
      }
      #expect(error?.code == .notEncodable)
    }
    #expect(try phone.fetch(Query<Errand>(in: space)).map(\.title) == ["Milk"])
  }

  @Test func `values print as values`() throws {
    let id = RecordID(high: 1, low: 2)
    #expect("\(Counter(7))" == "7")
    #expect("\(Reference<List>(id))" == id.description)
    #expect("\(OrderedList(["a"]))" == "[\"a\"]")
    let values: [(any FieldValue, String)] = [
      ("Port", "\"Port\""), (7, "7"), (1.5, "1.5"), (true, "true"), (Counter(3), "3"),
      (id, "\(id)"),
      (Date(timeIntervalSince1970: 0), "1970-01-01T00:00:00Z"), ([UInt8]([1, 2]), "2 bytes"),
      (Set(["b", "a"]), "[\"a\", \"b\"]"), (Blob([1, 2, 3]), "blob of 3 bytes"),
      (String?.none, "none"), (["a"], "\"[\"a\"]\""),
    ]
    for (value, text) in values { #expect(value.storedValue.description == text) }
  }

  @Test func `a record is Identifiable`() {
    func ids<Items: RandomAccessCollection>(_ items: Items) -> [Items.Element.ID]
    where Items.Element: Identifiable { items.map(\.id) }
    let id = RecordID(high: 1, low: 2)
    #expect(ids([List(id: id)]) == [id])
  }
}
