import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionStore

/// Live queries tell what differs from what each observer last saw, and nothing else.
@Suite struct LiveResultTests {
  let folder = Folder()
  private let books = Query<Book>(in: space)

  /// What an observer was told, and the list that it makes of it by the differences alone.
  private final class Follower: Sendable {
    let updates = Lock<[QueryUpdate<Book>]>([])
    let list = Lock<[Book]>([])

    func take(_ update: QueryUpdate<Book>) {
      updates.withLock { $0.append(update) }
      list.withLock { $0 = update.changes.applied(to: $0, update.result) }
    }
  }

  @Test func `an observer is told the first result and then one difference a commit`() throws {
    let store = try folder.open(libraryModel)
    let first = try store.add(Book.self) {
      $0.title = "b"; $0.pages = 1
    }
    let live = try store.liveResult(of: books.filter(\.pages < 10).sorted(by: \.title))
    let follower = Follower()
    let subscription = live.observeChanges { follower.take($0) }
    let second = try store.add(Book.self) {
      $0.title = "c"; $0.pages = 2
    }
    try store.write(in: space) { try $0.set(\Book.title, of: first.id, to: "d") }
    try store.write(in: space) { try $0.set(\Book.note, of: first.id, to: "x") }
    try store.write(in: space) { try $0.set(\Book.pages, of: second.id, to: 50) }
    // These change nothing of it.
    try store.write(in: space) { try $0.set(\Book.title, of: first.id, to: "d") }
    try store.write(in: space) { try $0.set(\Book.title, of: second.id, to: "z") }
    try store.add(Shelf.self)
    let changes = follower.updates.withLock { $0.map(\.changes) }
    #expect(changes.count == 5)
    #expect(changes[0] == QueryChanges(insertions: [0]))
    #expect(changes[1] == QueryChanges(insertions: [1]))
    #expect(changes[2].moves.count == 1 && changes[2].updates == [1])
    #expect(changes[3] == QueryChanges(updates: [1]))
    #expect(changes[4] == QueryChanges(removals: [0]))
    #expect(follower.list.withLock { $0 } == Array(live.value))
    subscription.cancel()
  }

  @Test func `a slow observer gets one difference from what it last saw to now`() async throws {
    let store = try folder.open(libraryModel)
    let live = try store.liveResult(of: books.sorted(by: \.title))
    var reader = live.changes().makeAsyncIterator()
    #expect(await reader.next()?.changes.isEmpty == true)
    var made: [Book] = []
    for number in 0..<5 {
      made.append(
        try store.add(Book.self) {
          $0.pages = number
          $0.title = "\(number)"
        })
    }
    try store.write(in: space) { try $0.delete(Book.self, made[1].id) }
    try store.write(in: space) { try $0.set(\Book.pages, of: made[2].id, to: 9) }
    let update = try #require(await reader.next())
    #expect(update.changes == QueryChanges(insertions: [0, 1, 2, 3]))
    #expect(update.result.map(\.pages) == [0, 9, 3, 4])
    // There and back again is no news: the next one is the one after.
    try store.write(in: space) { try $0.set(\Book.pages, of: made[0].id, to: 7) }
    try store.write(in: space) { try $0.set(\Book.pages, of: made[0].id, to: 0) }
    try store.write(in: space) { try $0.set(\Book.pages, of: made[4].id, to: 5) }
    #expect(await reader.next()?.changes == QueryChanges(updates: [3]))
  }

  @Test func `answers are told when they differ, and read no more fields than they need`() throws {
    let store = try folder.open(libraryModel)
    let shelf = try store.add(Shelf.self) { $0.title = "Summer" }
    let book = try store.add(Book.self) {
      $0.shelf = Reference(shelf); $0.pages = 3
    }
    let total = try store.live(books.sum(of: \.pages))
    let pairs = try store.live(books.joined(\.shelf))
    let found = try store.live(books.matching("wind"))
    let seen = Lock<[String]>([])
    @Sendable func note(_ text: String) { seen.withLock { $0.append(text) } }
    let subscriptions = [
      total.observe { note("sum \($0)") },
      pairs.observe { pairs in note("pairs \(pairs.map { $0.other?.title ?? "-" })") },
      found.observe { note("found \($0.count)") },
    ]
    func told(_ body: (WriteTransaction) throws -> Void) throws -> [String] {
      seen.withLock { $0 = [] }
      try store.write(in: space, body)
      return seen.withLock { $0.sorted() }
    }
    #expect(
      try told { try $0.set(\Book.pages, of: book.id, to: 4) }
        == ["pairs [\"Summer\"]", "sum 4"])
    #expect(
      try told { try $0.set(\Shelf.title, of: shelf.id, to: "Winter") }
        == ["pairs [\"Winter\"]"])
    #expect(try told { try $0.set(\Shelf.title, of: shelf.id, to: "Winter") } == [])
    #expect(
      try told { try $0.set(\Book.title, of: book.id, to: "wind") }
        == ["found 1", "pairs [\"Winter\"]"])
    #expect(try told { try $0.delete(Shelf.self, shelf.id) } == ["pairs [\"-\"]"])
    #expect(try told { try $0.set(\Book.pages, of: book.id, to: 4) } == [])
    subscriptions.forEach { $0.cancel() }
  }

  @Test func `a commit that an observer's own write makes is told as well`() throws {
    let store = try folder.open(libraryModel)
    let book = try store.add(Book.self)
    let live = try store.liveResult(of: books)
    let follower = Follower()
    let subscription = live.observeChanges { update in
      follower.take(update)
      let pages = update.result.first?.pages ?? 0
      if pages < 3 {
        try? store.write(in: space) { try $0.set(\Book.pages, of: book.id, to: pages + 1) }
      }
    }
    #expect(live.value.first?.pages == 3)
    #expect(follower.updates.withLock { $0.count } == 4)
    #expect(follower.list.withLock { $0 } == Array(live.value))
    subscription.cancel()
  }

  @Test func `differences lead from any list to any other, with as few moves as can be`() {
    var random = Seeded(state: 11)
    for _ in 0..<5000 {
      var (earlier, later) = (QueryResult<Book>(), QueryResult<Book>())
      let old = (0..<12).shuffled(using: &random).prefix(Int.random(in: 0...12, using: &random))
      let new = (0..<12).shuffled(using: &random).prefix(Int.random(in: 0...12, using: &random))
      for number in old { earlier.append(Book(number, 0), Book(number, 0).id, .init(record: 1)) }
      for number in new {
        let pages = Int.random(in: 0...1, using: &random)
        later.append(Book(number, pages), Book(number, 0).id, .init(record: 2))
      }
      let changes = later.changes(since: earlier)
      #expect(changes.applied(to: Array(earlier), later) == Array(later))
      #expect(changes.isEmpty == later.isSame(as: earlier))
    }
  }
}

extension Book {
  fileprivate init(_ number: Int, _ pages: Int) {
    self.init(id: RecordID(high: 0, low: UInt64(number)))
    self.pages = pages
  }
}

extension QueryChanges {
  /// What a list makes of the changes, which reads of the result only what they name.
  func applied<Element>(to list: [Element], _ result: QueryResult<Element>) -> [Element] {
    var list = list
    var moved: [Int: Element] = [:]
    for move in moves { moved[move.to] = list[move.from] }
    for index in (removals + moves.map(\.from)).sorted().reversed() { list.remove(at: index) }
    for index in (insertions + moves.map(\.to)).sorted() {
      list.insert(moved[index] ?? result[index], at: index)
    }
    for index in updates { list[index] = result[index] }
    return list
  }
}
