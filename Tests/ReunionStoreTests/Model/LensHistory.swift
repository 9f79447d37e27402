import ReunionCore
import ReunionFlow

@testable import ReunionStore

/// What a record of a film shows by its cells, put down without the lenses of the library.
func expectedFilm(_ id: RecordID, _ state: RecordState) -> Film {
  func cell(_ field: UInt32) -> Cell? { state.register(field) }
  func isLater(_ source: Cell?, than target: Cell?) -> Bool {
    guard let source else { return false }
    guard let target else { return true }
    return (source.stamp, source.dot.site) > (target.stamp, target.dot.site)
  }
  var film = Film(id: id)
  film.title = cell(1)?.value.text ?? ""
  film.score = cell(6).flatMap { $0.value.double ?? $0.value.int.map { Double($0) } } ?? 0
  film.seconds = cell(11).flatMap(\.value.int).map { Int($0) } ?? 0
  if isLater(cell(2), than: cell(11)), let minutes = cell(2)?.value.int {
    film.seconds = Int(minutes) * 60
  }
  let director = cell(3)?.value.text ?? ""
  let parts = director.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
  film.first =
    isLater(cell(3), than: cell(12)) ? String(parts.first ?? "") : cell(12)?.value.text ?? ""
  film.last =
    isLater(cell(3), than: cell(13))
    ? String(parts.count > 1 ? parts[1] : "") : cell(13)?.value.text ?? ""
  film.origin = cell(14)?.value.text ?? ""
  if isLater(cell(4), than: cell(14)) || isLater(cell(5), than: cell(14)) {
    let (place, country) = (cell(4)?.value.text ?? "", cell(5)?.value.text ?? "")
    film.origin = country.isEmpty ? place : place + ", " + country
  }
  film.slug =
    cell(15)?.value.text
    ?? film.title.lowercased().split(separator: " ").joined(separator: "-")
  return film
}

/// Replicas of two versions that write, exchange and upgrade at random.
struct LensHistory {
  /// What went wrong, in words.
  struct Fault: Error { let words: String }

  private let folders = (0..<4).map { _ in Folder() }
  private var versions = [1, 1, 2, 2]
  private var stores: [Store] = []
  private let clock = Lock<UInt64>(1_700_000_000_000)
  private let bugs: SeededBugs
  private var random: Seeded
  private let ids = (1...2).map { RecordID(high: 1, low: $0) }

  init(seed: UInt64, bugs: SeededBugs = []) throws {
    random = Seeded(state: seed)
    self.bugs = bugs
    for index in folders.indices { stores.append(try open(index)) }
  }

  private func open(_ index: Int) throws -> Store {
    let model = versions[index] == 1 ? Model(OldFilm.schema) : Model(Film.schema)
    return try folders[index].open(model) { options in
      options.seededBugs = bugs
      // Half of the clocks go ahead of the others.
      options.wallMilliseconds = { [clock] in clock.withLock { $0 } + UInt64(index % 2) * 20 }
    }
  }

  mutating func run(steps: Int) throws {
    for _ in 0..<steps {
      clock.withLock { $0 += UInt64.random(in: 0...30, using: &random) }
      let index = Int.random(in: 0..<4, using: &random)
      switch Int.random(in: 0..<20, using: &random) {
      case 0: try upgrade(index)
      case 1...6: try stores[index].pull(from: stores[Int.random(in: 0..<4, using: &random)])
      default: try write(index)
      }
      try check(index)
    }
    try settle()
  }

  private mutating func upgrade(_ index: Int) throws {
    let digest = try stores[index].digest(of: space)
    try stores[index].close()
    // Now and then somebody goes back.
    versions[index] = versions[index] == 1 || Int.random(in: 0..<3, using: &random) > 0 ? 2 : 1
    stores[index] = try open(index)
    guard try stores[index].digest(of: space) == digest else {
      throw Fault(words: "an upgrade changed cells")
    }
  }

  private mutating func write(_ index: Int) throws {
    let id = ids[Int.random(in: 0..<ids.count, using: &random)]
    let texts = ["", "A", "A B", "A B C", "A, B", "x y, z"]
    let (text, other) = (pick(texts), pick(texts))
    let number = Int.random(in: 0...3, using: &random)
    let field = Int.random(in: 0..<8, using: &random)
    let isNew = versions[index] == 2
    let isThere = try stores[index].record(entity: 9, id, in: space) != nil
    try stores[index].write(in: space) { transaction in
      guard isThere else {
        if isNew {
          return try transaction.create(expectedFilm(id, RecordState()))
        } else {
          return try transaction.create(OldFilm(id: id))
        }
      }
      switch (isNew, field) {
      case (true, 0): try transaction.set(\Film.title, of: id, to: text)
      case (true, 1): try transaction.set(\Film.seconds, of: id, to: number * 60)
      case (true, 2): try transaction.set(\Film.seconds, of: id, to: number * 60 + 1)
      case (true, 3): try transaction.set(\Film.first, of: id, to: text)
      case (true, 4):
        try transaction.update(Film.self, id) { ($0.first, $0.last) = (text, other) }
      case (true, 5): try transaction.set(\Film.origin, of: id, to: text)
      case (true, 6): try transaction.set(\Film.slug, of: id, to: text)
      case (true, _): try transaction.set(\Film.score, of: id, to: Double(number) / 2)
      case (false, 0): try transaction.set(\OldFilm.title, of: id, to: text)
      case (false, 1), (false, 2): try transaction.set(\OldFilm.minutes, of: id, to: number)
      case (false, 3), (false, 4): try transaction.set(\OldFilm.director, of: id, to: text)
      case (false, 5):
        try transaction.update(OldFilm.self, id) { ($0.place, $0.country) = (text, other) }
      case (false, 6): try transaction.set(\OldFilm.country, of: id, to: text)
      case (false, _): try transaction.set(\OldFilm.score, of: id, to: number)
      }
    }
    guard isNew, field == 1, isThere,
      let state = try stores[index].record(entity: 9, id, in: space)
    else { return }
    guard state.register(2)?.value == .int(Int64(number)),
      state.register(2)?.stamp == state.register(11)?.stamp
    else { throw Fault(words: "the old field was not written") }
  }

  private mutating func pick(_ texts: [String]) -> String {
    texts[Int.random(in: 0..<texts.count, using: &random)]
  }

  /// Compares what the columns show with the cells.
  private func check(_ index: Int) throws {
    guard versions[index] == 2 else { return }
    for id in ids {
      guard let film = try stores[index].fetch(Film.self, id, in: space),
        let state = try stores[index].record(entity: 9, id, in: space)
      else { continue }
      let expected = expectedFilm(id, state)
      guard film == expected else { throw Fault(words: "\(film) is not \(expected)") }
      let query = Query<Film>(in: space).filter(
        \.seconds == expected.seconds && \.first == expected.first && \.score == expected.score)
      guard try stores[index].fetch(query).contains(film) else {
        throw Fault(words: "a query does not find \(film)")
      }
    }
  }

  /// All exchange, all upgrade: they are equal, and equal to one that upgraded first.
  private mutating func settle() throws {
    for _ in 0..<2 {
      for one in stores.indices {
        for two in stores.indices where one != two { try stores[one].pull(from: stores[two]) }
      }
    }
    for index in stores.indices where versions[index] == 1 { try upgrade(to: 2, index) }
    let fresh = try Folder().open(Model(Film.schema))
    try fresh.pull(from: stores[0])
    let films = try fresh.fetch(Query<Film>(in: space))
    for store in stores {
      guard try store.digest(of: space) == fresh.digest(of: space) else {
        throw Fault(words: "replicas differ")
      }
      guard try store.fetch(Query<Film>(in: space)) == films else {
        throw Fault(words: "replicas show different films")
      }
    }
    // A cell comes of one write: no two have one dot.
    for id in ids {
      let dots = try fresh.record(entity: 9, id, in: space)?.cells.map(\.dot) ?? []
      guard Set(dots).count == dots.count else { throw Fault(words: "a dot stands twice") }
    }
    let old = try Folder().open(Model(OldFilm.schema))
    try old.pull(from: stores[1])
    guard try old.digest(of: space) == fresh.digest(of: space) else {
      throw Fault(words: "an older replica differs")
    }
  }

  private mutating func upgrade(to version: Int, _ index: Int) throws {
    try stores[index].close()
    versions[index] = version
    stores[index] = try open(index)
    try check(index)
  }
}
