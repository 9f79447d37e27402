import Reunion
import ReunionTools

struct Book: Entity {
  let id: RecordID
  var title = ""
  var pages = 0
  var tags: Set<String> = []
  init(id: RecordID) { self.id = id }
  static let schema = EntitySchema<Book>(
    1, "book",
    [.field(1, "title", \.title), .field(2, "pages", \.pages), .field(3, "tags", \.tags)])
}

let store = try Store.open(folder: CommandLine.arguments[1], model: Model(Book.schema))
let space = SpaceID.random()
try store.write(in: space) { transaction in
  try transaction.create(Book.self) {
    $0.title = "Harbour"
    $0.pages = 120
    $0.tags = ["sea", "wind"]
  }
}
let long = try store.sql("SELECT title, pages FROM book WHERE pages > ? ORDER BY 1", [100])
for row in long { print(row.values) }
let tags = try store.sql("SELECT value, count(*) AS n FROM book, json_each(book.tags) GROUP BY 1")
for row in tags { print(row["value"]?.text ?? "", row["n"]?.integer ?? 0) }
