import FoundationEssentials
import ReunionCore
import ReunionFlow
import Testing

@testable import ReunionStore

/// Live queries equal a re-query after each commit (guarantee 14): random queries over random
/// histories of two stores. `REUNION_LIVE_HISTORIES` sets how many.
@Suite struct LiveFuzzTests {
  static var historyCount: Int {
    ProcessInfo.processInfo.environment["REUNION_LIVE_HISTORIES"].flatMap { Int($0) } ?? 400
  }

  @Test func `live queries equal a re-query, and their differences lead there`() throws {
    let stores = try Pair()
    for seed in 0..<UInt64(Self.historyCount) {
      guard try LiveHistory(seed: seed, stores).isSound() else {
        Issue.record("The history of seed \(seed) shows something else than a re-query.")
        return
      }
    }
  }

  @Test func `a window that is not filled anew is caught (negative control)`() throws {
    let stores = try Pair(bugs: [.liveWindowStaysShort])
    let caught = try (0..<400).contains { try !LiveHistory(seed: $0, stores).isSound() }
    #expect(caught)
  }

  @Test func `differences that are not told are caught (negative control)`() throws {
    let stores = try Pair()
    let caught = try (0..<50).contains {
      try !LiveHistory(seed: $0, stores, losesUpdate: 3).isSound()
    }
    #expect(caught)
  }
}

/// Two stores that all histories share, each in a space of its own.
private struct Pair {
  let folders = [Folder(), Folder()]
  let own: Store
  let peer: Store

  init(bugs: SeededBugs = []) throws {
    own = try folders[0].open(libraryModel) {
      $0.durability = .normal
      $0.seededBugs = bugs
    }
    peer = try folders[1].open(libraryModel) { $0.durability = .normal }
  }
}

private struct LiveHistory {
  let space: SpaceID
  let stores: Pair
  let losesUpdate: Int?
  private var random: Seeded
  private var ids: [RecordID] = []
  private var shelves: [RecordID] = []

  init(seed: UInt64, _ stores: Pair, losesUpdate: Int? = nil) {
    random = Seeded(state: seed)
    space = SpaceID(high: seed, low: losesUpdate == nil ? 1 : 2)
    self.stores = stores
    self.losesUpdate = losesUpdate
    for low in 1...8 { ids.append(RecordID(high: seed, low: UInt64(low))) }
    for low in 1...2 { shelves.append(RecordID(high: seed, low: UInt64(100 + low))) }
  }

  /// Runs the history, and tells whether each live query always showed what a fetch does.
  func isSound() throws -> Bool {
    var history = self
    return try history.run()
  }

  private mutating func run() throws -> Bool {
    for _ in 0..<5 { try write(to: stores.own) }
    var watches: [Watch] = []
    for _ in 0..<4 { watches.append(try Watch(query(), stores.own, losesUpdate: losesUpdate)) }
    let answers = try self.answers()
    for _ in 0..<12 {
      switch Int.random(in: 0..<10, using: &random) {
      case 0, 1: try stores.own.pull(from: stores.peer, space)
      case 2: try stores.peer.pull(from: stores.own, space)
      case 3, 4: try write(to: stores.peer)
      default: try write(to: stores.own)
      }
      for watch in watches where try !watch.isSound() { return false }
      for answer in answers where try !answer() { return false }
    }
    return true
  }

  // Queries

  private mutating func query() -> Query<Book> {
    var query = Query<Book>(in: space)
    if Int.random(in: 0..<4, using: &random) > 0 { query = query.filter(condition(2)) }
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      let descending = Bool.random(using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0: query = query.sorted(by: \.pages, descending: descending)
      case 1: query = query.sorted(by: \.score, descending: descending)
      case 2: query = query.sorted(by: \.note, descending: descending)
      case 3: query = query.sorted(by: \.shelf, \.rank, descending: descending)
      case 4: query = query.sorted(by: \.copies, descending: descending)
      default: query = query.sorted(by: \.title, descending: descending)
      }
    }
    if Int.random(in: 0..<6, using: &random) == 0 { query = query.matching("a") }
    if Bool.random(using: &random) { query = query.limit(Int.random(in: 0...4, using: &random)) }
    return query
  }

  private mutating func condition(_ depth: Int) -> Condition<Book> {
    if depth > 0, Bool.random(using: &random) {
      switch Int.random(in: 0..<3, using: &random) {
      case 0: return condition(depth - 1) && condition(depth - 1)
      case 1: return condition(depth - 1) || condition(depth - 1)
      default: return !condition(depth - 1)
      }
    }
    switch Int.random(in: 0..<19, using: &random) {
    case 0: return \Book.pages > number()
    case 1: return \Book.pages == number()
    case 2: return \Book.score < double()
    case 3: return \Book.score >= double()
    case 4: return \Book.score == double()
    case 5: return \Book.note == text()
    case 6: return \Book.note != nil
    case 7: return \Book.note <= text()
    case 8: return .contains(\.tags, text())
    case 9: return \Book.shelf == Reference(shelves[0])
    case 10: return .related(\.shelf, where: \.rank > 1)
    case 11: return \Book.rating == .bad
    case 12: return \Book.copies < Counter(number())
    case 13: return .hasPrefix(\.title, text())
    case 14: return .contains(\.note, text())
    case 15: return [text(), text()].contains(\.note)
    case 16: return [double(), double()].contains(\.score)
    case 17: return [number(), number()].contains(\.pages)
    default: return \Book.title >= text()
    }
  }

  /// Whether answers that are watched are those of a fetch.
  private mutating func answers() throws -> [() throws -> Bool] {
    let store = stores.own
    let base = query()
    let field = query()
    func watch<Value>(_ query: ValueQuery<Value>) throws -> () throws -> Bool {
      let live = try store.live(query)
      let told = Lock<[Value]>([])
      let subscription = live.observe { value in told.withLock { $0.append(value) } }
      return {
        withExtendedLifetime(subscription) {}
        let values = told.withLock { $0 }
        for (one, next) in zip(values, values.dropFirst()) where query.isSame(one, next) {
          return false
        }
        return try query.isSame(live.value, store.fetch(query))
      }
    }
    switch Int.random(in: 0..<5, using: &random) {
    case 0: return [try watch(base.count()), try watch(field.select(\.note))]
    case 1: return [try watch(base.sum(of: \.score)), try watch(base.joined(\.shelf))]
    case 2: return [try watch(base.grouped(by: \.rating).average(of: \.pages))]
    case 3: return [try watch(base.grouped(by: \.shelf).count())]
    default: return [try watch(base.maximum(of: \.note)), try watch(base.average(of: \.copies))]
    }
  }

  // Writes

  private mutating func write(to store: Store) throws {
    var random = self.random
    defer { self.random = random }
    try store.write(in: space) { transaction in
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        try step(transaction, &random)
      }
    }
  }

  private func step(_ transaction: WriteTransaction, _ random: inout Seeded) throws {
    let id = ids.randomElement(using: &random) ?? ids[0]
    guard let book = try transaction.fetch(Book.self, id) else {
      // What was deleted comes back by an edit of one field, or whole.
      if Bool.random(using: &random),
        (try? transaction.set(\Book.pages, of: id, to: 1)) != nil
      {
        return
      }
      var book = Book(id: id)
      book.title = text(&random)
      book.tags = [text(&random)]
      return try transaction.create(book)
    }
    switch Int.random(in: 0..<14, using: &random) {
    case 0: try transaction.delete(Book.self, id)
    case 1: try transaction.set(\Book.score, of: id, to: double(&random))
    case 2:
      try transaction.set(\Book.note, of: id, to: Bool.random(using: &random) ? nil : text(&random))
    case 3: try transaction.insert(text(&random), into: \Book.tags, of: id)
    case 4: try transaction.remove(text(&random), from: \Book.tags, of: id)
    case 5:
      try transaction.set(
        \Book.shelf, of: id, to: shelves.randomElement(using: &random).map { Reference($0) })
    case 6: try transaction.add(Int.random(in: -1...1, using: &random), to: \Book.copies, of: id)
    case 7:
      // A newer app's rating, and that a field of another number changes.
      try transaction.set(
        field: Bool.random(using: &random) ? 8 : 77, of: id, entity: 21,
        to: .int(Int64.random(in: 1...3, using: &random)))
    case 8, 9: try writeShelf(transaction, &random)
    case 10: try transaction.update(book)
    case 11: try transaction.insert(text(&random), into: \Book.chapters, of: id)
    case 12: try transaction.set(\Book.title, of: id, to: text(&random))
    default: try transaction.set(\Book.pages, of: id, to: number(&random))
    }
  }

  private func writeShelf(_ transaction: WriteTransaction, _ random: inout Seeded) throws {
    let id = shelves.randomElement(using: &random) ?? shelves[0]
    guard try transaction.fetch(Shelf.self, id) != nil else {
      return try transaction.create(Shelf(id: id))
    }
    if Bool.random(using: &random) {
      try transaction.delete(Shelf.self, id)
    } else {
      try transaction.set(\Shelf.rank, of: id, to: number(&random))
    }
  }

  private mutating func number() -> Int { number(&random) }
  private mutating func double() -> Double { double(&random) }
  private mutating func text() -> String { text(&random) }

  private func number(_ random: inout Seeded) -> Int { Int.random(in: 0...3, using: &random) }

  private func double(_ random: inout Seeded) -> Double {
    [0, -0.0, 1, 2.5, -3, .nan, .infinity, 1e300].randomElement(using: &random) ?? 0
  }

  private func text(_ random: inout Seeded) -> String {
    ["", "a", "b", "a b", "é", "a\0", "z"].randomElement(using: &random) ?? ""
  }
}

/// A live query with an observer that makes its list of the differences alone.
private struct Watch {
  let query: Query<Book>
  let store: Store
  let live: Signal<QueryResult<Book>>
  let list = Lock<[Book]>([])
  let empty = Lock(0)
  let subscription: SignalSubscription

  init(_ query: Query<Book>, _ store: Store, losesUpdate: Int?) throws {
    self.query = query
    self.store = store
    live = try store.liveResult(of: query)
    let count = Lock(0)
    subscription = live.observeChanges { [list, empty] update in
      let number = count.withLock { count in
        count += 1
        return count
      }
      if number == losesUpdate { return }
      if update.changes.isEmpty, number > 1 { empty.withLock { $0 += 1 } }
      list.withLock { $0 = update.changes.applied(to: $0, update.result) }
    }
  }

  func isSound() throws -> Bool {
    let fetched = try store.fetch(query)
    let shown = list.withLock { $0 }
    return empty.withLock { $0 } == 0 && live.value.count == fetched.count
      && zip(live.value, fetched).allSatisfy(Book.isSame)
      && shown.count == fetched.count && zip(shown, fetched).allSatisfy(Book.isSame)
  }
}
