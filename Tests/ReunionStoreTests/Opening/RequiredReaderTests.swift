import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionStore

/// What version of a model the readers of a space need (docs/protocol.md 2.15).
@Suite struct RequiredReaderTests {
  private struct Letter: Entity, Equatable {
    let id: RecordID
    var text = ""
    init(id: RecordID) { self.id = id }
    static let schema = EntitySchema<Letter>(1, "letter", [.field(1, "text", \.text)])
  }

  private func model(_ version: Int, reader: Int = 1) -> Model {
    Model(Letter.schema, version: version, minimumReader: reader)
  }

  private func required(_ store: Store) throws -> Int {
    try store.readTransaction { (reader) throws(StoreError) in
      try reader.numbers.existingNumber(of: space).map { (number) throws(StoreError) in
        try reader.requiredReader(space: number)
      } ?? 1
    }
  }

  @Test func `an app of the first version opens a store of the fourth, writes, and loses nothing`()
    throws
  {
    let folder = Folder()
    var store = try folder.open(model(4, reader: 3))
    let id = try store.write(in: space) { try $0.create(Letter.self) { $0.text = "fourth" }.id }
    try store.close()
    store = try folder.open(model(1))
    #expect(
      try store.updateNeed(in: space).value == UpdateNeed(space: space, needed: 3, version: 1))
    try store.write(in: space, undo: "Edit") { try $0.set(\Letter.text, of: id, to: "first") }
    #expect(try store.fetch(Letter.self, id, in: space)?.text == "first")
    _ = try store.undo(in: space)
    #expect(try store.fetch(Letter.self, id, in: space)?.text == "fourth")
    try store.close()
    store = try folder.open(model(4, reader: 3))
    #expect(try store.updateNeed(in: space).value == nil && required(store) == 3)
  }

  @Test func `is the highest that anybody required, whatever the order`() throws {
    #expect(try needs() == [[2, 7, 1], [7, 7, 7], [0, 0, 7], [7, 7, 7]])
  }

  @Test(arguments: [SeededBug.readerNotSaid, .readerComesDown])
  func `an older app that would hear nothing, or less, is seen (negative control)`(bug: SeededBug)
    throws
  {
    #expect(try needs([bug]) != needs())
  }

  /// What three apps know to be required: after a write of each, once they met, what each is told (0 for
  /// nothing), and after another write.
  private func needs(_ bugs: SeededBugs = []) throws -> [[Int]] {
    let folders = (0..<3).map { _ in Folder() }
    let stores = try zip(folders, [model(9, reader: 2), model(9, reader: 7), model(3)]).map {
      try $0.open($1) { $0.seededBugs = bugs }
    }
    for store in stores { try store.write(in: space) { try $0.create(Letter.self) } }
    let before = try stores.map(required)
    for (to, from) in [(2, 1), (2, 0), (0, 1), (1, 2)] {
      try stores[to].pull(from: stores[from])
    }
    let met = try stores.map(required)
    let told = try stores.map { try $0.updateNeed(in: space).value?.needed ?? 0 }
    try stores[0].write(in: space) { try $0.create(Letter.self) }
    return [before, met, told, try stores.map(required)]
  }

  @Test func `is written once, with the first record, in a write that can be undone or fail`()
    throws
  {
    let store = try Folder().open(model(2, reader: 2))
    try store.annotate(in: space) { _ in }
    struct Thrown: Error {}
    #expect(throws: Thrown.self) {
      try store.write(in: space) { transaction in
        try transaction.create(Letter.self)
        throw Thrown()
      }
    }
    #expect(try store.allChanges().isEmpty && required(store) == 1)
    try store.write(in: space, undo: "Write") { try $0.create(Letter.self) }
    #expect(try required(store) == 2)
    let seq = try store.vector(of: space)[store.site]
    #expect(seq == 4)
    try store.write(in: space) { try $0.create(Letter.self) }
    #expect(try store.vector(of: space)[store.site] == seq + 2)
    _ = try store.undo(in: space)
    #expect(try store.count(Query<Letter>(in: space)) == 1 && required(store) == 2)
    // Two transactions, so that a server may refuse the one alone.
    let stamps = Set(
      try store.allChanges().filter { $0.entity == RequiredReader.entity }.map(\.cell.stamp))
    let others = Set(try store.allChanges().filter { $0.entity == 1 }.map(\.cell.stamp))
    #expect(stamps.count == 1 && stamps.isDisjoint(with: others))
  }

  @Test func `settings and what a tool writes ask for nothing`() throws {
    let store = try Folder().open(model(2, reader: 2))
    let settings = try RoamingSettings(store, account: space)
    try settings.set(SettingKey("theme", default: "light"), to: "dark")
    #expect(try required(store) == 1)
    try store.requireReader(in: space)
    try store.requireReader(in: space)
    #expect(try required(store) == 2)
    let changes = try store.allChanges().filter { $0.entity == RequiredReader.entity }
    #expect(changes.count == 2)
  }

  @Test func `writes of a group that fail leave it to the next`() async throws {
    let store = try Folder().open(model(2, reader: 2))
    struct Thrown: Error {}
    await #expect(throws: Thrown.self) {
      try await store.groupedWrite(in: space) { transaction in
        try transaction.create(Letter.self)
        throw Thrown()
      }
    }
    try await store.groupedWrite(in: space) { _ = try $0.create(Letter.self) }
    #expect(try required(store) == 2)
  }

  @Test(arguments: [(0, 1), (1, 0), (1, 2), (3, 4)])
  func `versions that cannot be are refused`(version: Int, reader: Int) {
    #expect(isCode(.invalidModel) { _ = try Folder().open(model(version, reader: reader)) })
  }

  @Test func `an absurd number counts for nothing`() throws {
    let store = try Folder().open(model(1))
    try store.write(in: space) { transaction in
      for id in [RecordID(high: 0, low: .max), RecordID(high: 1, low: 5)] {
        try transaction.set(
          field: RequiredReader.versionField, of: id, entity: RequiredReader.entity, to: .int(9))
      }
    }
    #expect(try required(store) == 1)
    #expect(try store.updateNeed(in: space).value == nil)
  }
}
