import ReunionCore
import Testing

@testable import ReunionStore

private struct Page: Entity, Equatable {
  let id: RecordID
  var title = ""
  var parent: Reference<Page>?
  var photo = Reference<Photo>(RecordID(high: 0, low: 0))
  var seeAlso: OrderedList<Reference<Page>> = []
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Page>(
    8, "page",
    [
      .field(1, "title", \.title), .field(2, "parent", \.parent), .field(3, "photo", \.photo),
      .field(4, "see also", \.seeAlso),
    ])
}

private let model = Model(Page.schema, Photo.schema)

@Suite struct ReferenceTests {
  @Test func `is nil while its target has not arrived, and finds it when it does`() throws {
    let folders = [Folder(), Folder()]
    let (a, b) = (try folders[0].open(model), try folders[1].open(model))
    var root = Page(id: RecordID(high: 1, low: 1))
    root.title = "Root"
    var page = Page(id: RecordID(high: 1, low: 2))
    page.parent = Reference(root)
    page.seeAlso = [Reference(root.id), Reference(page)]
    try a.write(in: space) { try $0.create(page) }
    try b.pull(from: a)
    let held = try #require(try b.fetch(Page.self, page.id, in: space))
    #expect(held == page)
    #expect(try b.fetch(held.parent, in: space) == nil)
    #expect(try held.photo.resolve(in: b, space) == nil)
    try a.write(in: space) { try $0.create(root) }
    try b.pull(from: a)
    #expect(try b.fetch(held.parent, in: space) == root)
    #expect(try held.parent?.resolve(in: b, space) == root)
    try b.write(in: space) { transaction in
      #expect(try transaction.fetch(held.parent) == root)
      try transaction.delete(Page.self, root.id)
      #expect(try transaction.fetch(held.parent) == nil)
    }
    #expect(try b.fetch(held.parent, in: space) == nil)
    #expect(try b.fetch(Page.self, page.id, in: space)?.parent == Reference(root))
    #expect(try b.fetch(Page().parent, in: space) == nil)
  }

  @Test func `is stored as an id is, and found by a query`() throws {
    struct OldPage: Entity {
      let id: RecordID
      var parent: RecordID?
      init(id: RecordID) { self.id = id }
      static let schema = EntitySchema<OldPage>(8, "page", [.field(2, "parent", \.parent)])
    }
    let folder = Folder()
    let target = RecordID(high: 4, low: 4)
    var old = OldPage(id: RecordID(high: 1, low: 1))
    old.parent = target
    do {
      let store = try folder.open(Model(OldPage.schema))
      try store.write(in: space) { try $0.create(old) }
      try store.close()
    }
    let store = try folder.open(model)
    let query = Query<Page>(in: space).filter(\.parent == Reference(target))
    #expect(try store.fetch(query).map(\.id) == [old.id])
    #expect(try store.fetch(query.filter(!(\.parent == nil))).count == 1)
  }
}

extension Page {
  fileprivate init() { self.init(id: RecordID(high: 0, low: 0)) }
}
