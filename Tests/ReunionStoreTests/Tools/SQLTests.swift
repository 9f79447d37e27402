import FoundationEssentials
import ReunionCore
import ReunionTools
import Testing

@testable import ReunionStore

@Suite struct SQLTests {
  let folder = Folder()

  private func openLibrary() throws -> Store {
    let store = try folder.open(libraryModel)
    let shelf = try store.add(Shelf.self) { $0.title = "Summer" }
    try store.add(Book.self) {
      $0.title = "Harbour"
      $0.pages = 120
      $0.score = 2.5
      $0.tags = ["sea", "été \"x\""]
      $0.shelf = Reference(shelf)
      $0.copies = 3
      $0.chapters = ["one", "two"]
    }
    try store.add(Book.self) {
      $0.title = "Wind"
      $0.score = .nan
    }
    let gone = try store.add(Book.self) { $0.title = "Gone" }
    try store.write(in: space) { try $0.delete(Book.self, gone.id) }
    return store
  }

  @Test func `shows what a field begins with where nobody wrote it, by the newest model`() throws {
    struct Later: Entity {
      let id: RecordID
      var title = ""
      var weight = 7
      var word = "it's"
      var isNew = true
      var share = 0.5
      var note: String?
      init(id: RecordID) { self.id = id }
      static func named(_ weight: String) -> EntitySchema<Later> {
        EntitySchema<Later>(
          Book.schema.number, "book",
          [
            .field(1, "title", \.title), .field(101, weight, \.weight), .field(102, "word", \.word),
            .field(103, "isNew", \.isNew), .field(104, "share", \.share),
            .field(105, "note", \.note),
          ])
      }
      static let schema = named("weight")
    }
    try openLibrary().close()
    let select = "SELECT weight, word, isNew, share, note FROM book WHERE title = 'Wind'"
    for _ in 0..<2 {
      let later = try folder.open(Model(Later.schema))
      #expect(try later.sql(select)[0].values == [7, "it's", 1, 0.5, nil])
      try later.close()
    }
    #expect(try Store.sql(select, inFolder: folder.path)[0].values == [7, "it's", 1, 0.5, nil])
    // An earlier model knows nothing of them, and leaves them alone.
    try folder.open(libraryModel).close()
    let rows = try Store.sql(
      "SELECT weight, pages, score FROM book WHERE title = 'Wind'", inFolder: folder.path)
    #expect(rows[0].values == [7, 0, nil])
  }

  @Test func `reads every kind of field by the model's names`() throws {
    let store = try openLibrary()
    let rows = try store.sql(
      """
      SELECT title, pages, score, note, tags, copies, chapters, rating FROM book ORDER BY title
      """)
    #expect(rows.columns.prefix(3) == ["title", "pages", "score"])
    #expect(rows.count == 2)
    #expect(
      rows[0].values == [
        "Harbour", 120, 2.5, nil, "[\"sea\",\"été \\\"x\\\"\"]", 3, "[\"one\",\"two\"]", 1,
      ])
    #expect(rows[1]["score"] == .null)
    #expect(rows[1]["tags"] == "[]" || rows[1]["tags"] == .null)
    let tags = try store.sql(
      "SELECT value FROM book, json_each(book.tags) WHERE title = ? ORDER BY 1", ["Harbour"])
    #expect(tags.map { $0.values[0] } == ["sea", "été \"x\""])
    let joined = try store.sql(
      "SELECT b.title, s.title FROM book b JOIN shelf s ON s.id = b.shelf AND s.space = ?",
      [SQLValue(space)])
    #expect(joined.map(\.values) == [["Harbour", "Summer"]])
    let books = try store.fetch(Query<Book>(in: space))
    let byID = try store.sql("SELECT title FROM book WHERE id = ?", [SQLValue(books[0].id)])
    #expect(byID.map(\.values) == [[.text(books[0].title)]])
    #expect(try store.sql("SELECT avg(score), count(*) FROM book")[0].values == [2.5, 2])
    let common = try store.sql(
      "WITH b AS (SELECT 1 AS x UNION ALL SELECT 2) SELECT sum(x) FROM b; -- and no more")
    #expect(common[0].values == [3])
    #expect(try Store.sql("SELECT count(*) FROM book", inFolder: folder.path)[0].values == [2])
    #expect(try Store.sqlViews(inFolder: folder.path).map(\.name) == ["book", "shelf"])
  }

  @Test func `blobs read as the hash of their file, or as their bytes`() throws {
    let store = try Folder().open()
    let blob = try store.blobs.add([1, 2, 3])
    try store.write(in: space) { try $0.create(Photo.self) { $0.original = blob } }
    #expect(
      try store.sql("SELECT original FROM photo")[0].values
        == [.text(Hexadecimal.text(blob.hash.bytes))])
  }

  @Test(arguments: [
    "INSERT INTO book(title) VALUES('x')", "DELETE FROM book", "UPDATE book SET title = 'x'",
    "DELETE FROM reunion_record_21", "SELECT * FROM reunion_record_21",
    "SELECT * FROM main.reunion_meta", "SELECT name FROM sqlite_schema",
    "SELECT * FROM sqlite_temp_master", "SELECT * FROM main.book",
    "WITH book AS (SELECT * FROM reunion_meta) SELECT * FROM book",
    "WITH x AS (SELECT value FROM reunion_meta) SELECT * FROM x",
    "SELECT * FROM (SELECT * FROM reunion_meta) AS book",
    "SELECT (SELECT value FROM reunion_meta LIMIT 1) FROM book",
    "SELECT * FROM book WHERE EXISTS (SELECT 1 FROM reunion_site)",
    "SELECT title FROM book UNION SELECT key FROM reunion_meta",
    "ATTACH DATABASE '/tmp/x' AS y", "DETACH main", "PRAGMA query_only = OFF",
    "PRAGMA user_version", "SELECT * FROM pragma_table_info('reunion_meta')",
    "SELECT * FROM pragma_database_list", "SELECT * FROM dbstat", "SELECT * FROM sqlite_stmt",
    "SELECT * FROM sqlite_dbpage", "SELECT * FROM reunion_text_21",
    "SELECT * FROM reunion_text_21('wind')", "CREATE TABLE x(y)", "CREATE TEMP TABLE x(y)",
    "CREATE TEMP VIEW x AS SELECT * FROM reunion_meta", "DROP VIEW book", "BEGIN", "COMMIT",
    "VACUUM INTO '/tmp/x'", "REINDEX", "ANALYZE", "SAVEPOINT x",
    "SELECT load_extension('x')", "SELECT fts3_tokenizer('simple')", "EXPLAIN SELECT 1",
    "EXPLAIN QUERY PLAN SELECT * FROM book", "", "  ; ", "-- nothing", "SELECT 1; SELECT 2",
    "SELECT 1; DROP TABLE reunion_meta", "SELECT ?", "SELECT 1\0", "SELECT FROM",
    "SELECT zeroblob(900000000)", "SELECT hex(zeroblob(16000000))", "nonsense",
  ])
  func `what is no SELECT over the views is refused, and changes nothing`(sql: String) throws {
    let store = try openLibrary()
    #expect(isCode(.invalidSQL) { _ = try store.sql(sql) }, "\(sql)")
    #expect(try store.sql("SELECT count(*) FROM book")[0].values == [2])
  }

  @Test func `an error says where, in SQLite's words`() throws {
    let store = try openLibrary()
    let error = #expect(throws: StoreError.self) { try store.sql("SELECT 'é', title FORM book") }
    #expect(error?.message.contains("character 24") == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("near \"book\": syntax error") == true)
    let column = #expect(throws: StoreError.self) { try store.sql("SELECT titel FROM book") }
    #expect(column?.message.contains("character 8: no such column: titel") == true)
    let secret = #expect(throws: StoreError.self) { try store.sql("SELECT * FROM reunion_meta") }
    #expect(secret?.message.contains("[\"book\", \"shelf\"]") == true)
  }

  @Test func `a query that goes too far is ended`() async throws {
    let store = try openLibrary()
    let endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT "
    var limits = SQLLimits()
    limits.seconds = 0.05
    #expect(isCode(.interrupted) { _ = try store.sql(endless + "max(x) FROM n", limits: limits) })
    limits.seconds = 60
    #expect(isCode(.interrupted) { _ = try store.sql(endless + "x FROM n", limits: limits) })
    limits.bytesMax = 1000
    #expect(
      isCode(.interrupted) {
        _ = try store.sql("SELECT randomblob(600) UNION SELECT randomblob(600)", limits: limits)
      })
    limits.rowsMax = 1
    #expect(
      isCode(.interrupted) { _ = try store.sql("SELECT 1 UNION SELECT 2", limits: limits) })
    let task = Task { try store.sql(endless + "max(x) FROM n") }
    task.cancel()
    let result = await task.result
    #expect(isCode(.interrupted) { _ = try result.get() })
    #expect(isCode(.invalidSQL) { _ = try store.sql("SELECT ?", []) })
    #expect(try store.sql("SELECT ?, ?2", [1, "x"])[0].values == [1, "x"])
  }

  @Test func `a name that was given twice over time is told apart by its number`() throws {
    func model(_ number: UInt32, _ fields: [(UInt32, String)]) -> Model {
      Model(entities: [
        EntityDescription(
          number: number, name: "thing \"x\"",
          fields: fields.map { FieldDescription(number: $0.0, name: $0.1, kind: .int) })
      ])
    }
    try folder.open(model(1, [(1, "a")])).close()
    try folder.open(model(2, [(1, "a")])).close()
    let store = try folder.open(model(2, [(2, "A")]))
    let views = try Store.sqlViews(inFolder: folder.path)
    #expect(views.map(\.name) == ["thing \"x\"", "thing \"x\"_2"])
    #expect(views[1].columns == ["id", "space", "creator", "a", "A_2"])
    #expect(try store.sql("SELECT a FROM \"thing \"\"x\"\"_2\"").isEmpty)
  }
}
