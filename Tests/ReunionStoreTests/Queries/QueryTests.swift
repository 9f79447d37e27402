import ReunionCore
import Testing

@testable import ReunionStore

@Suite struct QueryTests {
  let folder = Folder()

  private func openLibrary() throws -> (store: Store, summer: Shelf, winter: Shelf) {
    let store = try folder.open(libraryModel)
    var summer = Shelf(id: RecordID(high: 2, low: 1))
    var winter = Shelf(id: RecordID(high: 2, low: 2))
    (summer.title, summer.rank) = ("Summer", 2)
    (winter.title, winter.rank) = ("Winter", 1)
    try store.write(in: space) { [summer, winter] transaction in
      try transaction.create(summer)
      try transaction.create(winter)
      for number in 1...6 {
        var book = Book(id: RecordID(high: 1, low: UInt64(number)))
        book.title = "Book \(number)"
        book.pages = number * 10
        book.score = Double(number) / 2
        book.shelf = number <= 2 ? Reference(summer) : number <= 4 ? Reference(winter) : nil
        book.copies = Counter(number)
        book.note = number.isMultiple(of: 2) ? "note \(number)" : nil
        try transaction.create(book)
      }
    }
    return (store, summer, winter)
  }

  private let books = Query<Book>(in: space)

  @Test func `finds records by the record that they name`() throws {
    let (store, summer, _) = try openLibrary()
    let onSummer = books.filter(\.shelf, where: \.title == "Summer")
    #expect(try store.fetch(onSummer).map(\.pages) == [10, 20])
    let composed = books.filter(
      .related(\.shelf, where: \.rank > 1 && \.title != "Winter") || \.pages == 60)
    #expect(try store.fetch(composed).map(\.pages) == [10, 20, 60])
    #expect(try store.fetch(books.filter(!.related(\.shelf, where: \.rank > 1))).count == 4)
    #expect(try store.fetch(books.filter(.unrelated(\.shelf))).map(\.pages) == [50, 60])
    try store.write(in: space) { try $0.delete(Shelf.self, summer.id) }
    #expect(try store.fetch(onSummer).isEmpty)
    #expect(try store.fetch(books.filter(.unrelated(\.shelf))).map(\.pages) == [10, 20, 50, 60])
    // Nothing but the type of the field's records is told by a plain id.
    let first = try #require(try store.fetch(books).first)
    try store.write(in: space) { try $0.set(\Book.reader, of: first.id, to: summer.id) }
    let readers = books.filter(.unrelated(\.reader, to: Shelf.self))
    #expect(try store.fetch(readers).count == 6)
    try store.write(in: space) { try $0.set(\Shelf.title, of: summer.id, to: "Back") }
    #expect(try store.fetch(readers).count == 5)
    let back = books.filter(.related(\.reader, where: \Shelf.title == "Back"))
    #expect(try store.fetch(back).map(\.pages) == [10])
  }

  @Test func `sorts by a field of the record that they name, and pairs them`() throws {
    let (store, _, winter) = try openLibrary()
    let sorted = books.sorted(by: \.shelf, \.rank).sorted(by: \.pages, descending: true)
    #expect(try store.fetch(sorted).map(\.pages) == [60, 50, 40, 30, 20, 10])
    let down = books.sorted(by: \.shelf, \.rank, descending: true).sorted(by: \.pages).limit(3)
    #expect(try store.fetch(down).map(\.pages) == [10, 20, 30])
    let pairs = try store.fetch(down.joined(\.shelf))
    #expect(pairs.map { $0.other?.title } == ["Summer", "Summer", "Winter"])
    #expect(pairs.map(\.record.pages) == [10, 20, 30])
    try store.write(in: space) { try $0.delete(Shelf.self, winter.id) }
    #expect(
      try store.fetch(books.joined(\.shelf)).map { $0.other?.title }
        == ["Summer", "Summer", nil, nil, nil, nil])
    #expect(try store.fetch(books.joined(\.reader, to: Shelf.self)).allSatisfy { $0.other == nil })
    let inWrite = try store.write(in: space) { transaction in
      try transaction.set(\Shelf.title, of: winter.id, to: "Snow")
      return try transaction.fetch(books.joined(\.shelf)).map { $0.other?.title }
    }
    #expect(inWrite == ["Summer", "Summer", "Snow", "Snow", nil, nil])
  }

  @Test func `counts, adds up and compares`() throws {
    let (store, _, _) = try openLibrary()
    let some = books.filter(\.pages > 10)
    #expect(try store.fetch(some.count()) == 5)
    #expect(try store.fetch(some.sum(of: \.pages)) == 200)
    #expect(try store.fetch(some.sum(of: \.score)) == 10)
    #expect(try store.fetch(some.sum(of: \.copies)) == 20)
    #expect(try store.fetch(some.average(of: \.pages)) == 40)
    #expect(try store.fetch(some.average(of: \.score)) == 2)
    #expect(try store.fetch(some.minimum(of: \.title)) == "Book 2")
    #expect(try store.fetch(some.maximum(of: \.copies)) == Counter(6))
    let least: String? = try store.fetch(books.minimum(of: \.note))
    #expect(least == "note 2")
    let none = books.filter(\.pages > 99)
    #expect(try store.fetch(none.count()) == 0)
    #expect(try store.fetch(none.sum(of: \.score)) == 0)
    #expect(try store.fetch(none.average(of: \.pages)) == nil)
    #expect(try store.fetch(none.maximum(of: \.pages)) == nil)
    #expect(try store.fetch(Query<Book>(in: SpaceID(high: 9, low: 9)).sum(of: \.pages)) == 0)
    #expect(
      try store.fetch(books.sorted(by: \.pages, descending: true).select(\.title)).first
        == "Book 6")
  }

  @Test func `puts records in groups`() throws {
    let (store, summer, winter) = try openLibrary()
    let counts = try store.fetch(books.grouped(by: \.shelf).count())
    #expect(counts.map(\.key) == [nil, Reference(summer), Reference(winter)])
    #expect(counts.map(\.value) == [2, 2, 2])
    #expect(
      try store.fetch(books.grouped(by: \.shelf).sum(of: \.pages)).map(\.value)
        == [110, 30, 70])
    #expect(
      try store.fetch(books.grouped(by: \.shelf).average(of: \.score)).map(\.value)
        == [2.75, 0.75, 1.75])
    #expect(
      try store.fetch(books.grouped(by: \.shelf).minimum(of: \.note)).map(\.value)
        == ["note 6", "note 2", "note 4"])
    #expect(
      try store.fetch(books.filter(\.pages < 40).grouped(by: \.shelf).maximum(of: \.pages))
        .map(\.value) == [20, 30])
  }

  @Test func `numbers at the edge add up as numbers do, or are an error`() throws {
    let store = try folder.open(libraryModel)
    for (pages, score) in [(Int.max, Double.nan), (-5, 1), (-1, .infinity)] {
      try store.add(Book.self) {
        $0.pages = pages; $0.score = score
      }
    }
    #expect(try store.fetch(books.sum(of: \.pages)) == Int.max - 6)
    #expect(try store.fetch(books.sum(of: \.score)).isNaN)
    #expect(try store.fetch(books.average(of: \.score))?.isNaN == true)
    #expect(try store.fetch(books.maximum(of: \.score)) == .infinity)
    #expect(try store.fetch(books.minimum(of: \.score)) == 1)
    #expect(try store.fetch(books.filter(\.score < .nan)).isEmpty)
    #expect(try store.fetch(books.filter(\.score > 0)).count == 2)
    try store.add(Book.self) { $0.pages = Int.max }
    #expect(isCode(.outOfRange) { _ = try store.fetch(books.sum(of: \.pages)) })
    #expect(try store.fetch(books.filter(\.pages < 0).sum(of: \.pages)) == -6)
    for _ in 0..<3 { try store.add(Book.self) { $0.pages = Int.min } }
    #expect(isCode(.outOfRange) { _ = try store.fetch(books.sum(of: \.pages)) })
  }

  @Test func `a model without the entity is told so`() throws {
    let store = try folder.open(Model(Book.schema))
    try store.add(Book.self)
    #expect(isCode(.invalidModel) { _ = try store.fetch(books.joined(\.shelf)) })
    #expect(isCode(.invalidModel) { _ = try store.fetch(Query<Shelf>(in: space).count()) })
    #expect(isCode(.invalidModel) { _ = try store.fetch(books.sortedByRelevance()) })
  }
}
