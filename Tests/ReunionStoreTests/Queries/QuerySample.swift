import FoundationEssentials
import ReunionCore

@testable import ReunionStore

/// What queries, searches and SQL are tested on.
struct Shelf: Entity, Equatable {
  let id: RecordID
  var title = ""
  var rank = 0

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Shelf>(
    20, "shelf", [.field(1, "title", \.title), .field(2, "rank", \.rank)])
}

struct Book: Entity, Equatable {
  let id: RecordID
  var title = ""
  var pages = 0
  var score = 0.0
  var note: String?
  var tags: Set<String> = []
  var shelf: Reference<Shelf>?
  var copies: Counter = 0
  var rating = Rating.good
  var reader: RecordID?
  var chapters: OrderedList<String> = []

  init(id: RecordID) { self.id = id }

  static let schema = EntitySchema<Book>(
    21, "book",
    [
      .field(1, "title", \.title, .searchable), .field(2, "pages", \.pages),
      .field(3, "score", \.score), .field(4, "note", \.note, .searchable),
      .field(5, "tags", \.tags, .searchable), .field(6, "shelf", \.shelf),
      .field(7, "copies", \.copies), .field(8, "rating", \.rating), .field(9, "reader", \.reader),
      .field(10, "chapters", \.chapters),
    ])
}

let libraryModel = Model(Shelf.schema, Book.schema)

extension Store {
  /// Creates a record in the sample's space.
  @discardableResult
  func add<E: Entity>(
    _: E.Type, in space: SpaceID = space, _ configure: (inout E) -> Void = { _ in }
  ) throws -> E { try write(in: space) { try $0.create(E.self, configure) } }
}
