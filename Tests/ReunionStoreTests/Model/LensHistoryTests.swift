import Foundation
import ReunionCore
import Testing

@testable import ReunionStore

@Suite struct LensHistoryTests {
  /// All with `REUNION_FAULTS=full`, a slice of them otherwise.
  static let count: UInt64 =
    ProcessInfo.processInfo.environment["REUNION_FAULTS"] == "full" ? 2000 : 20

  @Test func `replicas of two versions that upgrade at any moment end up equal`() throws {
    for seed in 1...Self.count {
      do {
        var history = try LensHistory(seed: seed)
        try history.run(steps: 60)
      } catch let fault as LensHistory.Fault {
        Issue.record("seed \(seed): \(fault.words)")
      }
    }
    print("faults: lenses, \(Self.count) histories of two versions")
  }

  @Test(arguments: [
    SeededBug.computedValueSent, .wayBackForgotten, .olderDeviceIgnored,
  ])
  func `what lenses can do wrong is seen (negative control)`(bug: SeededBug) throws {
    var caught = 0
    for seed in UInt64(1)...5 {
      do {
        var history = try LensHistory(seed: seed, bugs: [bug])
        try history.run(steps: 60)
      } catch let fault as LensHistory.Fault {
        if caught == 0 { print("\(bug), seed \(seed): \(fault.words)") }
        caught += 1
      }
    }
    #expect(caught > 0)
  }

  /// Two writes of each version, none of which saw another, in every order and grouping.
  @Test func `few writes of two versions come to the same in every order`() throws {
    let id = RecordID(high: 1, low: 1)
    let base = try Folder().open(Model(OldFilm.schema))
    try base.write(in: space) { transaction in
      var film = OldFilm(id: id)
      film.minutes = 1
      film.director = "A B"
      try transaction.create(film)
    }
    var checked = 0
    // Which of the writers has the later clock is another case each.
    for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1], [0, 0, 0, 0]] {
      let writers = try (0..<4).map { index in
        let store = try Folder().open(Model(OldFilm.schema)) {
          $0.wallMilliseconds = { 1_900_000_000_000 + UInt64(order[index]) }
        }
        try store.pull(from: base)
        return store
      }
      var newer: [Store] = []
      for index in 2..<4 {
        let store = try Folder().open(Model(Film.schema)) {
          $0.wallMilliseconds = { 1_900_000_000_000 + UInt64(order[index]) }
        }
        try store.pull(from: base)
        newer.append(store)
      }
      try writers[0].write(in: space) { transaction in
        try transaction.update(OldFilm.self, id) { ($0.minutes, $0.director) = (2, "C D") }
      }
      try writers[1].write(in: space) { try $0.set(\OldFilm.minutes, of: id, to: 3) }
      try newer[0].write(in: space) { transaction in
        try transaction.update(Film.self, id) { ($0.seconds, $0.first) = (240, "E") }
      }
      try newer[1].write(in: space) { transaction in
        try transaction.update(Film.self, id) { ($0.seconds, $0.first) = (301, "F G") }
      }
      let all = [writers[0], writers[1], newer[0], newer[1]]
      var films: Set<String> = []
      var oldFilms: Set<String> = []
      var digests: Set<[UInt8]> = []
      for permutation in permutations(Array(0..<4)) {
        for model in [Model(OldFilm.schema), Model(Film.schema)] {
          let store = try Folder().open(model)
          for index in permutation { try store.pull(from: all[index]) }
          digests.insert(try store.digest(of: space))
          if model.entities[0].lenses.isEmpty {
            oldFilms.insert("\(try store.fetch(Query<OldFilm>(in: space)))")
          } else {
            films.insert("\(try store.fetch(Query<Film>(in: space)))")
            let state = try #require(try store.record(entity: 9, id, in: space))
            #expect(try store.fetch(Film.self, id, in: space) == expectedFilm(id, state))
          }
          checked += 1
        }
      }
      #expect(films.count == 1 && oldFilms.count == 1 && digests.count == 1)
    }
    #expect(checked == 240)
  }

  private func permutations(_ items: [Int]) -> [[Int]] {
    guard let first = items.first else { return [[]] }
    return permutations(Array(items.dropFirst())).flatMap { rest in
      (0...rest.count).map { Array(rest[..<$0]) + [first] + Array(rest[$0...]) }
    }
  }
}
