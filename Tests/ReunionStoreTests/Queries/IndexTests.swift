import ReunionCore
import Testing

@testable import ReunionStore

private enum Mood: String, FieldValue { case calm, glad }

private struct Shot: Entity, Equatable {
  let id: RecordID
  var caption = "it's"
  var width = 7
  var weight = 0.25
  var isShown = true
  var album: RecordID?
  var taken: Int?
  var mood = Mood.calm
  init(id: RecordID) { self.id = id }
  static let fields: [Field<Shot>] = [
    .field(1, "caption", \.caption), .field(2, "width", \.width), .field(3, "weight", \.weight),
    .field(4, "is shown", \.isShown), .field(5, "album", \.album), .field(6, "taken", \.taken),
    .field(7, "mood", \.mood),
  ]
  static let schema = EntitySchema<Shot>(
    3, "shot", fields,
    indexes: [
      [\.album, \.taken], [\.width], [\.caption, \.width], [\.weight], [\.isShown, \.mood],
    ])
}

/// The same entity without indexes, and with others.
private func model(_ indexes: [[UInt32]], of schema: EntitySchema<Shot> = Shot.schema) -> Model {
  let known = EntityDescription(schema)
  return Model(entities: [
    EntityDescription(number: 3, name: "shot", fields: known.fields, indexes: indexes)
  ])
}

private struct Tag: Entity {
  let id: RecordID
  var shot: Reference<Shot>?
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Tag>(
    4, "tag", [.field(1, "shot", \.shot, onDelete: .delete)])
}

/// Indexes over fields: made and dropped with the model, and used by queries.
@Suite struct IndexTests {
  private let folder = Folder()

  private func indexes(_ store: Store) throws -> [String] {
    try store.read { (reader) throws(StoreError) in
      let statement = try reader.connection.statement(
        "SELECT name FROM sqlite_schema WHERE type = 'index' AND name GLOB 'reunion_index_*'"
          + " ORDER BY name")
      defer { statement.reset() }
      var names: [String] = []
      while try statement.step() { names.append(statement.text(0)) }
      return names
    }
  }

  /// How SQLite would answer a query, in its own words.
  private func plan<E: Entity>(_ query: Query<E>, _ store: Store) throws -> String {
    try store.read { (reader) throws(StoreError) in
      let text = try QueryText.records(query, reader.layout)
      let statement = try reader.connection.statement("EXPLAIN QUERY PLAN " + text.sql)
      defer { statement.reset() }
      var steps: [String] = []
      while try statement.step() { steps.append(statement.text(3)) }
      return steps.joined(separator: "; ")
    }
  }

  private func fill(_ store: Store, _ count: Int = 300) throws {
    try store.write(in: space) { transaction in
      for number in 0..<count {
        try transaction.create(Shot.self) {
          $0.width = number % 17
          $0.caption = "Shot \(number % 5)"
          $0.weight = Double(number) / 4
          $0.album = number % 3 == 0 ? nil : RecordID(high: 5, low: UInt64(number % 4))
          $0.taken = number % 11 == 0 ? nil : number % 50
          $0.isShown = number % 2 == 0
          $0.mood = number % 7 == 0 ? .glad : .calm
        }
      }
    }
  }

  private let queries: [(Query<Shot>, String)] = [
    (
      Query(in: space).filter(\.album == RecordID(high: 5, low: 1)).sorted(by: \.taken),
      "reunion_index_3_5_6 (space=? AND f5=?)"
    ),
    (
      Query(in: space).filter(\.album == nil).sorted(by: \.taken, descending: true),
      "reunion_index_3_5_6 (space=? AND f5=?)"
    ),
    (Query(in: space).sorted(by: \.width).limit(9), "reunion_index_3_2 (space=?)"),
    (Query(in: space).filter(\.width == 7), "reunion_index_3_2 (space=? AND <expr>=?)"),
    (
      Query(in: space).filter(\.width > 14).sorted(by: \.width),
      "reunion_index_3_2 (space=? AND <expr>>?)"
    ),
    (
      Query(in: space).filter([3, 4].contains(\.width)), "reunion_index_3_2 (space=? AND <expr>=?)"
    ),
    (
      Query(in: space).filter(\.caption == "Shot 3" && \.width < 4),
      "reunion_index_3_1_2 (space=? AND <expr>=? AND <expr><?)"
    ),
    (
      Query(in: space).filter(\.weight >= 70).sorted(by: \.weight),
      "reunion_index_3_3 (space=? AND <expr>>?)"
    ),
    (
      Query(in: space).filter(\.isShown == false && \.mood == Mood.glad),
      "reunion_index_3_4_7 (space=? AND <expr>=? AND <expr>=?)"
    ),
  ]

  @Test func `finds and sorts by them, and finds what no index would find too`() throws {
    let other = Folder()
    let (store, plain) = (try folder.open(Model(Shot.schema)), try other.open(model([])))
    try fill(store)
    try plain.pull(from: store)
    for (query, wanted) in queries {
      let (found, steps) = (try store.fetch(query), try plan(query, store))
      #expect(steps.contains("USING INDEX \(wanted)"), "\(steps)")
      // At most those of one value are sorted by their ids.
      let isSorted = query.orders.isEmpty || !steps.contains("TEMP B-TREE FOR ORDER BY")
      #expect(isSorted, "\(steps)")
      #expect(try !plan(query, plain).contains("reunion_index"))
      #expect(!found.isEmpty && found.count < 300)
      #expect(try found == plain.fetch(query))
    }
    // What the index has no order for is sorted.
    #expect(
      try plan(Query<Shot>(in: space).sorted(by: \.mood), store).contains("TEMP B-TREE"))
  }

  @Test func `counts what nobody has written as the default, and forgets the deleted`() throws {
    struct Old: Entity {
      let id: RecordID
      var caption = ""
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Old>(3, "shot", [.field(1, "caption", \.caption)])
    }
    let old = try folder.open(Model(Old.schema))
    try old.write(in: space) { transaction in
      for low in 1...3 as ClosedRange<UInt64> {
        try transaction.create(Old(id: RecordID(high: 1, low: low)))
      }
    }
    try old.close()
    let store = try folder.open(Model(Shot.schema))
    let seven = Query<Shot>(in: space).filter(\.width == 7)
    #expect(try plan(seven, store).contains("reunion_index_3_2"))
    #expect(try store.count(seven) == 3)
    #expect(try store.count(Query<Shot>(in: space).filter(\.weight < 1)) == 3)
    try store.write(in: space) { transaction in
      try transaction.set(\Shot.width, of: RecordID(high: 1, low: 1), to: 8)
      try transaction.delete(Shot.self, RecordID(high: 1, low: 2))
    }
    #expect(try store.fetch(seven).map(\.id.low) == [3])
    #expect(try store.count(Query<Shot>(in: space).filter(\.width == 8)) == 1)
  }

  @Test func `come and go with the model, and those of other entities stay`() throws {
    var store = try folder.open(Model(Shot.schema, Tag.schema))
    let all = ["1_2", "2", "3", "4_7", "5_6"].map { "reunion_index_3_\($0)" }
    #expect(try indexes(store) == all + ["reunion_index_4_1"])
    try fill(store)
    try store.close()
    // A model that says nothing of an entity or its indexes leaves them, as tools do.
    for kept in [
      Model(), Model(entities: [EntityDescription(number: 3, name: "shot", fields: [])]),
    ] {
      store = try folder.open(kept)
      #expect(try indexes(store) == all + ["reunion_index_4_1"])
      try store.close()
    }
    store = try Store.open(existing: folder.path)
    #expect(try indexes(store) == all + ["reunion_index_4_1"])
    try store.close()
    store = try folder.open(model([[2], [6]]))
    #expect(
      try indexes(store) == ["reunion_index_3_2", "reunion_index_3_6", "reunion_index_4_1"])
    let steps = try store.read { (reader) throws(StoreError) in
      let next = Model(Shot.schema)
      return try UpgradePlan(from: StoredLayout(reader.connection, for: next), to: next).steps
    }
    let shot = UpgradeSubject(EntityDescription(Shot.schema))
    let wanted = [
      UpgradeStep.dropIndex(shot, fields: ["taken"]), .index(shot, fields: ["caption", "width"]),
      .index(shot, fields: ["weight"]), .index(shot, fields: ["is shown", "mood"]),
      .index(shot, fields: ["album", "taken"]),
    ]
    #expect(steps == wanted)
    #expect(
      wanted.map(\.description).prefix(2)
        == ["remove the index of shot by taken", "index shot by caption, width"])
    try store.close()
    store = try folder.open(Model(Shot.schema))
    #expect(try indexes(store) == all + ["reunion_index_4_1"])
    for (query, wanted) in queries { #expect(try plan(query, store).contains(wanted)) }
    try store.close()
  }

  @Test func `a tool without the app's types leaves tables, indexes, words and views as they are`()
    throws
  {
    struct Note: Entity {
      let id: RecordID
      var text = "Untitled"
      var shot: Reference<Shot>?
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Note>(
        5, "note",
        [
          .field(1, "text", \.text, .searchable), .field(2, "shot", \.shot, onDelete: .clear),
        ], indexes: [[\.text]])
    }
    func schema(_ store: Store) throws -> [String] {
      try store.read { (reader) throws(StoreError) in
        let statement = try reader.connection.statement(
          "SELECT name || ': ' || ifnull(sql, '') FROM sqlite_schema ORDER BY name")
        defer { statement.reset() }
        var rows: [String] = []
        while try statement.step() { rows.append(statement.text(0)) }
        return rows
      }
    }
    var store = try folder.open(Model(Shot.schema, Note.schema))
    try store.write(in: space) { try $0.create(Note.self) }
    let before = try schema(store)
    try store.close()
    store = try Store.open(existing: folder.path)
    #expect(try schema(store) == before)
    try store.close()
    store = try folder.open(Model(Shot.schema, Note.schema))
    #expect(try store.count(Query<Note>(in: space).matching("untitled")) == 1)
  }

  @Test func `are made anew where a default is another`() throws {
    struct Later: Entity {
      let id: RecordID
      var width = 9
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Later>(
        3, "shot", [.field(2, "width", \.width)], indexes: [[\.width]])
    }
    var store = try folder.open(Model(Shot.schema))
    try fill(store, 20)
    try store.close()
    store = try folder.open(Model(Later.schema))
    let query = Query<Later>(in: space).filter(\.width == 9)
    #expect(try plan(query, store).contains("reunion_index_3_2 (space=? AND <expr>=?)"))
    #expect(try store.count(query) == 1)
  }

  @Test func `who deletes finds by an index those that name the deleted one`() throws {
    let store = try folder.open(Model(Shot.schema, Tag.schema))
    let steps = try store.read { (reader) throws(StoreError) in
      let statement = try reader.connection.statement(
        "EXPLAIN QUERY PLAN SELECT id FROM reunion_record_4 WHERE space = ?1 AND f1 = ?2 AND alive")
      defer { statement.reset() }
      return try statement.step() ? statement.text(3) : ""
    }
    #expect(steps.contains("reunion_index_4_1 (space=? AND f1=?)"), "\(steps)")
  }

  @Test(arguments: [[[]], [[2, 2]], [[9]], [[1, 2, 3, 4, 5, 6, 7, 8, 9]], [[8]]] as [[[UInt32]]])
  func `one that cannot be is refused with the model`(wrong: [[UInt32]]) throws {
    struct Full: Entity {
      let id: RecordID
      var tags: Set<String> = []
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Full>(3, "shot", Array(Self.more))
      static let more: [Field<Full>] = [.field(8, "tags", \.tags)]
    }
    let fields = EntityDescription(Shot.schema).fields + EntityDescription(Full.schema).fields
    let refused = Model(entities: [
      EntityDescription(number: 3, name: "shot", fields: fields, indexes: wrong)
    ])
    let error = #expect(throws: StoreError.self) { try folder.open(refused) }
    #expect(error?.message.contains("An index of shot is wrong") == true)
  }

  @Test func `a field that begins differently each time is in none`() throws {
    struct Draw: Entity {
      let id: RecordID
      var number = Int.random(in: 0 ... .max)
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<Draw>(
        3, "draw", [.field(1, "number", \.number)], indexes: [[\.number]])
    }
    let error = #expect(throws: StoreError.self) { try folder.open(Model(Draw.schema)) }
    #expect(error?.message.contains("draw.number begins differently each time") == true)
  }
}
